import type { PeopleRefusal } from '../../model/refusals.ts';

/** Texts of the pages on people and invitations. */
export interface PeopleTexts {
  title: string;
  lead: string;
  table: { email: string; role: string; locations: string; since: string; actions: string };
  allLocations: string;
  onlyLocations: string;
  you: string;
  edit: string;
  editLabel: (email: string) => string;
  invite: Passage & { email: string; button: string };
  invitations: {
    title: string;
    text: string;
    until: string;
    expired: string;
    sendAgain: string;
    withdraw: string;
    /** Names the address for screen readers. */
    label: (act: string, email: string) => string;
  };
  passkeys: Passage & { column: string; none: string };
  role: string;
  rolesHelp: string;
  locations: string;
  locationsHelp: string;
  change: { title: (email: string) => string; button: string };
  remove: { title: string; text: (email: string) => string; label: string; button: string };
  done: Readonly<Record<'invited' | 'changed' | 'removed' | 'withdrawn' | 'passkey_removed', string>>;
  refusals: Readonly<Record<PeopleRefusal, string>>;
  notConfirmed: string;
}

/** A heading with its text. */
interface Passage {
  title: string;
  text: string;
}

/** The English texts on people. */
export const people: PeopleTexts = {
  title: 'People',
  lead: 'These people may sign in to the console of this practice. Each has one role.',
  table: { email: 'Mail address', role: 'Role', locations: 'Locations', since: 'Since', actions: 'Change' },
  allLocations: 'All locations',
  onlyLocations: 'Only these locations',
  you: 'you',
  edit: 'Change',
  editLabel: (email) => `Change ${email}`,
  invite: {
    title: 'Invite a person',
    text: 'The person gets a mail with a link, and belongs to the practice after accepting. The link works for 7 days.',
    email: 'Mail address',
    button: 'Send the invitation',
  },
  invitations: {
    title: 'Invited',
    text: 'These people have not accepted yet. They see nothing of this practice, and you see nothing of theirs.',
    until: 'Until',
    expired: 'expired',
    sendAgain: 'Send again',
    withdraw: 'Withdraw',
    label: (act, email) => `${act}: ${email}`,
  },
  passkeys: {
    title: 'Passkeys',
    text: 'Each of them signs this person in, for all practices of the person. Without one, the person signs in by mail.',
    column: 'Passkeys',
    none: 'This person has no passkey.',
  },
  role: 'Role',
  rolesHelp: 'What each role may do',
  locations: 'Locations',
  locationsHelp: 'Owners always see all locations. People with few locations cannot manage people, keys or settings.',
  change: { title: (email) => `Change ${email}`, button: 'Save' },
  remove: {
    title: 'Remove from the practice',
    text: (email) => `${email} loses access to this practice at once.`,
    label: 'Yes, remove this person',
    button: 'Remove',
  },
  done: {
    invited: 'The invitation is on its way.',
    changed: 'The change applies from now on.',
    removed: 'The person was removed.',
    withdrawn: 'The invitation was withdrawn.',
    passkey_removed: 'The passkey no longer signs in.',
  },
  refusals: {
    invalid_email: 'Enter a mail address such as ada@example.com.',
    already_member: 'This person already belongs to the practice.',
    already_invited: 'This person is already invited. Send the invitation again.',
    practice_limit: 'A practice sends at most 20 invitations an hour. Try again later.',
    recipient_limit: 'This address has got three invitations in the last 24 hours. Try again tomorrow.',
    unknown_member: 'This person does not belong to the practice.',
    unknown_location: 'Choose at least one location of this practice, or all locations.',
    owner_with_locations: 'An owner always sees all locations.',
    rank_too_high: 'You cannot give or change a role above your own.',
    last_owner: 'A practice needs an owner. Make another person an owner first.',
  },
  notConfirmed: 'Tick the box to confirm the removal.',
};
