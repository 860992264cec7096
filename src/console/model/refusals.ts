/** The person who acts lost the right during the request. It is thrown, so that the transaction rolls back. */
export class RightLost extends Error {}

/** Sentences that say why a change of people is refused. The operator's commands have their own. */
export const PEOPLE_REFUSALS = {
  invalid_email: 'Enter an address such as ada@example.com, in letters without accents.',
  already_member: 'This person is a member already.',
  already_invited: 'Already invited. Send it again.',
  practice_limit: 'A practice sends at most 20 invitations an hour. Try again later.',
  recipient_limit: 'This address has received three invitations in the last 24 hours. Try again tomorrow.',
  no_name: 'Enter a name of at most 100 characters, without invisible marks of direction.',
  unknown_location: 'Choose all locations, or only these and at least one of them.',
  role_with_locations: 'Owners and developers always see all locations.',
  rank_too_high: 'This role is above your own.',
  last_owner: 'A practice needs an owner. Appoint one first.',
};

export type PeopleRefusal = keyof typeof PEOPLE_REFUSALS;

/** Fields of forms beside which a refusal stands, by their ids. */
export const REFUSED_FIELDS: Readonly<Partial<Record<PeopleRefusal, string>>> = {
  invalid_email: 'email',
  already_member: 'email',
  already_invited: 'email',
  recipient_limit: 'email',
  unknown_location: 'reach-some',
  role_with_locations: 'reach-some',
  rank_too_high: 'role',
};

export interface PeopleRefused {
  refusals: readonly PeopleRefusal[];
}

export const FRESH_SIGN_IN =
  'This step needs a sign-in within the last 15 minutes. Afterwards you are back on this page.';

/** Pages that answer instead of the one that was asked for, with their usual statuses. */
export const PROBLEMS = {
  not_found: [404, 'Page not found', 'It does not exist, or belongs to another practice.'],
  forbidden: [403, 'Not allowed', 'Your role does not include this page. Ask an owner of your practice.'],
  method_not_allowed: [405, 'Not possible this way', 'Open this page from the menu of the console.'],
  invalid_form: [400, 'The form is incomplete', 'Load the page again, and repeat your input.'],
  not_confirmed: [422, 'Not confirmed', 'Go back. Check the box to confirm.'],
  file_too_large: [413, 'The file is too large', 'Go back and choose a file of at most 1 MB.'],
  foreign_form: [
    403,
    'The form has expired',
    'It comes from another session or another website. Nothing was changed. Load the page again and repeat.',
  ],
  old_sign_in: [403, 'Confirm that it is you', FRESH_SIGN_IN],
  too_many: [429, 'Too many requests', 'Wait a minute, then try again.'],
  failure: [500, 'Something went wrong', 'The fault is ours. Check whether your change is there, then repeat.'],
  unavailable: [503, 'Please try again soon', 'The service is not available right now.'],
} satisfies Record<string, [status: number, title: string, text: string]>;

export type Problem = keyof typeof PROBLEMS;
