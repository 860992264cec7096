import type { ApiKey } from '../../access/api-key.entity.ts';
import { listLiveKeysCreatedBy } from '../../access/service.ts';
import { listRecipients } from '../../practices/notifications.ts';
import * as ui from '../../web/blocks.ts';
import * as invitations from '../identity/people/invitations.ts';
import * as members from '../identity/people/members.ts';
import { listPeopleWithPasskeys } from '../identity/sign-in/passkeys.ts';
import type { Invitation } from '../model/invitation.entity.ts';
import { type PeopleRefused, RightLost } from '../model/refusals.ts';
import { mayDo, outranks } from '../model/roles.ts';
import { ROLE_TEXTS } from '../render/labels.ts';
import { catchRefusals, explainFaults, withRecord } from '../routing/handlers.ts';
import {
  doneText,
  findFault,
  type MemberVisit,
  problem,
  type Refusal,
  type Reply,
  refusePeople,
} from '../routing/visit.ts';
import { keyName, readEndpoints } from './developers/visit.ts';
import { type Formats, type PracticeView, readPracticeView } from './formats.ts';
import { grantFields, grantInput, inputFrom, parseGrant, tickedIds } from './grant-fields.ts';

type Member = members.Member;

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

export async function showList(visit: MemberVisit, error?: string) {
  const { scope, member } = visit;
  const view = await readPracticeView(visit);
  const { formats } = view;
  const list = await members.listMembers(scope, member.practiceId);
  const passkeys = await listPeopleWithPasskeys(scope, member.practiceId);
  const invited = await invitations.listInvitations(scope, member.practiceId);
  const canManage = mayDo(member, 'people.manage');
  const isOpen = (invitation: (typeof invited)[number]) => invitations.isOpen(scope, invitation);
  const mayChange = ({ role }: Shown) => canManage && outranks(member.role, role);
  const change = ({ id, email }: Member) =>
    ui.link(visit.path(`/people/${id}`), 'Change', { 'aria-label': `Change ${email}` });
  const people = list.map((person) => ({
    ...person,
    isOwn: person.personId === visit.session.personId,
    state: person.lockedAt === null ? 'Active' : ui.badge('Locked', 'exhausted'),
    lastSignIn: dayOrNever(person.lastSignInAt, formats),
    hasPasskey: passkeys.has(person.personId) ? 'Yes' : 'No',
    actions: mayChange(person) && change(person),
  }));
  const invitedRows = invited.map((one) => ({
    ...one,
    name: null,
    isOwn: false,
    lastSignIn: '–',
    hasPasskey: '–',
    state: [ui.badge('Invited', 'pending'), ui.BREAK, isOpen(one) ? `until ${formats.day(one.expiresAt)}` : 'expired'],
    actions: mayChange(one) && actionsOn(visit, one),
  }));
  return ui.page('People', { ...explainFaults(visit, error), done: doneText(visit, DONE) }, [
    ui.table(
      'People',
      [...people, ...invitedRows],
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
    invited.length > 0 && ui.text(INVITED, { class: 'hint' }),
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
      fault: findFault(visit, 'email'),
    }),
    ...grantFields(visit, input, view),
  ]);
}

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

function actionsOn(visit: MemberVisit, { id, email }: Invitation): ui.Block[] {
  const button = (act: string, text: string, look: 'quiet' | 'stop') =>
    ui.button(visit.path(`/invitations/${id}/${act}`), text, { look, label: `${text}: ${email}` });
  return [button('send', 'Send again', 'quiet'), button('withdraw', 'Withdraw', 'stop')];
}

export const invite = catchRefusals(async (visit: MemberVisit) => {
  const { scope, actor, member, fields } = visit;
  const grant = parseGrant(visit);
  if (grant === null) return problem('invalid_form');
  const email = fields.get('email') ?? '';
  const result = await invitations.inviteMember(scope, actor, member.practiceId, { email, ...grant });
  return answerChange(visit, result, 'invited');
}, showList);

export const sendInvitation = onInvitation(invitations.sendAgain, 'invited');
export const withdraw = onInvitation(invitations.withdrawInvitation, 'withdrawn');

