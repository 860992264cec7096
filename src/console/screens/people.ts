import type { PeopleRefusal } from '../model/refusals.ts';
import { mayDo, outranks, ROLES, roleNamed } from '../model/roles.ts';
import { inviteUser, isOpen, listInvitations } from '../people/invitations.ts';
import { changeUser, type Grant, listUsers, removePasskeyOf, removeUser, type User } from '../people/users.ts';
import { type MemberVisit, practicePath, type Reply, type Route } from '../routing/route.ts';
import { actorOf, doneText, invalidForm, isConfirmed, notFound, visibleLocations } from '../routing/visit.ts';
import { countPasskeys, listPasskeys } from '../sign-in/passkeys.ts';
import { TEXTS } from '../texts/texts.ts';
import { dayText } from './formats.ts';
import { ACTS_ON_INVITATIONS } from './invitations.ts';
import { passkeyViews } from './passkeys.ts';

const LIST = '/console/:practiceId/people';
const ONE = `${LIST}/:membershipId`;

/** Pages on the people of a practice. */
export const PEOPLE_ROUTES: readonly Route[] = [
  { name: 'people.list', method: 'GET', path: LIST, access: 'people.view', handle: (visit) => showList(visit) },
  { name: 'people.invite', method: 'POST', path: LIST, access: 'people.manage', handle: invite },
  { name: 'people.one', method: 'GET', path: ONE, access: 'people.manage', handle: showOne },
  { name: 'people.change', method: 'POST', path: ONE, access: 'people.manage', handle: change },
  { name: 'people.remove', method: 'POST', path: `${ONE}/remove`, access: 'people.manage', handle: remove },
  {
    name: 'people.passkey_remove',
    method: 'POST',
    path: `${ONE}/passkeys/:passkeyId/remove`,
    access: 'people.manage',
    handle: removePasskey,
  },
  ...ACTS_ON_INVITATIONS,
];

/** Values of the form for role and locations, as the person typed them. */
interface GrantInput {
  role: string;
  isLimited: boolean;
  locationIds: readonly string[];
}

async function showList(visit: MemberVisit, refused?: { input: GrantInput & { email: string }; error: string }) {
  const { scope, member, language } = visit;
  const { people } = TEXTS[language];
  const users = await listUsers(scope, member.practiceId);
  const passkeys = await countPasskeys(scope, member.practiceId);
  const invitations = await listInvitations(scope, member.practiceId);
  const reason = visit.query.get('refused');
  const view = {
    users: users.map((user) => ({
      ...user,
      passkeys: passkeys.get(user.personId) ?? 0,
      since: dayText(user.createdAt, language),
      isSelf: user.personId === visit.session.personId,
      canChange: mayDo(member, 'people.manage') && outranks(member.role, user.role),
    })),
    invitations: invitations.map((invitation) => ({
      ...invitation,
      until: isOpen(scope, invitation) ? dayText(invitation.expiresAt, language) : people.invitations.expired,
      canChange: mayDo(member, 'people.manage') && outranks(member.role, invitation.role),
    })),
    canManage: mayDo(member, 'people.manage'),
    form: await grantForm(visit, refused?.input ?? { role: 'front_desk', isLimited: false, locationIds: [] }),
    email: refused?.input.email ?? '',
    error: refused?.error ?? (reason === undefined ? undefined : refusalNamed(visit, reason)),
    done: doneText(visit, people.done),
  };
  const status = refused === undefined ? 200 : 422;
  return { kind: 'page' as const, status, template: 'people', title: people.title, view };
}

async function invite(visit: MemberVisit): Promise<Reply> {
  const { scope, member, fields } = visit;
  const email = fields.get('email') ?? '';
  const input = grantInput(visit);
  const grant = grantOf(input);
  if (grant === null) return invalidForm();
  const result = await inviteUser(scope, actorOf(visit), member.practiceId, { email, ...grant });
  if (result.kind === 'done') return { kind: 'redirect', to: practicePath(member, '/people?done=invited') };
  return showList(visit, { input: { ...input, email }, error: refusalText(visit, result.reason) });
}

