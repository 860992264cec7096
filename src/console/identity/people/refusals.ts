/** Sentences that say why a change of people is refused. */
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

/** Reasons why a service refuses a change of people. */
export type PeopleRefusal = keyof typeof PEOPLE_REFUSALS;
