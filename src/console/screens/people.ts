import type { Location } from '../../practices/location.entity.ts';
import type { Invitation } from '../model/invitation.entity.ts';
import { mayDo, outranks, ROLES, roleNamed } from '../model/roles.ts';
import { inviteUser, isOpen, listInvitations, sendAgain, withdrawInvitation } from '../people/invitations.ts';
import { changeUser, type Grant, listUsers, removePasskeyOf, removeUser, type User } from '../people/users.ts';
import * as ui from '../render/blocks.ts';
import { get, type MemberVisit, post, practicePath, problem, type Reply, type Route } from '../routing/route.ts';
import { actorOf, doneText, invalidForm, isConfirmed, notFound, visibleLocations } from '../routing/visit.ts';
import { countPasskeys, listPasskeys } from '../sign-in/passkeys.ts';
import { TEXTS } from '../texts/texts.ts';
import { dayText } from './formats.ts';
import { passkeyCards, passkeyViews } from './passkeys.ts';

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
  const { people: t, roles } = TEXTS[language];
  const users = await listUsers(scope, member.practiceId);
  const passkeys = await countPasskeys(scope, member.practiceId);
  const invitations = await listInvitations(scope, member.practiceId);
  const reason = visit.query.get('refused');
  const [canManage, locations] = [mayDo(member, 'people.manage'), await visibleLocations(visit)];
  const invited = refused?.input ?? { role: 'front_desk', isLimited: false, locationIds: [], email: '' };
  const error = refused?.error ?? (reason === undefined ? undefined : refusalNamed(visit, reason));
  const email = {
    type: 'email',
    required: true,
    maxlength: 254,
    ...ui.CODE,
    'aria-describedby': error === undefined ? undefined : 'form-error',
  };
  const columns = <Row extends Shown>(): ui.Column<Row>[] => [
    [t.table.role, ({ role }) => roles[role].name],
    [t.table.locations, ({ locationIds }) => placesText(locationIds, locations, t.allLocations)],
  ];
  const mayChange = ({ role }: Shown) => canManage && outranks(member.role, role);
  const change = (user: User) =>
    ui.link(practicePath(member, `/people/${user.id}`), t.edit, { 'aria-label': t.editLabel(user.email) });
  const you = ({ personId }: User) =>
    personId === visit.session.personId ? [' ', ui.mark('span', `(${t.you})`, 'quiet-text')] : '';
  const blocks = [
    ui.lead(t.lead),
    ui.table(t.title, users, [
      [t.table.email, (user) => [ui.own(user.email), you(user)]],
      ...columns<User>(),
      [t.table.since, ({ createdAt }) => dayText(createdAt, language)],
      [t.passkeys.column, ({ personId }) => `${passkeys.get(personId) ?? 0}`],
      canManage ? [t.table.actions, (user) => (mayChange(user) ? change(user) : '')] : null,
    ]),
    ...(invitations.length === 0
      ? []
      : [
          ui.heading(t.invitations.title),
          ui.text(t.invitations.text),
          ui.table(t.invitations.title, invitations, [
            [t.table.email, ({ email }) => ui.own(email)],
            ...columns<Invitation>(),
            [
              t.invitations.until,
              (one) => (isOpen(scope, one) ? dayText(one.expiresAt, language) : t.invitations.expired),
            ],
            canManage ? [t.table.actions, (one) => (mayChange(one) ? actsOn(visit, one) : '')] : null,
          ]),
        ]),
    canManage
      ? ui.form({
          action: practicePath(member, '/people'),
          title: t.invite.title,
          blocks: [
            ui.text(t.invite.text),
            ui.field('email', t.invite.email, invited.email, { attributes: email }),
            ...grantFields(visit, invited, locations),
          ],
          button: t.invite.button,
        })
      : null,
  ];
  return ui.page(t.title, blocks, {
    status: refused === undefined ? 200 : 422,
    error,
    done: doneText(visit, t.done),
  });
}

/** A person or an invitation, as both lists show them. */
type Shown = Pick<User, 'role' | 'locationIds'>;

function placesText(ids: readonly string[] | null, locations: readonly Location[], all: string): ui.Content {
  if (ids === null) return all;
  const names = locations.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  return ui.own(names.join(', '));
}

/** Returns the buttons that send an invitation again, and withdraw it. */
function actsOn({ member, language }: MemberVisit, { id, email }: Invitation): ui.Block[] {
  const { invitations: t } = TEXTS[language].people;
  const path = practicePath(member, `/invitations/${id}`);
  const button = (act: string, text: string, look?: 'stop') =>
    ui.form({
      action: `${path}/${act}`,
      className: undefined,
      button: text,
      buttonLabel: t.label(text, email),
      look,
      isInCell: true,
    });
  return [button('send', t.sendAgain), button('withdraw', t.withdraw, 'stop')];
}

