import { createHmac } from 'node:crypto';
import { type Act, type Actor, recordAct } from '../../audit/record.ts';
import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import type { Role } from '../model/roles.ts';
import { forgetDevices, rememberDevice } from './devices.ts';
import { consumeToken, hashOf, randomToken } from './tokens.ts';

/** A session ends after this time without a request (automatic logoff). */
export const IDLE_MS = 15 * 60_000;

/** A session ends this long after its sign-in, however busy it is. */
const LIFETIME_MS = 12 * 60 * 60_000;

/** Age of a sign-in up to which sensitive actions need no new one. */
const FRESH_MS = 15 * 60_000;

/** A membership of the signed-in person, with the name of its practice. */
export interface SessionMembership {
  membershipId: string;
  practiceId: string;
  practiceName: string;
  role: Role;
  /** Null: all locations of the practice. */
  locationIds: readonly string[] | null;
}

/** A person, as the audit log names the one who acts. */
export type PersonActor = Extract<Actor, { kind: 'person' }>;

/** The session of a request. Memberships are read at each request, so removals and changed roles apply at once. */
export interface Session {
  personId: string;
  email: string;
  signedInAt: Date;
  /** Token that forms of this session carry. It depends on the cookie and does not reveal it. */
  csrfToken: string;
  /** At least one. */
  memberships: readonly SessionMembership[];
}

interface SessionRow {
  person_id: string;
  email: string;
  created_at: string;
  membership_id: string;
  practice_id: string;
  practice_name: string;
  role: Role;
  location_ids: string[] | null;
}

/** Reads the person and the memberships of `session`; `READ` and `TOUCH` below define it. */
const MEMBERSHIPS = `
  select s.person_id, s.created_at, p.email, m.id as membership_id, m.practice_id, pr.name as practice_name, m.role,
    case when m.all_locations then null else array(
      select l.location_id from membership_locations l where l.membership_id = m.id order by 1) end as location_ids
  from session s join people p on p.id = s.person_id join memberships m on m.person_id = s.person_id
    join practices pr on pr.id = m.practice_id
  order by pr.name, m.id`;

const READ = `with session as (
    select person_id, created_at from console_sessions where hash = $1 and last_used_at > $2 and created_at > $3
  ) ${MEMBERSHIPS}`;

const TOUCH = `with session as (
    update console_sessions set last_used_at = greatest(last_used_at, $4)
    where hash = $1 and last_used_at > $2 and created_at > $3 returning person_id, created_at
  ) ${MEMBERSHIPS}`;

/**
 * Returns the session of a cookie; null if it has ended, or if the person has no membership any more.
 *
 * @param use `touch` counts the request as use of the session, `read` does not
 */
export async function findSession(scope: Scope, cookie: string, use: 'touch' | 'read'): Promise<Session | null> {
  const now = scope.clock.now();
  const limits = [IDLE_MS, LIFETIME_MS].map((ms) => new Date(now.getTime() - ms));
  const values = [hashOf(cookie), ...limits, ...(use === 'touch' ? [now] : [])];
  const rows = await sql<SessionRow>(scope.em, use === 'touch' ? TOUCH : READ, values);
  const [first] = rows;
  if (first === undefined) return null;
  return {
    personId: first.person_id,
    email: first.email,
    signedInAt: new Date(first.created_at),
    csrfToken: createHmac('sha256', cookie).update('console form').digest('base64url'),
    memberships: rows.map((row) => ({
      membershipId: row.membership_id,
      practiceId: row.practice_id,
      practiceName: row.practice_name,
      role: row.role,
      locationIds: row.location_ids,
    })),
  };
}

/** Returns true if the person has proved who they are recently enough for a sensitive action. */
export function isFresh({ clock }: Scope, session: Session): boolean {
  return clock.now().getTime() - session.signedInAt.getTime() < FRESH_MS;
}

