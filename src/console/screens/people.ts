import * as ui from '../../web/blocks.ts';
import {
  inviteMember,
  isOpen,
  listInvitations,
  sendAgain,
  withdrawInvitation,
} from '../identity/people/invitations.ts';
import { changeMember, listMembers, type Member, removeMember, setLock } from '../identity/people/members.ts';
import { listPeopleWithPasskeys } from '../identity/sign-in/passkeys.ts';
import type { Invitation } from '../model/invitation.entity.ts';
import { RightLost } from '../model/refusals.ts';
import { mayDo, outranks } from '../model/roles.ts';
import { ROLE_TEXTS } from '../render/labels.ts';
import { catchRefusals, withRecord } from '../routing/handlers.ts';
import { doneText, type MemberVisit, problem, type Reply } from '../routing/visit.ts';
import type { Formats } from './formats.ts';
import { type PracticeView, readPracticeView } from './formats.ts';
import { faultAt, grantFields, grantInput, grantOf, inputFrom, refusalOf, tickedIds } from './grant-fields.ts';
import { whatStays } from './removal.ts';

const INVITATION = {
  title: 'Invite a person',
  text: 'The person gets an email with a link, and belongs to the practice after accepting. The link works for 7 days.',
  button: 'Send the invitation',
};

const LOCK = {
  title: 'Lock',
  text: 'The person loses access to this practice at once, until you unlock. Role, locations and name stay, and API keys work on.',
  label: 'Yes, lock this person out',
};

const UNLOCK = { title: 'Unlock', text: 'The person may use this practice again, with the same role and locations.' };

const REMOVAL = { title: 'Remove from the practice', label: 'Yes, remove this person', button: 'Remove' };

const DONE = {
  invited: 'The invitation is on its way.',
  locked: 'The person is locked out.',
  unlocked: 'The person has access again.',
  removed: 'The person was removed.',
  withdrawn: 'The invitation was withdrawn.',
};

const INVITED =
  'Invited people have not accepted yet. They see nothing of this practice, and you see nothing of theirs.';

const INVITED_BADGE = ui.badge('Invited', 'pending');

/** Shows people and invitations. A refused form keeps what was typed. */
export async function showList(visit: MemberVisit, error?: string) {
  const { scope, member } = visit;
  const view = await readPracticeView(visit);
  const { formats } = view;
  const members = await listMembers(scope, member.practiceId);
  const passkeys = await listPeopleWithPasskeys(scope, member.practiceId);
  const invitations = await listInvitations(scope, member.practiceId);
  const canManage = mayDo(member, 'people.manage');
  const mayChange = ({ role }: Shown) => canManage && outranks(member.role, role);
  const change = ({ id, email }: Member) =>
    ui.link(visit.path(`/people/${id}`), 'Change', { 'aria-label': `Change ${email}` });
  const people = members.map((person) => ({
    ...person,
    isOwn: person.personId === visit.session.personId,
    state: person.lockedAt === null ? 'Active' : ui.badge('Locked', 'exhausted'),
    lastSignIn: dayOrNever(person.lastSignInAt, formats),
    hasPasskey: passkeys.has(person.personId) ? 'Yes' : 'No',
    actions: mayChange(person) && change(person),
  }));
  const invited = invitations.map((one) => ({
    ...one,
    name: null,
    isOwn: false,
    lastSignIn: '–',
    hasPasskey: '–',
    state: [INVITED_BADGE, ui.BREAK, isOpen(scope, one) ? `until ${formats.day(one.expiresAt)}` : 'expired'],
    actions: mayChange(one) && actionsOn(visit, one),
  }));
  return ui.page('People', { ...refusalOf(visit, error), done: doneText(visit, DONE) }, [
    ui.table(
      'People',
      [...people, ...invited],
      [
        ['Person', (person) => personText(person, person.isOwn && ui.mark('span', ` (you)`, 'quiet'))],
        ['Role', ({ role }) => ROLE_TEXTS[role].name],
        ['Locations', ({ locationIds }) => locationsText(locationIds, view)],
        ['Status', ({ state }) => state],
        ['Last sign-in', ({ lastSignIn }) => lastSignIn],
        ['Passkey', ({ hasPasskey }) => hasPasskey],
        canManage ? ['Actions', ({ actions }) => actions] : null,
      ],
      { caption: formats.caption },
    ),
    invitations.length > 0 && ui.text(INVITED, { class: 'hint' }),
    canManage && invitationForm(visit, view),
  ]);
}

function invitationForm(visit: MemberVisit, view: PracticeView): ui.Block {
  const { fields } = visit;
  const input = fields.has('role') ? grantInput(visit) : inputFrom({ role: 'front_desk', locationIds: null });
  return ui.form(visit.path('/people'), INVITATION, [
    ui.field('email', 'Email address', fields.get('email'), {
      type: 'email',
      required: true,
      maxlength: 254,
      ...ui.CODE,
      fault: faultAt(visit, 'email'),
    }),
    ...grantFields(visit, input, view),
  ]);
}

/** A person or an invitation, as both lists show them. */
type Shown = Pick<Member, 'role' | 'locationIds'>;

