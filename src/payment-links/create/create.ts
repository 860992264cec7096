import { ApiError } from '../../base/errors.ts';
import type { CallerScope, Scope } from '../../base/scope.ts';
import { sqlState } from '../../base/sql-state.ts';
import type { PaymentLink as PaymentLinkResource } from '../../contract/operations-type.ts';
import { SERIALIZATION_FAILURE } from '../../database/query/errors.ts';
import { sql } from '../../database/query/sql.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { getPractice } from '../../practices/service.ts';
import { linkView } from '../link/views.ts';
import type { LinkSource } from '../model/payment-link.entity.ts';
import { checkExpiry, type LinkInput } from './input.ts';
import { createLinkWriter } from './insert.ts';
import {
  chooseLocation,
  createSnapshotCache,
  insertableRow,
  newLink,
  type PracticeSnapshot,
  parseSnapshot,
  type SnapshotCache,
} from './prepare.ts';

/** A request to create, with the key that makes it happen once. */
export interface CreateRequest {
  input: LinkInput;
  idempotencyKey: string;
  bodyHash: Buffer;
}

/** The link as the JSON of the reply; `replayed` when an earlier identical request got the same bytes. */
export type Created = { reply: string; replayed: boolean };

/** Times that a create looks again before it answers 503: the second look finds the reply, or something is wrong. */
const MAX_OVERTAKEN = 3;

/** What a process creates links with. */
export interface LinkCreation {
  snapshots: SnapshotCache;
  write: ReturnType<typeof createLinkWriter>;
}

/** What creating remembers and writes with, for one process. */
export function createLinkCreation(): LinkCreation {
  return { snapshots: createSnapshotCache(), write: createLinkWriter() };
}

/** A link ready to be written, with the reply that tells of it. */
interface Draft {
  row: string;
  reply: string;
}

/**
 * Creates a link once per idempotency key. Everything happens in one statement, which is a transaction of its own: try
 * the lock, look for a stored reply, count against the daily cap, insert the link, store the reply. The link is made on
 * what this process last knew of the practice (`snapshots`); where that is not so any more, nothing is written, and it is
 * made again. A crash leaves all of it behind or nothing.
 *
 * @throws ApiError `idempotency_key_in_flight`, `idempotency_key_reused`, `not_found` and `validation_error` for the
 *   location, `payments_not_enabled`, `no_active_location`, `daily_limit_reached`; nothing is stored then
 */
export async function createLink(
  scope: CallerScope,
  { input, ...once }: CreateRequest,
  { snapshots, write }: LinkCreation,
): Promise<Created> {
  const { practiceId, apiKeyId } = scope.caller;
  const keys = { ...once, practiceId, apiKeyId };
  for (let overtaken = 0; ; ) {
    const known = snapshots.get(practiceId);
    const draft = known === undefined ? null : draftOn(scope, input, parseSnapshot(known));
    const refused = draft instanceof ApiError;
    const { row, reply } = refused || draft === null ? { row: null, reply: null } : draft;
    const asked = { ...keys, ground: known ?? null, row, reply };
    const answer = await write(scope, asked).catch((error: unknown) => {
      // Whoever stored the reply of this key since the statement looked went before; all else of it was rolled back.
      if (sqlState(error) === SERIALIZATION_FAILURE && ++overtaken <= MAX_OVERTAKEN) return null;
      throw error;
    });
    if (answer === null) continue;
    switch (answer.outcome) {
      case 'created':
        if (reply === null) throw new Error('only what was drafted can be created');
        return { reply, replayed: false };
      case 'replayed':
        return { reply: answer.stored_reply, replayed: true };
      case 'reused':
        throw new ApiError('idempotency_key_reused', { param: 'Idempotency-Key' });
      case 'in_flight':
        throw new ApiError('idempotency_key_in_flight', { param: 'Idempotency-Key' });
      case 'capped':
        throw new ApiError('daily_limit_reached', { retryAfterSeconds: secondsToMidnight(scope.clock.now()) });
      case 'ground':
        if (refused && answer.ground === known) throw draft;
        snapshots.set(practiceId, answer.ground);
        break;
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
    const [row] = await sql<{ ground: string }>(scope.em, 'select practice_snapshot($1) as ground', [practice.id]);
    if (row === undefined) throw new Error('a select without FROM returns a row');
    const { link, location } = prepare(scope, { ...practice, pin: null }, parseSnapshot(row.ground), source, input);
    await sql(
      scope.em,
      `insert into payment_links select l.* from json_populate_record(null::payment_links, $1) as r,
         json_populate_record(r, json_build_object('patient_id',
           case when not r.test then match_patient(r.practice_id, r.patient_external_id, r.patient_phone) end)) as l`,
      [insertableRow(link)],
    );
    return linkView(scope, link, { location, transaction: null, refunds: [] });
  });
}

/** The link on this ground, or why there can't be one. */
function draftOn(scope: CallerScope, input: LinkInput, ground: PracticeSnapshot): Draft | ApiError {
  const { practiceId, test, locationId } = scope.caller;
  try {
    const { link, location } = prepare(scope, { id: practiceId, test, pin: locationId }, ground, 'api', input);
    const resource = linkView(scope, link, { location, transaction: null, refunds: [] });
    return { row: insertableRow(link), reply: JSON.stringify(resource) };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/**
 * The last of what is the caller's to put right, then existence before state, and within state onboarding before
 * locations (decision on the order of checks).
 */
function prepare(
  scope: Scope,
  owner: { id: string; test: boolean; pin: string | null },
  ground: PracticeSnapshot,
  source: LinkSource,
  input: LinkInput,
) {
  const now = scope.clock.now();
  if (input.expiresAt !== null) checkExpiry(input.expiresAt, now, now);
  const location = chooseLocation(ground, input.locationId, owner.pin);
  if (!owner.test && !ground.paymentsEnabled) throw new ApiError('payments_not_enabled');
  if (location === null) throw new ApiError('no_active_location');
  const link = newLink(scope, { practiceId: owner.id, test: owner.test, locationId: location.id, source }, input);
  return { link, location };
}

/** Seconds until the cap resets at 00:00 UTC; at least 1. */
function secondsToMidnight(now: Date): number {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  return Math.max(1, Math.ceil((midnight - now.getTime()) / 1000));
}
