import { ApiError } from '../base/errors.ts';
import type { CallerScope, Scope } from '../base/scope.ts';
import { inTransaction } from '../base/scope.ts';
import { sql } from '../base/sql.ts';
import type { PaymentLink as PaymentLinkResource } from '../contract/operations-type.ts';
import { getPractice } from '../practices/service.ts';
import { REMEMBERED_MS } from './idempotency.ts';
import { checkExpiry, type LinkInput } from './input.ts';
import { chooseLocation, type Ground, groundSql, insertableRow, newLink } from './new-link.ts';
import type { LinkSource } from './payment-link.entity.ts';
import { linkView } from './views.ts';

/** A request to create, with the key that makes it happen once. */
export interface CreateRequest {
  input: LinkInput;
  idempotencyKey: string;
  bodyHash: Buffer;
}

/** The created link, or the bytes of the reply that an earlier identical request got. */
export type Created = { link: PaymentLinkResource; replayed?: undefined } | { replayed: string };

/** Section 8 of the interface: links created per key and UTC day. */
const DAILY_CAP = 5000;

/** Rolls the transaction back and looks again: an identical request was committed since our snapshot. */
class LookAgain extends Error {}

/**
 * Creates a link once per idempotency key. Everything happens in one transaction of two statements: look (advisory
 * lock, stored reply, practice, locations, patient) and write (daily cap, link, stored reply). The lock is tried, not
 * waited for, and goes with the transaction, so that a crash leaves nothing behind.
 *
 * @throws ApiError `idempotency_key_in_flight`, `idempotency_key_reused`, `not_found` and `validation_error` for the
 *   location, `payments_not_enabled`, `no_active_location`, `daily_limit_reached`; nothing is stored then
 */
export async function createLink(scope: CallerScope, request: CreateRequest): Promise<Created> {
  for (;;) {
    try {
      return await inTransaction(scope, (scope) => createOnce(scope, request));
    } catch (error) {
      if (!(error instanceof LookAgain)) throw error;
    }
  }
}

/** Creates a link for the office or the practice's website; live or test, with the rules that hold for a key. */
export async function createLinkFor(
  scope: Scope,
  practice: { id: string; test: boolean },
  source: Exclude<LinkSource, 'api'>,
  input: LinkInput,
): Promise<PaymentLinkResource> {
  await getPractice(scope, practice.id);
  return inTransaction(scope, async (scope) => {
    const [row] = await sql<{ ground: Ground }>(scope.em, `select ${groundSql('$1', '$2', '$3')} as ground`, [
      practice.id,
      ...matchable(input, practice.test),
    ]);
    if (row === undefined) throw new Error('a select without FROM returns a row');
    const { link, location } = prepare(scope, { ...practice, pin: null }, row.ground, source, input);
    await sql(scope.em, 'insert into payment_links select * from json_populate_record(null::payment_links, $1)', [
      insertableRow(link),
    ]);
    return linkView(scope, link, { location, transaction: null, refunds: [] });
  });
}

async function createOnce(scope: CallerScope, request: CreateRequest): Promise<Created> {
  const { apiKeyId, practiceId, test, locationId } = scope.caller;
  const rememberedSince = new Date(scope.clock.now().getTime() - REMEMBERED_MS);
  const [row] = await sql<{ locked: boolean; stored: { hash: string; reply: string } | null; ground: Ground }>(
    scope.em,
    `select pg_try_advisory_xact_lock(hashtextextended($1 || ':' || $2, 0)) as locked,
       (select json_build_object('hash', encode(body_hash, 'hex'), 'reply', reply) from idempotent_replies
        where api_key_id = $1 and idempotency_key = $2 and created_at > $3) as stored,
       ${groundSql('$4', '$5', '$6')} as ground`,
    [apiKeyId, request.idempotencyKey, rememberedSince, practiceId, ...matchable(request.input, test)],
  );
  if (row === undefined) throw new Error('a select without FROM returns a row');
  // What is stored is final, also while another repetition of the request holds the lock for a moment.
  if (row.stored !== null) {
    if (row.stored.hash === request.bodyHash.toString('hex')) return { replayed: row.stored.reply };
    throw new ApiError('idempotency_key_reused', { param: 'Idempotency-Key' });
  }
  if (!row.locked) throw new ApiError('idempotency_key_in_flight', { param: 'Idempotency-Key' });
  const owner = { id: practiceId, test, pin: locationId };
  const { link, location } = prepare(scope, owner, row.ground, 'api', request.input);
  const resource = linkView(scope, link, { location, transaction: null, refunds: [] });
  await write(scope, request, insertableRow(link), resource, rememberedSince);
  return { link: resource };
}

/**
 * The last of what is the caller's to put right, then existence before state, and within state onboarding before
 * locations (decision on the order of checks).
 */
function prepare(
  scope: Scope,
  owner: { id: string; test: boolean; pin: string | null },
  ground: Ground,
  source: LinkSource,
  input: LinkInput,
) {
  const now = scope.clock.now();
  if (input.expiresAt !== null) checkExpiry(input.expiresAt, now, now);
  const location = chooseLocation(ground, input.locationId, owner.pin);
  if (!owner.test && !ground.paymentsEnabled) throw new ApiError('payments_not_enabled');
  if (location === null) throw new ApiError('no_active_location');
  const link = newLink(scope, { practiceId: owner.id, test: owner.test, locationId: location.id, source }, input);
  link.patientId = ground.patientId;
  return { link, location };
}

/** What a patient may be matched by; test links match nobody. */
function matchable(input: LinkInput, test: boolean): [string | null, string | null] {
  return test ? [null, null] : [input.patient.externalId, input.patient.phone];
}

/** Cap, link and stored reply in one statement: the link is inserted only below the cap, the reply only with it. */
async function write(
  scope: CallerScope,
  request: CreateRequest,
  row: string,
  resource: PaymentLinkResource,
  rememberedSince: Date,
): Promise<void> {
  const now = scope.clock.now();
  const [done] = await sql<{ below_cap: boolean; stored: boolean }>(
    scope.em,
    `with cap as (
       insert into daily_link_counts as c (api_key_id, day, created_count) values ($1, $2::date, 1)
       on conflict (api_key_id, day) do update set created_count = c.created_count + 1 where c.created_count < $3
       returning 1
     ), link as (
       insert into payment_links select r.* from cap, json_populate_record(null::payment_links, $4) as r returning 1
     ), reply as (
       insert into idempotent_replies as r (api_key_id, idempotency_key, body_hash, reply, created_at)
       select $1, $5, $6, $7, $8::timestamptz from link
       on conflict (api_key_id, idempotency_key) do update
         set body_hash = excluded.body_hash, reply = excluded.reply, created_at = excluded.created_at
         where r.created_at <= $9
       returning 1
     )
     select exists (select from cap) as below_cap, exists (select from reply) as stored`,
    [
      scope.caller.apiKeyId,
      now.toISOString().slice(0, 10),
      DAILY_CAP,
      row,
      request.idempotencyKey,
      request.bodyHash,
      JSON.stringify(resource),
      now,
      rememberedSince,
    ],
  );
  if (!done?.below_cap) throw new ApiError('daily_limit_reached', { retryAfterSeconds: secondsToMidnight(now) });
  if (!done.stored) throw new LookAgain();
}

/** Seconds until the cap resets at 00:00 UTC; at least 1. */
function secondsToMidnight(now: Date): number {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  return Math.max(1, Math.ceil((midnight - now.getTime()) / 1000));
}