/** Returns the name of a person above the mail address, or the address alone. A note stands behind the first of both. */
function personText({ name, email }: Pick<Member, 'name' | 'email'>, note: ui.Content): ui.Content {
  const address = ui.own(email);
  return name === null ? [address, note] : [ui.own(name), note, ui.BREAK, ui.mark('span', address, 'quiet')];
}

function dayOrNever(at: Date | null, { day }: Formats): string {
  return at === null ? 'Never' : day(at);
}

function locationsText(ids: readonly string[] | null, { locations, locationName }: PracticeView): ui.Content {
  if (ids === null) return locationName(null);
  const names = locations.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  return ui.own(names.join(', '));
}

/** Returns the buttons that send an invitation again, and withdraw it. */
function actionsOn(visit: MemberVisit, { id, email }: Invitation): ui.Block[] {
  const button = (act: string, text: string, look: 'quiet' | 'stop') =>
    ui.button(visit.path(`/invitations/${id}/${act}`), text, { look, label: `${text}: ${email}` });
  return [button('send', 'Send again', 'quiet'), button('withdraw', 'Withdraw', 'stop')];
}

export const invite = catchRefusals(async (visit: MemberVisit) => {
  const { scope, actor, member, fields, path } = visit;
  const grant = grantOf(visit);
  if (grant === null) return problem('invalid_form');
  await inviteMember(scope, actor, member.practiceId, { email: fields.get('email') ?? '', ...grant });
  return { kind: 'redirect', to: path('/people?done=invited') };
}, showList);

export const sendInvitation = onInvitation(sendAgain, 'invited');
export const withdraw = onInvitation(withdrawInvitation, 'withdrawn');

function onInvitation(act: typeof sendAgain, done: string) {
  return catchRefusals(async ({ scope, actor, member, params, path }: MemberVisit) => {
    await act(scope, actor, { practiceId: member.practiceId, id: params.invitationId ?? '' });
    return { kind: 'redirect', to: path(`/people?done=${done}`) };
  }, showList);
}

const withMember = withRecord(findMemberOfPath, showMember);

export const showOne = withMember();

export const change = withMember(async (visit, person) => {
  const grant = grantOf(visit);
  if (grant === null) return problem('invalid_form');
  await changeMember(visit.scope, visit.actor, person, grant);
  return afterChange(visit, person, 'saved');
});

export const lock = changing((scope, actor, person) => setLock(scope, actor, person, true), 'locked');
export const unlock = changing((scope, actor, person) => setLock(scope, actor, person, false), 'unlocked');
export const remove = changing(
  (scope, actor, person, { fields }) => removeMember(scope, actor, person, tickedIds(fields, 'key')),
  'removed',
);

type Change = (
  scope: MemberVisit['scope'],
  actor: MemberVisit['actor'],
  person: Member,
  visit: MemberVisit,
) => Promise<Member>;

function changing(act: Change, done: string) {
  return withMember(async (visit, person) => {
    await act(visit.scope, visit.actor, person, visit);
    return afterChange(visit, person, done);
  });
}

/** Returns the person of the path; null for people of other practices. @throws RightLost for those of a higher rank */
async function findMemberOfPath({ scope, member, params }: MemberVisit): Promise<Member | null> {
  const person = (await listMembers(scope, member.practiceId)).find(({ id }) => id === params.membershipId) ?? null;
  if (person !== null && !outranks(member.role, person.role)) throw new RightLost();
  return person;
}

async function showMember(visit: MemberVisit, person: Member, error?: string) {
  const path = visit.path(`/people/${person.id}`);
  const view = await readPracticeView(visit);
  const { formats } = view;
  const { lockedAt } = person;
  const isOwn = person.personId === visit.session.personId;
  const input = visit.fields.has('role') ? grantInput(visit) : inputFrom(person);
  return ui.page(`Change ${person.email}`, { ...refusalOf(visit, error), done: doneText(visit, DONE) }, [
    ui.facts('card facts', [
      ['Name', person.name && ui.own(person.name)],
      ['Role', ROLE_TEXTS[person.role].name],
      ['Status', lockedAt === null ? 'Active' : `Locked since ${formats.day(lockedAt)}`],
      ['Member since', formats.day(person.createdAt)],
      ['Last sign-in', dayOrNever(person.lastSignInAt, formats)],
    ]),
    ui.form(path, { title: 'Role and locations', button: 'Save' }, grantFields(visit, input, view)),
    !isOwn && lockedAt === null && ui.form(`${path}/lock`, LOCK),
    lockedAt !== null && ui.form(`${path}/unlock`, UNLOCK),
    ui.form(
      `${path}/remove`,
      { ...REMOVAL, text: ui.own(`${person.email} loses access to this practice at once.`) },
      await whatStays(visit, person, formats),
    ),
  ]);
}

/** Leads to the list, or home: someone who changed themselves may not see the list any more. */
function afterChange({ path, session }: MemberVisit, person: Member, done: string): Reply {
  return { kind: 'redirect', to: person.personId === session.personId ? '/console' : path(`/people?done=${done}`) };
}