function onInvitation(act: typeof invitations.sendAgain, done: string) {
  return catchRefusals(async (visit: MemberVisit) => {
    const target = { practiceId: visit.member.practiceId, id: visit.params.invitationId ?? '' };
    return answerChange(visit, await act(visit.scope, visit.actor, target), done);
  }, showList);
}

const withMember = withRecord(findMemberOfPath, showMember);

export const showOne = withMember();

export const change = withMember(async (visit, person) => {
  const grant = parseGrant(visit);
  if (grant === null) return problem('invalid_form');
  return answerChange(visit, await members.changeMember(visit.scope, visit.actor, person, grant), 'saved');
});

export const lock = withMember(async (visit, person) =>
  answerChange(visit, await members.setLock(visit.scope, visit.actor, person, true), 'locked'),
);

export const unlock = withMember(async (visit, person) =>
  answerChange(visit, await members.setLock(visit.scope, visit.actor, person, false), 'unlocked'),
);

export const remove = withMember(async (visit, person) => {
  const keyIds = tickedIds(visit.fields, 'key');
  return answerChange(visit, await members.removeMember(visit.scope, visit.actor, person, keyIds), 'removed');
});

/** Leads to the list, or home: someone who changed themselves may not see the list any more. */
function answerChange(visit: MemberVisit, result: Member | Invitation | PeopleRefused, done: string): Reply | Refusal {
  if ('refusals' in result) return refusePeople(visit, result);
  const isOwn = 'personId' in result && result.personId === visit.session.personId;
  return { kind: 'redirect', to: isOwn ? '/console' : visit.path(`/people?done=${done}`) };
}

/** Returns the person of the path; null for people of other practices. @throws RightLost for those of a higher rank */
async function findMemberOfPath({ scope, member, params }: MemberVisit): Promise<Member | null> {
  const person =
    (await members.listMembers(scope, member.practiceId)).find(({ id }) => id === params.membershipId) ?? null;
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
  const removal = { ...REMOVAL, text: ui.own(`${person.email} loses access to this practice at once.`) };
  return ui.page(`Change ${person.email}`, { ...explainFaults(visit, error), done: doneText(visit, DONE) }, [
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
    ui.form(`${path}/remove`, removal, await showWhatStays(visit, person, formats)),
  ]);
}

/** Shows what the person leaves behind: live keys, each with a box that revokes it, live endpoints, and notifications to the address. */
async function showWhatStays(
  visit: MemberVisit,
  { personId, email }: Member,
  { moment }: Formats,
): Promise<ui.Content> {
  const { scope, member } = visit;
  const { practiceId } = member;
  const keys = await listLiveKeysCreatedBy(scope, practiceId, personId);
  const endpoints = (await readEndpoints(visit)).filter(({ createdBy }) => createdBy === personId);
  const isNotified = Object.values(await listRecipients(scope, practiceId)).some((emails) => emails.includes(email));
  const settings = visit.path('/settings#notifications');
  const endpointLink = ({ id, url }: (typeof endpoints)[number]) =>
    ui.link(visit.modePath(`/developers/webhooks/${id}`), ui.own(url));
  const lastUse = ({ lastUsedAt }: ApiKey) => (lastUsedAt === null ? 'Never' : moment(lastUsedAt));
  return [
    keys.length > 0 && [
      ui.text(
        'The person created these live API keys and may know them. They work on until they are revoked. Programs that use a revoked key need a new one.',
      ),
      ...keys.map((key) => {
        const label = [ui.own(`Revoke ${keyName(key)}`), ` (Last used: `, lastUse(key), ')'];
        return ui.check(`key.${key.id}`, label, visit.fields.has(`key.${key.id}`));
      }),
    ],
    endpoints.length > 0 && [
      ui.text('The person added these live webhook endpoints. They get data of patients until you delete them:'),
      ui.list('ul', endpoints.map(endpointLink)),
    ],
    isNotified && ui.text(ui.link(settings, 'This address gets notifications of the practice until you remove it.')),
  ];
}
