export const people = {
  invite: {
    title: 'Invite a person',
    text: 'The person gets an email with a link, and belongs to the practice after accepting. The link works for 7 days.',
    button: 'Send the invitation',
  },
  lock: {
    title: 'Lock',
    text: 'The person loses access to this practice at once, until you unlock. Role, locations and name stay, and API keys work on.',
    label: 'Yes, lock this person out',
  },
  unlock: {
    title: 'Unlock',
    text: 'The person may use this practice again, with the same role and locations.',
  },
  remove: {
    title: 'Remove from the practice',
    text: (email: string) => `${email} loses access to this practice at once.`,
    label: 'Yes, remove this person',
    stays: {
      keys: 'The person created these live API keys and may know them. They work on until they are revoked. Programs that use a revoked key need a new one.',
      revoke: (key: string) => `Revoke ${key}`,
      endpoints: 'The person added these live webhook endpoints. They get data of patients until you delete them:',
      notifications: 'This address gets notifications of the practice until you remove it.',
    },
    button: 'Remove',
  },
  done: {
    invited: 'The invitation is on its way.',
    locked: 'The person is locked out.',
    unlocked: 'The person has access again.',
    removed: 'The person was removed.',
    withdrawn: 'The invitation was withdrawn.',
  },
  refusals: {
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
  },
};

/** Reasons why a service refuses a change of people. */
export type PeopleRefusal = keyof typeof people.refusals;
