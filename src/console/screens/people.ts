import type { Location } from '../../practices/location.entity.ts';
import type { Invitation } from '../model/invitation.entity.ts';
import { mayDo, outranks, ROLES, roleNamed } from '../model/roles.ts';
import { inviteUser, isOpen, listInvitations, sendAgain, withdrawInvitation } from '../people/invitations.ts';
import {
  changeUser,
  type Grant,
  listUsers,
  PeopleRefused,
  removePasskeyOf,
  removeUser,
  type User,
} from '../people/users.ts';
import * as ui from '../render/blocks.ts';
import { get, type MemberVisit, post, problem, type Reply, type Route } from '../routing/route.ts';
import { doneText, invalidForm, isConfirmed, notFound, visibleLocations } from '../routing/visit.ts';
import { countPasskeys, listPasskeys } from '../sign-in/passkeys.ts';
import type { PeopleRefusal } from '../texts/people.ts';
import { dayText } from './formats.ts';
import { passkeyCards } from './passkeys.ts';

const LIST = '/console/:practiceId/people';
const ONE = `${LIST}/:membershipId`;
const INVITATION = '/console/:practiceId/invitations/:invitationId';

export const PEOPLE_ROUTES: readonly Route[] = [
  get('people.list', LIST, 'people.view', (visit) => showList(visit)),
  post('people.invite', LIST, 'people.manage', invite),
  get('people.one', ONE, 'people.manage', withUser(showOne)),
  post('people.change', ONE, 'people.manage', withUser(change)),
  post('people.remove', `${ONE}/remove`, 'people.manage', withUser(remove)),
  post('people.passkey_remove', `${ONE}/passkeys/:passkeyId/remove`, 'people.manage', withUser(removePasskey)),
  post('people.invitation_send', `${INVITATION}/send`, 'people.manage', (visit) =>
    actOnInvitation(visit, sendAgain, 'invited'),
  ),
  post('people.invitation_withdraw', `${INVITATION}/withdraw`, 'people.manage', (visit) =>
    actOnInvitation(visit, withdrawInvitation, 'withdrawn'),
  ),
];

interface GrantInput {
  role: string;
  isLimited: boolean;
  locationIds: readonly string[];
}

async function showList(visit: MemberVisit, refused?: { input: GrantInput & { email: string }; error: string }) {
  const { scope, member, language } = visit;
  const { people: t, roles } = visit.t;
  const users = await listUsers(scope, member.practiceId);
  const passkeys = await countPasskeys(scope, member.practiceId);
  const invitations = await listInvitations(scope, member.practiceId);
  const [canManage, locations] = [mayDo(member, 'people.manage'), await visibleLocations(visit)];
  const invited = refused?.input ?? { role: 'front_desk', isLimited: false, locationIds: [], email: '' };
  const error = refused?.error ?? refusalNamed(visit);
  const described = error === undefined ? undefined : 'form-error';
  const columns = <Row extends Shown>(): ui.Column<Row>[] => [
    [t.table.role, ({ role }) => roles[role].name],
    [t.table.locations, ({ locationIds }) => placesText(locationIds, locations, t.allLocations)],
  ];
  const mayChange = ({ role }: Shown) => canManage && outranks(member.role, role);
  const change = ({ id, email }: User) =>
    ui.link(visit.path(`/people/${id}`), t.table.actions, { 'aria-label': t.change(email) });
  const you = ({ personId }: User) =>
    personId === visit.session.personId && [' ', ui.mark('span', `(${t.you})`, 'quiet-text')];
  const status = refused === undefined ? 200 : 422;
  return ui.page(t.title, { status, error, done: doneText(visit, t.done) }, [
    ui.lead(t.lead),
    ui.table(t.title, users, [
      [t.table.email, (user) => [ui.own(user.email), you(user)]],
      ...columns<User>(),
      [t.table.since, ({ createdAt }) => dayText(createdAt, language)],
      [t.passkeys.title, ({ personId }) => `${passkeys.get(personId) ?? 0}`],
      canManage ? [t.table.actions, (user) => mayChange(user) && change(user)] : null,
    ]),
    invitations.length > 0 && [
      ui.heading(t.invitations.title),
      ui.text(t.invitations.text),
      ui.table(t.invitations.title, invitations, [
        [t.table.email, ({ email }) => ui.own(email)],
        ...columns<Invitation>(),
        [t.invitations.until, (one) => (isOpen(scope, one) ? dayText(one.expiresAt, language) : t.invitations.expired)],
        canManage ? [t.table.actions, (one) => mayChange(one) && actsOn(visit, one)] : null,
      ]),
    ],
    canManage &&
      ui.form(visit.path('/people'), t.invite, [
        ui.text(t.invite.text),
        ui.field('email', t.invite.email, invited.email, {
          ...{ type: 'email', required: true, maxlength: 254, ...ui.CODE, 'aria-describedby': described },
        }),
        ...grantFields(visit, invited, locations),
      ]),
  ]);
}

