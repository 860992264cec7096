import { REMEMBERED_MS } from '../../access/sealed-replies.ts';
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
import { separately } from '../store/change.ts';
import type { SingleLinkStore } from '../store/gathered.ts';
import type { CreateOutcome, IdempotentRequest } from '../store/port.ts';
import { type LinkInput, type LinkOwner, makeLink, type NewLink } from './input.ts';

/*
 * Every create of a link (docs/decisions/0011-create-in-one-statement.md): make it on the cached terms of the practice, and write it if
 * these are still the present ones. If they are stale, nothing is written, and the link is made again.
 */

/** A second try follows if this process had no terms, or older ones than a change of the practice. */
const MAX_TRIES = 10;

/** Conflicts with other requests of the same key. Usually the first retry finds the stored reply. */
const MAX_CONFLICTS = 3;

/** Links that a key may create per UTC day (openapi.yaml, response `TooManyCreates`). */
const DAILY_CAP_LINKS = 5000;

/** The API has one object per process. */
export interface LinkCreationDependencies {
  /** Terms of each practice as JSON, as they were last read. The store compares them at each create. */
  terms: Map<string, string>;
  store: Pick<SingleLinkStore, 'create'>;
  /** Idempotency keys of requests that this process is answering. */
  running: Set<string>;
}

/**
 * Creates a link once per idempotency key.
 * @returns the reply as JSON. `isReplayed` is true if it is the stored reply to an earlier request with the same key and body
 * @throws ApiError as `makeLink`; `idempotency_key_in_flight`, `idempotency_key_reused`, `daily_limit_reached`; nothing is stored then
 */
export async function createLinkForApi(
  scope: CallerScope,
  input: LinkInput,
  key: Pick<IdempotentRequest, 'idempotencyKey' | 'bodyHash'>,
  dependencies: LinkCreationDependencies,
): Promise<{ reply: string; isReplayed: boolean }> {
  const { practiceId, test, locationId, apiKeyId } = scope.caller;
  const owner = { id: practiceId, test, pinnedLocationId: locationId, source: 'api' } as const;
  const rememberedSince = new Date(scope.clock.now().getTime() - REMEMBERED_MS);
  const request = { ...key, apiKeyId, rememberedSince, dailyCap: DAILY_CAP_LINKS };
  const make = (terms: string) => makeLink(scope, owner, terms, input);
  const { running } = dependencies;
  const runningKey = `${apiKeyId} ${key.idempotencyKey}`;
  const isRunning = running.has(runningKey);
  running.add(runningKey);
  const { answer, reply } = await (isRunning
    ? findReply(scope, practiceId, request)
    : makeAndWrite(scope, dependencies, practiceId, make, request).finally(() => running.delete(runningKey)));
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
  }
}

/** Looks up the stored reply of a request that this process is answering. It takes no lock, so it neither waits nor overtakes. */
async function findReply(scope: Scope, practiceId: string, request: KeyedRequest): Promise<CreateAnswer> {
  const lookUp = { practiceId, terms: null, rows: null, request: { ...request, reply: null } };
  const answer = await separately.store.create(scope, lookUp);
  return { answer: answer.outcome === 'stale' ? { outcome: 'in_flight' } : answer, newLink: null, reply: '' };
}

/** Creates a link for the office or the practice's website. @throws ApiError as `makeLink`; `not_found` for the practice */
export async function createLinkForOffice(
  scope: Scope,
  practice: { id: string; test: boolean },
  source: Exclude<LinkSource, 'api'>,
  input: LinkInput,
): Promise<PaymentLinkResource> {
  const newLink = await createLinkSeparately(scope, { ...practice, pinnedLocationId: null, source }, input);
  if (newLink === null) throw new Error('a new link has a unique id');
  return viewNewLink(scope, newLink);
}

/**
 * Creates a link without an idempotency key, by separate statements. Returns null if there is a link of this id.
 * @param complete may give the link another id, or throw to refuse it
 */
export async function createLinkSeparately(
  scope: Scope,
  owner: LinkOwner,
  input: LinkInput,
  complete: (newLink: NewLink) => NewLink = (newLink) => newLink,
): Promise<NewLink | null> {
  const dependencies = { terms: new Map<string, string>(), store: separately.store };
  const make = (terms: string) => complete(makeLink(scope, owner, terms, input));
  const create = (scope: Scope) => makeAndWrite(scope, dependencies, owner.id, make, null);
  // A transaction confirms the right of a person.
  const { answer, newLink } = await (scope.confirmRight === undefined ? create(scope) : inTransaction(scope, create));
  return answer.outcome === 'taken' ? null : newLink;
}

type KeyedRequest = Omit<IdempotentRequest, 'reply'>;

/** Answer of the store to a create, with the link and the reply that were to be written; empty without link or request. */
interface CreateAnswer {
  answer: Exclude<CreateOutcome, { outcome: 'stale' }>;
  newLink: NewLink | null;
  reply: string;
}

/**
 * Makes and writes a link until the terms on which it was made are the present ones.
 * @throws ApiError errors of `make` on the present terms; `not_found` for an unknown practice
 */
async function makeAndWrite(
  scope: Scope,
  { terms: cache, store }: Pick<LinkCreationDependencies, 'terms' | 'store'>,
  practiceId: string,
  make: (terms: string) => NewLink,
  request: KeyedRequest | null,
): Promise<CreateAnswer> {
  let conflicts = 0;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const terms = cache.get(practiceId) ?? null;
    const result = terms === null ? null : makeOrRefuse(() => make(terms));
    const newLink = result instanceof ApiError ? null : result;
    const rows = newLink && { link: newLink.link, audit: auditRows(scope, [linkCreated(newLink.link)]) };
    const reply = newLink === null || request === null ? null : JSON.stringify(viewNewLink(scope, newLink));
    const create = { practiceId, terms, rows, request: request && { ...request, reply } };
    const answer = await store.create(scope, create).catch((error: unknown) => {
      // Another request stored the reply of this key after the statement had looked. The statement was rolled back.
      if (sqlState(error) === SERIALIZATION_FAILURE && ++conflicts <= MAX_CONFLICTS) return null;
      throw error;
    });
    if (answer === null) continue;
    if (answer.outcome !== 'stale') return { answer, newLink, reply: reply ?? '' };
    // There was no link. If its refusal used the present terms, the refusal is right.
    if (result instanceof ApiError && answer.terms === terms) throw result;
    if (answer.terms === null) throw new ApiError('not_found');
    cache.set(practiceId, answer.terms);
  }
  throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
}

function makeOrRefuse(make: () => NewLink): NewLink | ApiError {
  try {
    return make();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function viewNewLink(scope: Scope, { link, location }: NewLink): PaymentLinkResource {
  return linkView(scope, { link, location, transaction: null, refunds: [] });
}

/** Returns the seconds until the cap resets at 00:00 UTC; at least 1. */
function secondsToMidnight(now: Date): number {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  return Math.max(1, Math.ceil((midnight - now.getTime()) / 1000));
}
