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

/** A create request with its idempotency key. */
export interface CreateRequest {
  input: LinkInput;
  idempotencyKey: string;
  bodyHash: Buffer;
}

/** The link as the JSON of the reply; `replayed` when an earlier identical request got the same bytes. */
export type Created = { reply: string; replayed: boolean };

/** Limit of retries after serialization failures. Usually the first retry finds the stored reply. */
const MAX_OVERTAKEN = 3;

/** Dependencies of creating links, one per process. */
export interface LinkCreation {
  snapshots: SnapshotCache;
  write: ReturnType<typeof createLinkWriter>;
}

/** Creates the snapshot cache and the link writer of one process. */
export function createLinkCreation(): LinkCreation {
  return { snapshots: createSnapshotCache(), write: createLinkWriter() };
}

/** The row of a new link, and the reply to its request. */
interface Draft {
  row: string;
  reply: string;
}

/**
 * Creates a link once per idempotency key. One statement, which is a transaction of its own, does everything. It tries
 * the lock, looks for a stored reply, counts against the daily cap, inserts the link and stores the reply. The link is
 * drafted with the cached practice snapshot. If that is stale, nothing is written, and the link is drafted again.
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
    const draft = known === undefined ? null : draftLink(scope, input, parseSnapshot(known));
    const refused = draft instanceof ApiError;
    const { row, reply } = refused || draft === null ? { row: null, reply: null } : draft;
    const linkToWrite = { ...keys, snapshot: known ?? null, row, reply };
    const answer = await write(scope, linkToWrite).catch((error: unknown) => {
      // Another request stored the reply of this key after the statement had looked. The statement was rolled back.
      if (sqlState(error) === SERIALIZATION_FAILURE && ++overtaken <= MAX_OVERTAKEN) return null;
      throw error;
    });
    if (answer === null) continue;
    switch (answer.outcome) {
      case 'created':
        if (reply === null) throw new Error('create_link created a link without a draft');
        return { reply, replayed: false };
      case 'replayed':
        return { reply: answer.stored_reply, replayed: true };
      case 'reused':
        throw new ApiError('idempotency_key_reused', { param: 'Idempotency-Key' });
      case 'in_flight':
        throw new ApiError('idempotency_key_in_flight', { param: 'Idempotency-Key' });
      case 'capped':
        throw new ApiError('daily_limit_reached', { retryAfterSeconds: secondsToMidnight(scope.clock.now()) });
      case 'stale_snapshot':
        if (refused && answer.snapshot === known) throw draft;
        snapshots.set(practiceId, answer.snapshot);
        break;
      default:
        answer satisfies never;
        throw new Error('create_link returned an unknown outcome');
    }
  }
}

/** Creates a live or test link for the office or the practice's website, by the same rules as for a key. */
export async function createLinkFor(
  scope: Scope,
  practice: { id: string; test: boolean },
  source: Exclude<LinkSource, 'api'>,
  input: LinkInput,
): Promise<PaymentLinkResource> {
  await getPractice(scope, practice.id);
  return inTransaction(scope, async (scope) => {
    const [row] = await sql<{ snapshot: string }>(scope.em, 'select practice_snapshot($1) as snapshot', [practice.id]);
    if (row === undefined) throw new Error('a select without FROM returns a row');
    const { link, location } = prepare(scope, { ...practice, pin: null }, parseSnapshot(row.snapshot), source, input);
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

/** Drafts the link with this snapshot; returns the error if the link cannot be created. */
function draftLink(scope: CallerScope, input: LinkInput, snapshot: PracticeSnapshot): Draft | ApiError {
  const { practiceId, test, locationId } = scope.caller;
  try {
    const { link, location } = prepare(scope, { id: practiceId, test, pin: locationId }, snapshot, 'api', input);
    const resource = linkView(scope, link, { location, transaction: null, refunds: [] });
    return { row: insertableRow(link), reply: JSON.stringify(resource) };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/**
 * Checks the request against the practice and makes the link. Checks run in this order: values, existence, onboarding,
 * locations.
 */
function prepare(
  scope: Scope,
  owner: { id: string; test: boolean; pin: string | null },
  snapshot: PracticeSnapshot,
  source: LinkSource,
  input: LinkInput,
) {
  const now = scope.clock.now();
  if (input.expiresAt !== null) checkExpiry(input.expiresAt, now, now);
  const location = chooseLocation(snapshot, input.locationId, owner.pin);
  if (!owner.test && !snapshot.paymentsEnabled) throw new ApiError('payments_not_enabled');
  if (location === null) throw new ApiError('no_active_location');
  const link = newLink(scope, { practiceId: owner.id, test: owner.test, locationId: location.id, source }, input);
  return { link, location };
}

/** Returns the seconds until the cap resets at 00:00 UTC; at least 1. */
function secondsToMidnight(now: Date): number {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  return Math.max(1, Math.ceil((midnight - now.getTime()) / 1000));
}