/** The browser that signs in. */
export interface SigningBrowser {
  /** Session cookie that the browser has, valid or not. */
  formerCookie: string | null;
  /** Device cookie that the browser has, valid or not. */
  formerDevice: string | null;
  address: string | null;
}

/** Cookies of a browser in which a person has just signed in. */
export interface NewCookies {
  /** Of the session. */
  cookie: string;
  /** Of the device, which stays known after the session. */
  device: string;
}

/**
 * Signs a person in by the token of a mail, which it uses up.
 *
 * @returns the new cookies, and the page to which the sign-in leads back; null if the token does not work
 */
export function signIn(
  scope: Scope,
  token: string,
  browser: SigningBrowser,
): Promise<(NewCookies & { returnPath: string | null }) | null> {
  return inTransaction(scope, async (scope) => {
    const used = await consumeToken(scope, token);
    if (used === null) return null;
    return { ...(await openSession(scope, used.personId, browser, 'mail')), returnPath: used.returnPath };
  });
}

/**
 * Starts the session of a person who has just signed in, in the caller's transaction, and returns the cookies. The browser's
 * former session ends, so that a planted cookie is worth nothing afterwards.
 */
export async function openSession(
  scope: Scope,
  personId: string,
  { formerCookie, formerDevice, address }: SigningBrowser,
  method: 'mail' | 'passkey',
): Promise<NewCookies> {
  if (formerCookie !== null) await deleteSession(scope, formerCookie);
  const cookie = await startSession(scope, personId);
  const device = await rememberDevice(scope, personId, formerDevice);
  await recordForAllPractices(scope, { kind: 'person', id: personId, address }, 'session.started', {
    after: { method },
  });
  return { cookie, device };
}

/** Starts a session of the person and returns its cookie. */
export async function startSession({ em, clock }: Scope, personId: string): Promise<string> {
  const cookie = randomToken();
  await sql(em, `insert into console_sessions (hash, person_id, last_used_at, created_at) values ($1, $2, $3, $3)`, [
    hashOf(cookie),
    personId,
    clock.now(),
  ]);
  return cookie;
}

/** Ends the session of a cookie, at the wish of its person. */
export function signOut(scope: Scope, cookie: string, actor: PersonActor): Promise<void> {
  return inTransaction(scope, async (scope) => {
    await deleteSession(scope, cookie);
    await recordForAllPractices(scope, actor, 'session.ended');
  });
}

async function deleteSession({ em }: Scope, cookie: string): Promise<void> {
  await sql(em, `delete from console_sessions where hash = $1`, [hashOf(cookie)]);
}

/** Ends all sessions of a person, makes their unused sign-in links worthless, and forgets their devices. */
export function signOutEverywhere(scope: Scope, actor: PersonActor): Promise<void> {
  return inTransaction(scope, async (scope) => {
    await endAllSessions(scope, actor.id);
    await recordForAllPractices(scope, actor, 'session.ended_everywhere');
  });
}

/** Ends all sessions, sign-in links and known devices of a person, in the caller's transaction. */
export async function endAllSessions(scope: Scope, personId: string): Promise<void> {
  const { em } = scope;
  // In the order of a sign-in, which locks its token first: so both cannot deadlock.
  await sql(em, `delete from sign_in_tokens where person_id = $1 and used_at is null`, [personId]);
  await sql(em, `delete from console_sessions where person_id = $1`, [personId]);
  await forgetDevices(scope, personId);
}

/** Records an act on a session or a passkey in every practice of the person, because these are of none. */
export async function recordForAllPractices(
  scope: Scope,
  actor: PersonActor,
  action: string,
  states: Pick<Act, 'before' | 'after'> = {},
): Promise<void> {
  const practices = await sql<{ practiceId: string }>(
    scope.em,
    'select practice_id as "practiceId" from memberships where person_id = $1',
    [actor.id],
  );
  for (const { practiceId } of practices) {
    recordAct(scope, actor, { practiceId, action, target: { kind: 'person', id: actor.id }, ...states });
  }
}
