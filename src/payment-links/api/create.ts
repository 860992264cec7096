import { REMEMBERED_MS } from '../../access/idempotency.ts';
import type { PaymentLink as PaymentLinkResource } from '../../contract/operations-type.ts';
import { ApiError } from '../../platform/base/errors.ts';
import type { CallerScope, Scope } from '../../platform/base/scope.ts';
import { sqlState } from '../../platform/base/sql-state.ts';
import { SERIALIZATION_FAILURE } from '../../platform/database/query/errors.ts';
import { inTransaction } from '../../platform/database/query/transaction.ts';
import { auditRows } from '../../practices/audit/audit.ts';
import type { LinkSource } from '../model/payment-link.entity.ts';
import { linkCreated } from '../state/acts.ts';
import { linkView } from '../state/views.ts';
import type { SingleLinkStore } from '../store/gathered.ts';
import type { CreateOutcome, IdempotentRequest } from '../store/port.ts';
import { separately } from '../store/separately.ts';
import { draftLink, type LinkDraft, type LinkInput, type LinkOwner } from './input.ts';

/*
 * Every create of a link: draft it on the cached terms of the practice, and write it if these are still the present ones. One
 * statement does everything (docs/decisions/0011-create-in-one-statement.md). If the terms are stale, nothing is written, and the
 * link is drafted again.
 */

/** A create request with its idempotency key. */
export interface CreateRequest {
  input: LinkInput;
  idempotencyKey: string;
  bodyHash: Buffer;
}

/** Limit of drafts. A second draft follows if this process had no terms, or older ones than a change of the practice. */
const MAX_DRAFTS = 10;

/** Limit of conflicts with other requests of the same key. Usually the first retry finds the stored reply. */
const MAX_CONFLICTS = 3;

/** Links that a key may create per UTC day (openapi.yaml, response `TooManyCreates`). */
const DAILY_CAP_LINKS = 5000;

/** Last known terms of each practice, as JSON. The store compares them at each create. */
type TermsCache = Pick<Map<string, string>, 'get' | 'set'>;

/** Limit of cached terms. The oldest entry is evicted first. */
const MAX_TERMS = 10_000;

function createTermsCache(): TermsCache {
  const cached = new Map<string, string>();
  return {
    get: (practiceId) => cached.get(practiceId),
    set(practiceId, terms) {
      const [first] = cached.keys();
      if (cached.size >= MAX_TERMS && first !== undefined) cached.delete(first);
      return cached.set(practiceId, terms);
    },
  };
}

/** Dependencies of creating links. The API has one object per process. */
export interface LinkCreationDependencies {
  terms: TermsCache;
  store: Pick<SingleLinkStore, 'create'>;
  /** Idempotency keys of requests that this process is answering. */
  running: Set<string>;
}

/** Creates the cache of terms and the set of running requests of one process. */
export function linkCreationDependencies(store: SingleLinkStore): LinkCreationDependencies {
  return { terms: createTermsCache(), store, running: new Set() };
}

/**
 * Creates a link once per idempotency key.
 *
 * @returns the reply as JSON. `isReplayed` is true if it is the stored reply to an earlier request with the same key and body
 * @throws ApiError `idempotency_key_in_flight`, `idempotency_key_reused`, `not_found` and `validation_error` for the
 *   location, `payments_not_enabled`, `no_active_location`, `daily_limit_reached`; nothing is stored then
 */
export async function createLinkForApi(
  scope: CallerScope,
  { input, idempotencyKey, bodyHash }: CreateRequest,
  dependencies: LinkCreationDependencies,
): Promise<{ reply: string; isReplayed: boolean }> {
  const { practiceId, test, locationId, apiKeyId } = scope.caller;
  const owner = { id: practiceId, test, pinnedLocationId: locationId, source: 'api' } as const;
  const rememberedSince = new Date(scope.clock.now().getTime() - REMEMBERED_MS);
  const request = { apiKeyId, idempotencyKey, bodyHash, rememberedSince, dailyCap: DAILY_CAP_LINKS };
  const draftOn = (terms: string) => draftLink(scope, owner, terms, input);
  const { answer, reply } = await onceAtATime(
    dependencies.running,
    `${apiKeyId} ${idempotencyKey}`,
    () => draftAndWrite(scope, dependencies, owner, draftOn, request),
    () => findReply(scope, practiceId, request),
  );
  switch (answer.outcome) {
    case 'written':
      return { reply, isReplayed: false };
    case 'replayed':
      return { reply: answer.reply, isReplayed: true };
    case 'reused':
      throw new ApiError('idempotency_key_reused', { param: 'Idempotency-Key' });
    case 'in_flight':
      throw new ApiError('idempotency_key_in_flight', { param: 'Idempotency-Key' });
    case 'capped':
      throw new ApiError('daily_limit_reached', { retryAfterSeconds: secondsToMidnight(scope.clock.now()) });
    case 'taken':
      throw new Error('a new link has a unique id');
    default:
      answer satisfies never;
      throw new Error('a create has an unknown outcome');
  }
}