async function invite(visit: MemberVisit): Promise<Reply> {
  const { scope, member, fields } = visit;
  const email = fields.get('email') ?? '';
  const input = grantInput(visit);
  const grant = grantOf(input);
  if (grant === null) return invalidForm();
  const result = await inviteUser(scope, actorOf(visit), member.practiceId, { email, ...grant });
  if (result.kind === 'done') return { kind: 'redirect', to: practicePath(member, '/people?done=invited') };
  return showList(visit, { input: { ...input, email }, error: TEXTS[visit.language].people.refusals[result.reason] });
}

async function actOnInvitation(visit: MemberVisit, act: typeof sendAgain, done: string): Promise<Reply> {
  const { scope, member, params } = visit;
  const result = await act(scope, actorOf(visit), member.practiceId, params.invitationId ?? '');
  if (result.kind === 'refused' && result.reason === 'unknown_member') return notFound();
  const outcome = result.kind === 'done' ? `done=${done}` : `refused=${result.reason}`;
  return { kind: 'redirect', to: practicePath(member, `/people?${outcome}`) };
}

async function showOne(visit: MemberVisit, user: User): Promise<Reply> {
  const reason = visit.query.get('refused');
  return onePage(visit, user, inputOf(user), reason === undefined ? undefined : refusalNamed(visit, reason));
}

function refusalNamed({ language }: MemberVisit, name: string): string | undefined {
  const { refusals, notConfirmed } = TEXTS[language].people;
  const texts: Readonly<Record<string, string>> = { ...refusals, not_confirmed: notConfirmed };
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

async function change(visit: MemberVisit, user: User): Promise<Reply> {
  const input = grantInput(visit);
  const grant = grantOf(input);
  if (grant === null) return invalidForm();
  const { scope, member } = visit;
  const result = await changeUser(scope, actorOf(visit), member.practiceId, user.id, grant);
  if (result.kind === 'done') return { kind: 'redirect', to: afterChange(visit, user, 'changed') };
  return { ...(await onePage(visit, user, input, TEXTS[visit.language].people.refusals[result.reason])), status: 422 };
}

async function remove(visit: MemberVisit, user: User): Promise<Reply> {
  const { scope, member } = visit;
  const back = practicePath(member, `/people/${user.id}`);
  if (!isConfirmed(visit)) return { kind: 'redirect', to: `${back}?refused=not_confirmed` };
  const result = await removeUser(scope, actorOf(visit), member.practiceId, user.id);
  if (result.kind === 'done') return { kind: 'redirect', to: afterChange(visit, user, 'removed') };
  return { kind: 'redirect', to: `${back}?refused=${result.reason}` };
}

async function removePasskey(visit: MemberVisit, user: User): Promise<Reply> {
  const { scope, member, params } = visit;
  const passkey = (await listPasskeys(scope, user.personId)).find(({ id }) => id === params.passkeyId);
  if (passkey === undefined) return notFound();
  const back = practicePath(member, `/people/${user.id}`);
  if (!isConfirmed(visit)) return { kind: 'redirect', to: `${back}?refused=not_confirmed` };
  const result = await removePasskeyOf(scope, actorOf(visit), member.practiceId, user.id, passkey.id);
  if (result.kind === 'refused') return { kind: 'redirect', to: `${back}?refused=${result.reason}` };
  return { kind: 'redirect', to: `${back}?done=passkey_removed` };
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
  const { people: t } = TEXTS[visit.language];
  const path = practicePath(visit.member, `/people/${user.id}`);
  const passkeys = passkeyViews(await listPasskeys(visit.scope, user.personId), visit.language);
  const locations = await visibleLocations(visit);
  const blocks = [
    ui.form({ action: path, blocks: grantFields(visit, input, locations), button: t.change.button }),
    ui.heading(t.passkeys.title),
    ui.text(passkeys.length === 0 ? t.passkeys.none : t.passkeys.text),
    passkeys.length === 0 ? null : passkeyCards(passkeys, `${path}/passkeys/`),
    ui.act(
      `${path}/remove`,
      { ...t.remove, text: undefined },
      { blocks: [ui.text(ui.own(t.remove.text(user.email)))] },
    ),
  ];
  return ui.page(t.change.title(user.email), blocks, { status: 200, error, done: doneText(visit, t.done) });
}

/** Returns the fields for role and locations. Roles above the own one are not offered. */
function grantFields(visit: MemberVisit, input: GrantInput, locations: readonly Location[]): ui.Block[] {
  const { people: t, roles } = TEXTS[visit.language];
  const offered = ROLES.filter((role) => outranks(visit.member.role, role));
  const places = locations.map(({ id, name, city }) =>
    ui.check(`location.${id}`, ui.own(`${name}, ${city}`), input.locationIds.includes(id), { id, isIndented: true }),
  );
  return [
    ui.select(
      'role',
      t.role,
      input.role,
      offered.map((role) => [role, roles[role].name]),
    ),
    ui.details(
      t.rolesHelp,
      false,
      [
        ui.facts(
          offered.map((role) => [roles[role].name, roles[role].help]),
          null,
        ),
      ],
      'hint',
    ),
    ui.fieldset(t.locations, [
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
function afterChange({ member, session }: MemberVisit, user: User, done: string): string {
  return user.personId === session.personId ? '/console' : practicePath(member, `/people?done=${done}`);
}
