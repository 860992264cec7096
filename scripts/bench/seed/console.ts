import type pg from 'pg';
import { firstIdAt, newId } from '../../../src/base/ids.ts';
import { hashOf, randomToken } from '../../../src/console/sign-in/tokens.ts';
import type { SeededPractice } from './seed.ts';

/* People and logs of practices, for the pages of the console. */

/** An owner of a practice who is signed in. */
export interface SeededOwner {
  practiceId: string;
  email: string;
  /** Header of requests. */
  cookie: string;
}

/** Characters of an id behind its time. */
const RANDOM_CHARACTERS = 16;

/** Adds an owner with a session that begins now. */
export async function seedOwner(admin: pg.Pool, practice: SeededPractice): Promise<SeededOwner> {
  const now = new Date();
  const [person, token] = [newId('person', now), randomToken()];
  const email = `owner-${person}@practice.example`.toLowerCase();
  await admin.query('insert into people (id, email, created_at) values ($1, $2, $3)', [person, email, now]);
  await admin.query(
    `insert into memberships (id, practice_id, person_id, role, all_locations, created_at)
     values ($1, $2, $3, 'owner', true, $4)`,
    [newId('membership', now), practice.id, person, now],
  );
  await admin.query(
    'insert into console_sessions (hash, person_id, last_used_at, created_at) values ($1, $2, $3, $3)',
    [hashOf(token), person, now],
  );
  return { practiceId: practice.id, email, cookie: `paylinks_console=${token}` };
}

/** Makes an audit log and a log of API requests. One entry in ten is the act of the owner; one request in ten failed. */
export async function seedLogs(admin: pg.Pool, { practiceId, email }: SeededOwner, count: number): Promise<void> {
  const hourAgo = new Date(Date.now() - 3_600_000);
  const prefix = (kind: 'auditEntry' | 'apiRequest') => firstIdAt(kind, hourAgo).slice(0, -RANDOM_CHARACTERS);
  // Both practices have rows of the same time.
  const salt = practiceId.slice(-8);
  const numbered = `lpad(to_hex(n), 8, '0') || $3`;
  await admin.query(
    `insert into audit_log (id, practice_id, actor_kind, actor_id, action, target_kind, target_id, address, after, created_at)
     select $4 || ${numbered}, $1, case when n % 10 = 0 then 'person' else 'api_key' end,
       case when n % 10 = 0 then p.id else k.id end, case when n % 10 = 0 then 'payments.exported' else 'link.created' end,
       case when n % 10 = 0 then 'practice' else 'payment_link' end,
       case when n % 10 = 0 then $1 else 'plink_' || lpad(to_hex(n), 26, '0') end, '192.0.2.1',
       json_build_object('mode', 'live'), $5::timestamptz
     from people p, api_keys k, generate_series(1, $6::integer) as n where p.email = $2 and k.practice_id = $1`,
    [practiceId, email, salt, prefix('auditEntry'), hourAgo, count],
  );
  await admin.query(
    `insert into api_requests (id, practice_id, test, api_key_id, request_id, operation, status, error_code, duration_ms,
       created_at)
     select $3 || ${numbered.replace('$3', '$2')}, $1, false, k.id, 'request-' || n,
       case when n % 2 = 0 then 'createPaymentLink' else 'getPaymentLink' end, case when n % 10 = 0 then 404 else 200 end,
       case when n % 10 = 0 then 'not_found' end, 3, $4::timestamptz
     from api_keys k, generate_series(1, $5::integer) as n where k.practice_id = $1`,
    [practiceId, salt, prefix('apiRequest'), hourAgo, count],
  );
  await admin.query('vacuum analyze audit_log, api_requests');
}
