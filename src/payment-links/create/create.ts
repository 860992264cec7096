import { auditOwnAct } from '../../audit/audit.ts';
import { ApiError } from '../../base/errors.ts';
import type { CallerScope, Scope } from '../../base/scope.ts';
import { sqlState } from '../../base/sql-state.ts';
import type { PaymentLink as PaymentLinkResource } from '../../contract/operations-type.ts';
import { BUSY, batched, LOCK_WAIT_MS, type LockWait, REQUEST_LIMITS } from '../../database/query/batch.ts';
import { rowJson } from '../../database/query/columns.ts';
import { SERIALIZATION_FAILURE } from '../../database/query/errors.ts';
import { sql } from '../../database/query/sql.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { REMEMBERED_MS } from '../../keys/idempotency.ts';
import { getPractice } from '../../practices/find.ts';
import { linkCreated } from '../link/acts.ts';
import { matchPatient } from '../link/patients.ts';
import { linkView } from '../link/views.ts';
import type { LinkSource, PaymentLink } from '../model/payment-link.entity.ts';
import { createSnapshotCache, draftLink, parseSnapshot, prepare, type SnapshotCache } from './draft.ts';
import type { LinkInput } from './input.ts';

/** A create request with its idempotency key. */
export interface CreateRequest {
  input: LinkInput;
  idempotencyKey: string;
  bodyHash: Buffer;
}

/** The reply as JSON. `replayed` is true if it is the stored reply to an earlier request with the same key and body. */
export type Created = { reply: string; replayed: boolean };

/** Limit of drafts. A second draft follows if this process had no snapshot, or one older than a change of the practice. */
const MAX_DRAFTS = 10;

/** Limit of conflicts with other requests of the same key. Usually the first retry finds the stored reply. */
const MAX_CONFLICTS = 3;

/** Dependencies of creating links, one per process. */
export interface LinkCreationDependencies {
  snapshots: SnapshotCache;
  write: ReturnType<typeof createLinkBatcher>;
}

/** Creates the snapshot cache and the link batcher of one process. */
export function linkCreationDependencies(): LinkCreationDependencies {
  return { snapshots: createSnapshotCache(), write: createLinkBatcher() };
}

/**
 * Creates a link once per idempotency key. One statement does everything, and it is one database transaction for all links
 * of a batch. It tries the lock, looks for a stored reply, counts against the daily cap, inserts the link and stores the
 * reply. The link is drafted with the cached practice snapshot. If that is stale, this link is not written, and it is
 * drafted again.
 *
 * @throws ApiError `idempotency_key_in_flight`, `idempotency_key_reused`, `not_found` and `validation_error` for the
 *   location, `payments_not_enabled`, `no_active_location`, `daily_limit_reached`; nothing is stored then
 */
