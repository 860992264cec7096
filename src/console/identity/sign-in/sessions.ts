import { createHmac, timingSafeEqual } from 'node:crypto';
import { fresh, type Scope } from '../../../platform/base/scope.ts';
import { sql } from '../../../platform/database/query/sql.ts';
import { inTransaction } from '../../../platform/database/query/transaction.ts';
import { type Act, type Actor, audit } from '../../../practices/audit/audit.ts';
import type { Grant } from '../../model/roles.ts';
import { endAllSessions, lockPerson } from './access.ts';
import { rememberDevice } from './limits.ts';
import { consumeToken, findTokenPerson, hashToken, randomToken } from './tokens.ts';

/** Automatic logoff. */
export const IDLE_MS = 15 * 60_000;
const LIFETIME_MS = 12 * 60 * 60_000;

/** Age of a sign-in up to which sensitive actions need no new one. */
const FRESH_MS = 15 * 60_000;

export interface SessionMembership extends Grant {
  membershipId: string;
  practiceId: string;
  practiceName: string;
}

export type PersonActor = Extract<Actor, { kind: 'person' }>;

/** The session of a request. Memberships are read at each request, so removals and changed roles apply at once. */
export interface Session {
  /** Hash of the cookie, by which the session is stored. */
  hash: Buffer;
  personId: string;
  email: string;
  name: string | null;
  signedInAt: Date;
  /** Token that forms of this session carry. */
  csrfToken: string;
  /** At least one. */
  memberships: readonly SessionMembership[];
  /** Practices for which the session was used before. */
  practiceIds: readonly string[];
}

const TOUCH_SESSION = `with session as (
    update console_sessions set last_used_at = greatest(last_used_at, $4)
    where hash = $1 and last_used_at > $2 and created_at > $3 returning person_id, created_at, practice_ids
  ) select s.person_id as "personId", s.created_at as "createdAt", s.practice_ids as "practiceIds", p.email, p.name,
    m.id as "membershipId", m.practice_id as "practiceId", pr.name as "practiceName", m.role,
    case when m.all_locations then null else array(
      select l.location_id from membership_locations l where l.membership_id = m.id order by 1) end as "locationIds"
  from session s join people p on p.id = s.person_id
    join memberships m on m.person_id = s.person_id and m.locked_at is null join practices pr on pr.id = m.practice_id
  order by pr.name, m.id`;

/** Sets the last use of a session, and returns it. Returns null if it has ended, or no practice admits the person. */
export async function touchSession({ em, clock }: Scope, cookie: string): Promise<Session | null> {
  const now = clock.now();
  const hash = hashToken(cookie);
  type Row = SessionMembership & Pick<Session, 'personId' | 'email' | 'name' | 'practiceIds'> & { createdAt: string };
  const memberships = await sql<Row>(em, TOUCH_SESSION, [hash, ...earliestTimes(now), now]);
  const [first] = memberships;
  if (first === undefined) return null;
  const { personId, email, name, practiceIds, createdAt } = first;
  const csrfToken = makeCsrfToken(cookie);
  return { hash, personId, email, name, signedInAt: new Date(createdAt), csrfToken, memberships, practiceIds };
}

/** Returns since when a session must have been used, and since when it must have begun, to go on. */
function earliestTimes(now: Date): Date[] {
  return [IDLE_MS, LIFETIME_MS].map((ms) => new Date(now.getTime() - ms));
}

function makeCsrfToken(cookie: string): string {
  return createHmac('sha256', cookie).update('console form').digest('base64url');
}

/** Returns true if a form has the token of the session with this cookie. The comparison takes the same time for any text. */
export function hasToken(cookie: string | null, sent: string | undefined): boolean {
  return cookie !== null && sent !== undefined && timingSafeEqual(hashToken(sent), hashToken(makeCsrfToken(cookie)));
}

/** Returns the person of a session that has ended by itself, within a day; null if nothing is known of it. */
export async function findFormerPerson({ em }: Scope, cookie: string): Promise<string | null> {
  const text = 'select person_id from console_sessions where hash = $1';
  const [row] = await sql<{ person_id: string }>(em, text, [hashToken(cookie)]);
  return row?.person_id ?? null;
}

/** Returns the seconds until a session ends by itself; 0 if it has ended. */
export async function secondsLeft({ em, clock }: Scope, cookie: string): Promise<number> {
  const text = 'select last_used_at as "lastUsedAt", created_at as "createdAt" from console_sessions where hash = $1';
  const [row] = await sql<Record<'lastUsedAt' | 'createdAt', string>>(em, text, [hashToken(cookie)]);
  if (row === undefined) return 0;
  const endMs = Math.min(Date.parse(row.lastUsedAt) + IDLE_MS, Date.parse(row.createdAt) + LIFETIME_MS);
  return Math.max(0, Math.ceil((endMs - clock.now().getTime()) / 1_000));
}

/** Returns true if the person has proved who they are recently enough for a sensitive action. */
export function isSignInFresh({ clock }: Scope, session: Session): boolean {
  return clock.now().getTime() - session.signedInAt.getTime() < FRESH_MS;
}

/** The browser in which a person signs in, with the cookies that it has, valid or not. */
export interface SigningBrowser {
  cookie: string | null;
  device: string | null;
  /** Browser and system in words; null if the browser names neither. */
  deviceName: string | null;
  /** The client's whole address, for the audit log; null if the socket is closed. */
  address: string | null;
}