/** A person or an invitation, as both lists show them. */
type Shown = Pick<User, 'role' | 'locationIds'>;

function placesText(ids: readonly string[] | null, locations: readonly Location[], all: string): ui.Content {
  if (ids === null) return all;
  const names = locations.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  return ui.own(names.join(', '));
}

/** Returns the buttons that send an invitation again, and withdraw it. */
function actsOn(visit: MemberVisit, { id, email }: Invitation): ui.Block[] {
  const { invitations: t } = visit.t.people;
  const button = (act: string, text: string, look?: 'stop') =>
    ui.form(
      visit.path(`/invitations/${id}/${act}`),
      { button: text, buttonLabel: t.label(text, email), look, isInCell: true },
      null,
    );
  return [button('send', t.sendAgain), button('withdraw', t.withdraw, 'stop')];
}

async function invite(visit: MemberVisit): Promise<Reply> {
  const { scope, member, fields } = visit;
  const email = fields.get('email') ?? '';
  const input = grantInput(visit);
  const grant = grantOf(input);
  if (grant === null) return invalidForm();
  const refusal = await refusalOf(inviteUser(scope, visit.actor, member.practiceId, { email, ...grant }));
  if (refusal === null) return { kind: 'redirect', to: visit.path('/people?done=invited') };
  return showList(visit, { input: { ...input, email }, error: visit.t.people.refusals[refusal] });
}

/** Runs an act on people. Returns the reason of its refusal; null if it is done. */
async function refusalOf(act: Promise<unknown>): Promise<PeopleRefusal | null> {
  try {
    await act;
    return null;
  } catch (error) {
    if (error instanceof PeopleRefused) return error.reason;
    throw error;
  }
}

async function actOnInvitation(visit: MemberVisit, act: typeof sendAgain, done: string): Promise<Reply> {
  const { scope, member, params } = visit;
  const refusal = await refusalOf(act(scope, visit.actor, member.practiceId, params.invitationId ?? ''));
  if (refusal === 'unknown_member') return notFound();
  const outcome = refusal === null ? `done=${done}` : `refused=${refusal}`;
  return { kind: 'redirect', to: visit.path(`/people?${outcome}`) };
}

async function showOne(visit: MemberVisit, user: User): Promise<Reply> {
  return onePage(visit, user, inputOf(user), refusalNamed(visit));
}

/** Returns the refusal that the address names by `?refused=` after a redirect. */
function refusalNamed({ t, query }: MemberVisit): string | undefined {
  return Object.entries(t.people.refusals).find(([name]) => name === query.get('refused'))?.[1];
}

async function change(visit: MemberVisit, user: User): Promise<Reply> {
  const input = grantInput(visit);
  const grant = grantOf(input);
  if (grant === null) return invalidForm();
  const { scope, member } = visit;
  const refusal = await refusalOf(changeUser(scope, visit.actor, member.practiceId, user.id, grant));
  if (refusal === null) return { kind: 'redirect', to: afterChange(visit, user, 'changed') };
  return { ...(await onePage(visit, user, input, visit.t.people.refusals[refusal])), status: 422 };
}

function remove(visit: MemberVisit, user: User): Promise<Reply> {
  const { scope, member } = visit;
  const act = () => removeUser(scope, visit.actor, member.practiceId, user.id);
  return confirmed(visit, user, act, afterChange(visit, user, 'removed'));
}

