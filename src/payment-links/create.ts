import { sqlState } from '../base/database-errors.ts';
import { ApiError } from '../base/errors.ts';
import type { CallerScope, Scope } from '../base/scope.ts';
import { inTransaction } from '../base/scope.ts';
import { sql } from '../base/sql.ts';
import type { PaymentLink as PaymentLinkResource } from '../contract/operations-type.ts';
import { getPractice } from '../practices/service.ts';
import { REMEMBERED_MS } from './idempotency.ts';
import { checkExpiry, type LinkInput } from './input.ts';
import { chooseLocation, type Ground, insertableRow, type KnownGrounds, newLink, parseGround } from './new-link.ts';
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

/** What `create_link` answers; its comment in the migration tells the outcomes. */
type Answer =
  | { outcome: 'replayed'; stored_reply: string }
  | { outcome: 'ground'; ground: string }
  | { outcome: 'reused' | 'in_flight' | 'capped' | 'created' | 'overtaken' };

const SERIALIZATION_FAILURE = '40001';

/** Times that a create looks again before it answers 503: the second look finds the reply, or something is wrong. */
const MAX_OVERTAKEN = 3;

/** A link ready to be written, with the reply that tells of it. */
interface Draft {
  row: string;
  resource: PaymentLinkResource;
}

/**
 * Creates a link once per idempotency key. Everything happens in one statement, which is a transaction of its own: try
 * the lock, look for a stored reply, count against the daily cap, insert the link, store the reply. The link is made on
 * what this process last knew of the practice (`grounds`); where that is not so any more, nothing is written, and it is
 * made again. A crash leaves all of it behind or nothing.
 *
 * @throws ApiError `idempotency_key_in_flight`, `idempotency_key_reused`, `not_found` and `validation_error` for the
 *   location, `payments_not_enabled`, `no_active_location`, `daily_limit_reached`; nothing is stored then
 */
export async function createLink(scope: CallerScope, request: CreateRequest, grounds: KnownGrounds): Promise<Created> {
  const { practiceId } = scope.caller;
  for (let overtaken = 0; ; ) {
    const known = grounds.get(practiceId);
    const draft = known === undefined ? null : draftOn(scope, request.input, parseGround(known));
    const refused = draft instanceof ApiError;
    const answer = await write(scope, request, refused ? null : draft, known ?? null, overtaken < MAX_OVERTAKEN);
    switch (answer.outcome) {
      case 'created':
        if (draft === null || refused) throw new Error('only what was drafted can be created');
        return { link: draft.resource };
      case 'replayed':
        return { replayed: answer.stored_reply };
      case 'reused':
        throw new ApiError('idempotency_key_reused', { param: 'Idempotency-Key' });
      case 'in_flight':
        throw new ApiError('idempotency_key_in_flight', { param: 'Idempotency-Key' });
      case 'capped':
        throw new ApiError('daily_limit_reached', { retryAfterSeconds: secondsToMidnight(scope.clock.now()) });
      case 'ground':
        if (refused && answer.ground === known) throw draft;
        grounds.set(practiceId, answer.ground);
        break;
      case 'overtaken':
        overtaken++;
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
    const [row] = await sql<{ ground: string }>(scope.em, 'select practice_ground($1) as ground', [practice.id]);
    if (row === undefined) throw new Error('a select without FROM returns a row');
    const { link, location } = prepare(scope, { ...practice, pin: null }, parseGround(row.ground), source, input);
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
function draftOn(scope: CallerScope, input: LinkInput, ground: Ground): Draft | ApiError {
  const { practiceId, test, locationId } = scope.caller;
  try {
    const { link, location } = prepare(scope, { id: practiceId, test, pin: locationId }, ground, 'api', input);
    return { row: insertableRow(link), resource: linkView(scope, link, { location, transaction: null, refunds: [] }) };
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
  return { link, location };
}

/** Without a draft it only looks. */
async function write(
  scope: CallerScope,
  request: CreateRequest,
  draft: Draft | null,
  ground: string | null,
  mayLookAgain: boolean,
) {
  const now = scope.clock.now();
  const { apiKeyId, practiceId } = scope.caller;
  const statement = 'select * from create_link($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)';
  const values = [
    ...[apiKeyId, request.idempotencyKey, request.bodyHash, new Date(now.getTime() - REMEMBERED_MS), now, DAILY_CAP],
    ...[practiceId, ground, draft?.row ?? null, draft === null ? null : JSON.stringify(draft.resource)],
  ];
  const [answer] = await sql<Answer>(scope.em, statement, values, { keepPlan: true }).catch((error: unknown) => {
    // Whoever stored the reply of this key since the statement looked went before; all else of it was rolled back.
    if (mayLookAgain && sqlState(error) === SERIALIZATION_FAILURE) return [{ outcome: 'overtaken' as const }];
    throw error;
  });
  if (answer === undefined) throw new Error('create_link returns a row');
  return answer;
}

/** Seconds until the cap resets at 00:00 UTC; at least 1. */
function secondsToMidnight(now: Date): number {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  return Math.max(1, Math.ceil((midnight - now.getTime()) / 1000));
}