/** Cookies of a browser in which a person has just signed in: of the session, and of the device, which stays known after it. */
export type NewCookies = Record<'cookie' | 'device', string>;

/** Signs a person in by the token of a mail, which it uses up; null if the token does not work. */
export function signIn(scope: Scope, token: string, browser: SigningBrowser): Promise<NewCookies | null> {
  return inTransaction(scope, async (scope) => {
    const person = await findTokenPerson(scope, token);
    if (person === null || !(await lockPerson(scope, person.personId))) return null;
    const personId = await consumeToken(scope, token);
    return personId === null ? null : openSession(scope, personId, browser, 'mail');
  });
}

type SignInMethod = 'mail' | 'passkey';

/** Starts the session of a locked person, in the caller's transaction. The browser's former one ends, because it may be planted. */
export async function openSession(
  scope: Scope,
  personId: string,
  browser: Omit<SigningBrowser, 'address'>,
  method: SignInMethod,
): Promise<NewCookies> {
  const { em, clock } = scope;
  const cookie = randomToken();
  if (browser.cookie !== null)
    await sql(em, 'delete from console_sessions where hash = $1', [hashToken(browser.cookie)]);
  const text = `insert into console_sessions (hash, person_id, last_used_at, created_at, method, device_name)
     values ($1, $2, $3, $3, $4, $5)`;
  await sql(em, text, [hashToken(cookie), personId, clock.now(), method, browser.deviceName]);
  return { cookie, device: await rememberDevice(scope, personId, browser.device) };
}

export interface OwnSession {
  /** The hash of its cookie, in hexadecimal digits. It signs nobody in. */
  id: string;
  deviceName: string | null;
  method: SignInMethod;
  signedInAt: string;
  lastUsedAt: string;
}

export function listSessions({ em, clock }: Scope, personId: string): Promise<OwnSession[]> {
  const text = `select encode(hash, 'hex') as id, device_name as "deviceName", method, created_at as "signedInAt",
       last_used_at as "lastUsedAt" from console_sessions
     where person_id = $1 and last_used_at > $2 and created_at > $3 order by last_used_at desc, created_at desc`;
  return sql<OwnSession>(em, text, [personId, ...earliestTimes(clock.now())]);
}

/** Records a sign-in in a practice when its session is first used there. A practice learns nothing of sign-ins for others. */
export async function recordUse(scope: Scope, session: Session, actor: PersonActor, practiceId: string): Promise<void> {
  if (session.practiceIds.includes(practiceId)) return;
  await inTransaction(fresh(scope), async (scope) => {
    // Before the session, as removals lock both in this order.
    const memberText =
      'update memberships set last_sign_in_at = greatest(last_sign_in_at, $1) where practice_id = $2 and person_id = $3';
    await sql(scope.em, memberText, [session.signedInAt, practiceId, session.personId]);
    const text = `update console_sessions set practice_ids = array_append(practice_ids, $2)
       where hash = $1 and not $2 = any (practice_ids) returning method`;
    const [first] = await sql<{ method: SignInMethod }>(scope.em, text, [session.hash, practiceId]);
    if (first === undefined) return;
    const target = { kind: 'person', id: actor.id };
    audit(scope, actor, { practiceId, action: 'session.started', target, after: { method: first.method } });
  });
}

/** Ends a session of a person, at that person's request. Returns false if the person has none with this hash. */
export function signOut(scope: Scope, hash: Buffer, actor: PersonActor): Promise<boolean> {
  return inTransaction(scope, async (scope) => {
    const text =
      'delete from console_sessions where hash = $1 and person_id = $2 returning practice_ids as "practiceIds"';
    const [session] = await sql<Pick<Session, 'practiceIds'>>(scope.em, text, [hash, actor.id]);
    if (session === undefined) return false;
    await auditForPractices(scope, actor, 'session.ended', {}, session.practiceIds);
    return true;
  });
}

/** Ends all sessions of a person, makes their unused sign-in links worthless, and forgets their devices. */
export function signOutEverywhere(scope: Scope, actor: PersonActor): Promise<void> {
  return inTransaction(scope, async (scope) => {
    await lockPerson(scope, actor.id);
    const practiceIds = await endAllSessions(scope, actor.id);
    await auditForPractices(scope, actor, 'session.ended_everywhere', {}, practiceIds);
  });
}

/**
 * Records an act of a person on their own account in the practices of the person. A practice in which the person is locked does not learn
 * the network address.
 *
 * @param used practices that the act concerns, as far as the person may still use them; without it, all
 */
export async function auditForPractices(
  scope: Scope,
  actor: PersonActor,
  action: string,
  states: Pick<Act, 'before' | 'after'> = {},
  used?: readonly string[],
): Promise<void> {
  const text =
    'select practice_id as "practiceId", locked_at is not null as "isLocked" from memberships where person_id = $1';
  const practices = await sql<{ practiceId: string; isLocked: boolean }>(scope.em, text, [actor.id]);
  const target = { kind: 'person', id: actor.id };
  for (const { practiceId, isLocked } of practices) {
    if (used !== undefined && (isLocked || !used.includes(practiceId))) continue;
    audit(scope, { ...actor, address: isLocked ? null : actor.address }, { practiceId, action, target, ...states });
  }
}