async function showOne(visit: MemberVisit): Promise<Reply> {
  const user = await findTarget(visit);
  if ('kind' in user) return user;
  const reason = visit.query.get('refused');
  return onePage(visit, user, inputOf(user), reason === undefined ? undefined : refusalNamed(visit, reason));
}

/** Returns the text of a refusal that an address names. */
function refusalNamed({ language }: MemberVisit, name: string): string | undefined {
  const { refusals, notConfirmed } = TEXTS[language].people;
  const texts: Readonly<Record<string, string>> = { ...refusals, not_confirmed: notConfirmed };
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

async function change(visit: MemberVisit): Promise<Reply> {
  const user = await findTarget(visit);
  if ('kind' in user) return user;
  const input = grantInput(visit);
  const grant = grantOf(input);
  if (grant === null) return invalidForm();
  const { scope, member } = visit;
  const result = await changeUser(scope, actorOf(visit), member.practiceId, user.id, grant);
  if (result.kind === 'done') return { kind: 'redirect', to: afterChange(visit, user, 'changed') };
  return { ...(await onePage(visit, user, input, refusalText(visit, result.reason))), status: 422 };
}

async function remove(visit: MemberVisit): Promise<Reply> {
  const user = await findTarget(visit);
  if ('kind' in user) return user;
  const { scope, member } = visit;
  const back = practicePath(member, `/people/${user.id}`);
  if (!isConfirmed(visit)) return { kind: 'redirect', to: `${back}?refused=not_confirmed` };
  const result = await removeUser(scope, actorOf(visit), member.practiceId, user.id);
  if (result.kind === 'done') return { kind: 'redirect', to: afterChange(visit, user, 'removed') };
  return { kind: 'redirect', to: `${back}?refused=${result.reason}` };
}

async function removePasskey(visit: MemberVisit): Promise<Reply> {
  const user = await findTarget(visit);
  if ('kind' in user) return user;
  const { scope, member, params } = visit;
  const passkey = (await listPasskeys(scope, user.personId)).find(({ id }) => id === params.passkeyId);
  if (passkey === undefined) return notFound();
  const back = practicePath(member, `/people/${user.id}`);
  if (!isConfirmed(visit)) return { kind: 'redirect', to: `${back}?refused=not_confirmed` };
  const result = await removePasskeyOf(scope, actorOf(visit), member.practiceId, user.id, passkey.id);
  if (result.kind === 'refused') return { kind: 'redirect', to: `${back}?refused=${result.reason}` };
  return { kind: 'redirect', to: `${back}?done=passkey_removed` };
}

/** Returns the person of the path; or the problem, also for people of other practices and of a higher rank. */
async function findTarget({ scope, member, params }: MemberVisit): Promise<User | Reply> {
  const users = await listUsers(scope, member.practiceId);
  const user = users.find(({ id }) => id === params.membershipId);
  if (user === undefined) return notFound();
  return outranks(member.role, user.role) ? user : { kind: 'problem', problem: 'forbidden', status: 403 };
}

async function onePage(visit: MemberVisit, user: User, input: GrantInput, error: string | undefined) {
  const title = TEXTS[visit.language].people.change.title(user.email);
  const view = {
    user,
    passkeys: passkeyViews(await listPasskeys(visit.scope, user.personId), visit.language),
    form: await grantForm(visit, input),
    error,
    done: doneText(visit, TEXTS[visit.language].people.done),
  };
  return { kind: 'page' as const, template: 'person', title, view };
}

/** Values of the template `parts/grant`. Roles above the own one are not offered. */
async function grantForm(visit: MemberVisit, input: GrantInput) {
  const locations = await visibleLocations(visit);
  return {
    roles: ROLES.filter((role) => outranks(visit.member.role, role)),
    role: input.role,
    isLimited: input.isLimited,
    locations: locations.map(({ id, name, city }) => ({
      id,
      name,
      city,
      isChosen: input.locationIds.includes(id),
    })),
  };
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

function refusalText({ language }: MemberVisit, reason: PeopleRefusal): string {
  return TEXTS[language].people.refusals[reason];
}