/** Runs the work unless work of this key is running in this process. Then it runs `otherwise`. */
async function onceAtATime<T>(
  running: Set<string>,
  key: string,
  work: () => Promise<T>,
  otherwise: () => Promise<T>,
): Promise<T> {
  if (running.has(key)) return otherwise();
  running.add(key);
  try {
    return await work();
  } finally {
    running.delete(key);
  }
}

/** Looks up the stored reply of a request that this process is answering. It takes no lock and writes nothing, so it neither waits nor overtakes. */
async function findReply(
  scope: Scope,
  practiceId: string,
  request: Omit<IdempotentRequest, 'reply'>,
): Promise<DraftedAnswer> {
  const answer = await separately.store.create(scope, {
    practiceId,
    terms: null,
    draft: null,
    request: { ...request, reply: null },
  });
  return { answer: answer.outcome === 'stale' ? { outcome: 'in_flight' } : answer, draft: null, reply: '' };
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
  const draft = await createLinkAlone(scope, { ...practice, pinnedLocationId: null, source }, input);
  if (draft === null) throw new Error('a new link has a unique id');
  return viewDraft(scope, draft);
}

/**
 * Creates a link without an idempotency key, by separate statements.
 *
 * @param complete may give the draft another id, or throw to refuse it
 * @returns null if there is a link of this id
 * @throws ApiError as `createLinkForOffice`
 */
export async function createLinkAlone(
  scope: Scope,
  owner: LinkOwner,
  input: LinkInput,
  complete: (draft: LinkDraft) => LinkDraft = (draft) => draft,
): Promise<LinkDraft | null> {
  const dependencies = { terms: new Map<string, string>(), store: separately.store };
  const draftOn = (terms: string) => complete(draftLink(scope, owner, terms, input));
  const create = (scope: Scope) => draftAndWrite(scope, dependencies, owner, draftOn, null);
  // A transaction confirms the right of a person.
  const { answer, draft } = await (scope.confirmRight === undefined ? create(scope) : inTransaction(scope, create));
  return answer.outcome === 'taken' ? null : draft;
}

/** Answer of the store to a create, with the draft and the reply that were to be written. */
interface DraftedAnswer {
  answer: Exclude<CreateOutcome, { outcome: 'stale' }>;
  draft: LinkDraft | null;
  reply: string;
}

/**
 * Drafts and writes a link until the terms of its draft are the present ones.
 *
 * @param request the request whose reply is stored with the link; null without an idempotency key
 * @returns the answer of the store, with the draft and its reply; the reply is empty without a draft or request
 * @throws ApiError errors of the draft on the present terms; `not_found` for an unknown practice
 */
async function draftAndWrite(
  scope: Scope,
  { terms: cache, store }: Pick<LinkCreationDependencies, 'terms' | 'store'>,
  { id: practiceId }: LinkOwner,
  draftOn: (terms: string) => LinkDraft,
  request: Omit<IdempotentRequest, 'reply'> | null,
): Promise<DraftedAnswer> {
  let conflicts = 0;
  for (let drafts = 0; drafts < MAX_DRAFTS; drafts++) {
    const terms = cache.get(practiceId) ?? null;
    const drafted = terms === null ? null : draftOrRefusal(() => draftOn(terms));
    const draft = drafted instanceof ApiError ? null : drafted;
    const audited = draft && { link: draft.link, audit: auditRows(scope, [linkCreated(draft.link)]) };
    const reply = draft === null || request === null ? null : JSON.stringify(viewDraft(scope, draft));
    const create = { practiceId, terms, draft: audited, request: request && { ...request, reply } };
    const answer = await store.create(scope, create).catch((error: unknown) => {
      // Another request stored the reply of this key after the statement had looked. The statement was rolled back.
      if (sqlState(error) === SERIALIZATION_FAILURE && ++conflicts <= MAX_CONFLICTS) return null;
      throw error;
    });
    if (answer === null) continue;
    if (answer.outcome !== 'stale') return { answer, draft, reply: reply ?? '' };
    // There was no draft. If its refusal used the present terms, the refusal is right.
    if (drafted instanceof ApiError && answer.terms === terms) throw drafted;
    if (answer.terms === null) throw new ApiError('not_found');
    cache.set(practiceId, answer.terms);
  }
  throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
}

/** Returns the error in place of a draft if the terms refuse the link. */
function draftOrRefusal(draft: () => LinkDraft): LinkDraft | ApiError {
  try {
    return draft();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function viewDraft(scope: Scope, { link, location }: LinkDraft): PaymentLinkResource {
  return linkView(scope, { link, location, transaction: null, refunds: [] });
}

/** Returns the seconds until the cap resets at 00:00 UTC; at least 1. */
function secondsToMidnight(now: Date): number {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  return Math.max(1, Math.ceil((midnight - now.getTime()) / 1000));
}