async function removePasskey(visit: MemberVisit, user: User): Promise<Reply> {
  const { scope, member, params } = visit;
  const passkey = (await listPasskeys(scope, user.personId)).find(({ id }) => id === params.passkeyId);
  if (passkey === undefined) return notFound();
  const act = () => removePasskeyOf(scope, visit.actor, member.practiceId, user.id, passkey.id);
  return confirmed(visit, user, act, visit.path(`/people/${user.id}?done=passkey_removed`));
}

/** Runs an act that the person has confirmed by a tick. A refusal leads back to the page of the other person. */
async function confirmed(visit: MemberVisit, { id }: User, act: () => Promise<unknown>, done: string): Promise<Reply> {
  const refusal = isConfirmed(visit) ? await refusalOf(act()) : 'not_confirmed';
  const to = refusal === null ? done : visit.path(`/people/${id}?refused=${refusal}`);
  return { kind: 'redirect', to };
}

/** Runs a handler with the person of the path. People of other practices are unknown, and those of a higher rank forbidden. */
function withUser(handle: (visit: MemberVisit, user: User) => Promise<Reply>): (visit: MemberVisit) => Promise<Reply> {
  return async (visit) => {
    const users = await listUsers(visit.scope, visit.member.practiceId);
    const user = users.find(({ id }) => id === visit.params.membershipId);
    if (user === undefined) return notFound();
    if (outranks(visit.member.role, user.role)) return handle(visit, user);
    return problem('forbidden');
  };
}

async function onePage(visit: MemberVisit, user: User, input: GrantInput, error: string | undefined) {
  const { people: t } = visit.t;
  const path = visit.path(`/people/${user.id}`);
  const passkeys = await listPasskeys(visit.scope, user.personId);
  const fields = grantFields(visit, input, await visibleLocations(visit));
  return ui.page(t.change(user.email), { status: 200, error, done: doneText(visit, t.done) }, [
    ui.form(path, { button: visit.t.save }, fields),
    ui.heading(t.passkeys.title),
    ui.text(passkeys.length === 0 ? t.passkeys.none : t.passkeys.text),
    passkeys.length > 0 && passkeyCards(visit, passkeys, `${path}/passkeys`),
    ui.act(`${path}/remove`, { ...t.remove, text: undefined }, { blocks: ui.text(ui.own(t.remove.text(user.email))) }),
  ]);
}

/** Returns the fields for role and locations. Roles above the own one are not offered. */
function grantFields(visit: MemberVisit, input: GrantInput, locations: readonly Location[]): ui.Block[] {
  const { people: t, roles } = visit.t;
  const offered = ROLES.filter((role) => outranks(visit.member.role, role)).map((role) => ({ role, ...roles[role] }));
  const names = offered.map(({ role, name }) => [role, name] as const);
  const places = locations.map(({ id, name, city }) =>
    ui.check(`location.${id}`, ui.own(`${name}, ${city}`), input.locationIds.includes(id), { id, isIndented: true }),
  );
  const help = offered.map(({ name, help }) => [name, help] as const);
  return [
    ui.select('role', t.table.role, input.role, names),
    ui.details(t.rolesHelp, { class: 'hint' }, [ui.facts(undefined, help)]),
    ui.fieldset(t.table.locations, [
      ui.text(t.locationsHelp, { class: 'hint' }),
      ui.radio('reach', 'all', t.allLocations, !input.isLimited),
      ui.radio('reach', 'some', t.onlyLocations, input.isLimited),
      ...places,
    ]),
  ];
}

function grantInput({ fields }: MemberVisit): GrantInput {
  const prefix = 'location.';
  const locationIds = [...fields.keys()]
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
  return { role: fields.get('role') ?? '', isLimited: fields.get('reach') === 'some', locationIds };
}

/** Returns null for a role that no form of ours offers. */
function grantOf({ role: name, isLimited, locationIds }: GrantInput): Grant | null {
  const role = roleNamed(name);
  return role === null ? null : { role, locationIds: isLimited ? locationIds : null };
}

function inputOf({ role, locationIds }: User): GrantInput {
  return { role, isLimited: locationIds !== null, locationIds: locationIds ?? [] };
}

/** Someone who changed themselves may not see the list any more. */
function afterChange({ path, session }: MemberVisit, user: User, done: string): string {
  return user.personId === session.personId ? '/console' : path(`/people?done=${done}`);
}