export async function createLinkForApi(
  scope: CallerScope,
  { input, ...idempotency }: CreateRequest,
  { snapshots, write }: LinkCreationDependencies,
): Promise<Created> {
  const { practiceId, apiKeyId } = scope.caller;
  const owner = { practiceId, apiKeyId };
  let conflicts = 0;
  for (let drafts = 0; drafts < MAX_DRAFTS; drafts++) {
    const known = snapshots.get(practiceId);
    const draft = known === undefined ? null : draftLink(scope, input, parseSnapshot(known));
    const refused = draft instanceof ApiError;
    const { row, reply } = refused || draft === null ? { row: null, reply: null } : draft;
    const linkToWrite = { ...owner, ...idempotency, snapshot: known ?? null, row, reply };
    const answer = await write(scope, linkToWrite).catch((error: unknown) => {
      // Another request stored the reply of this key after the statement had looked. The statement was rolled back.
      if (sqlState(error) === SERIALIZATION_FAILURE && ++conflicts <= MAX_CONFLICTS) return null;
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
        // There was no draft. If its refusal used the present snapshot, the refusal is right.
        if (refused && answer.snapshot === known) throw draft;
        snapshots.set(practiceId, answer.snapshot);
        break;
      default:
        answer satisfies never;
        throw new Error('create_link returned an unknown outcome');
    }
  }
  throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
}

/**
 * Creates a live or test link for the office or the practice's website, by the same rules as for a key.
 *
 * @throws ApiError `not_found` for the practice, and for the location; `validation_error`, `payments_not_enabled`,
 *   `no_active_location`; nothing is stored then
 */
export async function createLinkForOffice(
  scope: Scope,
  practice: { id: string; test: boolean },
  source: Exclude<LinkSource, 'api'>,
  input: LinkInput,
): Promise<PaymentLinkResource> {
  await getPractice(scope, practice.id);
  return inTransaction(scope, async (scope) => {
    const inserted = await insertForOffice(scope, practice, source, input);
    if (inserted === null) throw new Error('a new id is the id of no other link');
    auditOwnAct(scope, linkCreated(inserted.link));
    return linkView(scope, inserted.link, { location: inserted.location, transaction: null, refunds: [] });
  });
}

/**
 * Creates a link with an id that a form carries, in the caller's transaction. A form that is sent twice makes one link.
 *
 * @returns null if there is a link of this id; it may be anybody's
 * @throws ApiError as `createLinkForOffice`, but not for the practice
 */
export async function createLinkOnce(
  scope: Scope,
  practice: { id: string; test: boolean },
  id: string,
  input: LinkInput,
): Promise<PaymentLink | null> {
  const inserted = await insertForOffice(scope, practice, 'staff', input, id);
  return inserted?.link ?? null;
}

async function insertForOffice(
  scope: Scope,
  practice: { id: string; test: boolean },
  source: Exclude<LinkSource, 'api'>,
  input: LinkInput,
  id?: string,
) {
  const [row] = await sql<{ snapshot: string }>(scope.em, 'select practice_snapshot($1) as snapshot', [practice.id]);
  if (row === undefined) throw new Error('a select without FROM returns a row');
  const prepared = prepare(scope, { ...practice, pin: null }, parseSnapshot(row.snapshot), source, input);
  const link = id === undefined ? prepared.link : { ...prepared.link, id };
  const patientId = await matchPatient(scope, link);
  const inserted = await sql(
    scope.em,
    `insert into payment_links select * from json_populate_record(null::payment_links, $1)
     on conflict (id) do nothing returning id`,
    [rowJson({ ...link, patientId })],
  );
  return inserted.length === 0 ? null : { link, location: prepared.location };
}

/** Returns the seconds until the cap resets at 00:00 UTC; at least 1. */
function secondsToMidnight(now: Date): number {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  return Math.max(1, Math.ceil((midnight - now.getTime()) / 1000));
}

/** Arguments of `create_link` for one link, which is written once per idempotency key. */
export interface LinkToWrite {
  apiKeyId: string;
  idempotencyKey: string;
  bodyHash: Buffer;
  practiceId: string;
  /** Practice snapshot of the draft; null if this process has none yet. */
  snapshot: string | null;
  /** The row and the reply to store, both JSON; if null, nothing is written. */
  row: string | null;
  reply: string | null;
}

/** Outcomes of `create_link`; the comment of the function explains them. */
export type CreateOutcome =
  | { outcome: 'replayed'; stored_reply: string }
  | { outcome: 'stale_snapshot'; snapshot: string }
  | { outcome: 'reused' | 'in_flight' | 'capped' | 'created' };

/** Links that a key may create per UTC day (openapi.yaml, response `TooManyCreates`). */
const DAILY_CAP = 5000;

/** Most links per statement. If one waits for a lock, all wait. */
const BATCH = 32;

const CREATE = 'select * from create_links($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)';

/** Creates the link batcher of a process. Concurrent links share one statement and its database transaction. */
export function createLinkBatcher(): (scope: Scope, link: LinkToWrite) => Promise<CreateOutcome> {
  const write = batched(writeAll, {
    ...REQUEST_LIMITS,
    size: BATCH,
    laneOf: ({ link }: ScopedLink) => link.practiceId,
    repetitions: { keyOf: repetitionKey, lookUp: lookUpAll },
  });
  return (scope, link) => write({ scope, link });
}

interface ScopedLink {
  scope: Scope;
  link: LinkToWrite;
}

/** Returns what requests with the same idempotency key share. Only the database knows whether they have the same body. */
function repetitionKey({ link: { apiKeyId, idempotencyKey } }: ScopedLink): string {
  return `${apiKeyId}:${idempotencyKey}`;
}

/**
 * Looks up the stored replies for repetitions of creates that wait for a lock. It writes nothing, so no repetition overtakes
 * the create that it repeats. Without a stored reply, that create is in flight.
 */
async function lookUpAll(items: readonly ScopedLink[]): Promise<CreateOutcome[]> {
  const lookups = items.map(({ scope, link }) => ({
    scope,
    link: { ...link, snapshot: null, row: null, reply: null },
  }));
  return (await writeAll(lookups, 'briefly')).map((answer) =>
    answer === BUSY || answer.outcome === 'stale_snapshot' ? { outcome: 'in_flight' } : answer,
  );
}

async function writeAll(items: readonly ScopedLink[], wait: LockWait): Promise<(CreateOutcome | typeof BUSY)[]> {
  // Scopes differ in the caller only, which each link names itself.
  const [first] = items;
  return first === undefined
    ? []
    : run(
        first.scope,
        items.map(({ link }) => link),
        wait,
      );
}

async function run(
  scope: Scope,
  links: readonly LinkToWrite[],
  wait: LockWait,
): Promise<(CreateOutcome | typeof BUSY)[]> {
  const now = scope.clock.now();
  const column = <K extends keyof LinkToWrite>(name: K) => links.map((link) => link[name]);
  const answers = await sql<CreateOutcome | { outcome: 'busy' }>(
    scope.em,
    CREATE,
    [
      column('apiKeyId'),
      column('idempotencyKey'),
      column('bodyHash'),
      column('practiceId'),
      column('snapshot'),
      column('row'),
      column('reply'),
      new Date(now.getTime() - REMEMBERED_MS),
      now,
      DAILY_CAP,
      LOCK_WAIT_MS[wait],
      wait === 'never',
    ],
    { keepPlan: true },
  );
  return answers.map((answer) => (answer.outcome === 'busy' ? BUSY : answer));
}
