import type { IncomingMessage } from 'node:http';
import type { Admissions } from '../access/admission.ts';
import type { BodyRules, Operations } from '../contract/operations-type.ts';
import { linkBodyRules } from '../payment-links/operations.ts';
import { ApiError } from '../platform/base/errors.ts';
import type { Actor, Caller, CallerScope, Limiter } from '../platform/base/scope.ts';
import { codePoints, findUnfit } from '../platform/base/text.ts';
import { runUncounted } from '../platform/base/time/time-budget.ts';
import { createLimiter } from '../platform/database/query/limiter.ts';
import type { Context } from './context.ts';
import { findFaults, findRoute, listMethods, type Route } from './contract-api.ts';
import { readBody } from './request/body.ts';
import { decodePercent, readQuery } from './request/query.ts';
import { requireCleanText, requireNoProperties, validationError } from './request/validation.ts';
import { isClosing } from './server.ts';

export type Handlers = Operations<CallerScope, typeof linkBodyRules>;

interface AdmissionDependencies {
  admissions: Admissions;
  transactions: Limiter;
  /** Returns the full address of the client, for the audit log; null when the socket is closed. */
  readAddress: (request: IncomingMessage) => string | null;
}

/** The answer of a handler. The contract's types have checked it at compile time. */
interface OperationReply {
  status: number;
  body?: unknown;
  /** The stored bytes of a replayed reply, sent unchanged. */
  rawBody?: string;
  headers?: Record<string, string | undefined>;
}

/** Binds the contract to its handlers: admits a request, checks it, calls its handler and sends the answer. */
export function createAdapter(handlers: Handlers, admission: AdmissionDependencies): (ctx: Context) => Promise<void> {
  // A practice's reads by its API keys leave database connections to others.
  const reads = createLimiter({ placesPerName: 4, placesInAll: Number.POSITIVE_INFINITY, maxWaitMs: 5_000 });
  return async (ctx) => {
    const { route, path, callerScope } = await admit(ctx, admission);
    const input = await readInput(ctx, route, path, callerScope.caller);
    // The request is valid by the schemas from which the handler's types are generated.
    const handler = handlers[route.operationId] as (scope: CallerScope, input: object) => Promise<OperationReply>;
    const answer = () => handler(callerScope, input);
    const { method, isLongPoll } = route;
    if (isLongPoll) Object.assign(callerScope, { reads, isAbandoned: () => ctx.res.closed || isClosing(ctx.req) });
    const isLimited = method === 'GET' && !isLongPoll;
    send(ctx, await (isLimited ? reads.run(callerScope.caller.practiceId, answer) : answer()));
  };
}

/**
 * Checks the address limit, then path and method, then key, API access and key limit. One statement counts
 * the request and finds the key. So the path is matched before it, and an unknown path is refused after it.
 * @throws ApiError `rate_limited`, `not_found`, `method_not_allowed`, `invalid_api_key`, `api_access_disabled`
 */
async function admit(ctx: Context, { admissions, transactions, readAddress }: AdmissionDependencies) {
  const { method } = ctx;
  const { scope, limitAddress } = ctx.state;
  const path = escapeUndecodable(ctx.path);
  const route = findRoute(method, path);
  if (route === null) {
    await admissions.admitAddress(limitAddress);
    const methods = listMethods(path);
    if (methods.length === 0) throw new ApiError('not_found', { message: 'No such path.' });
    throw new ApiError('method_not_allowed', { headers: { Allow: methods.join(', ') } });
  }
  const authorization = ctx.req.headersDistinct.authorization ?? [];
  const { caller, keyLimit, refusal } = await admissions.admitKey(limitAddress, authorization);
  const actor: Actor = { kind: 'api_key', id: caller.apiKeyId, address: readAddress(ctx.req) };
  const callerScope: CallerScope = {
    ...scope,
    caller,
    // Reads are not recorded.
    actor: method === 'GET' ? undefined : actor,
    transactionsOf: { practiceId: caller.practiceId, limiter: transactions },
  };
  Object.assign(ctx.state, { callerScope, keyLimit, apiOperation: route.operationId });
  if (refusal !== null) throw refusal;
  ctx.state.operationId = route.operationId;
  const variables = Object.entries(route.pattern.exec(path)?.groups ?? {});
  const decoded = variables.map(([name, value]) => [name, decodeURIComponent(value)] as const);
  return { route, path: Object.fromEntries(decoded), callerScope };
}

/** Reads an admitted request, and checks it in the order on which clients rely. @throws ApiError with the first fault */
async function readInput(ctx: Context, route: Route, path: Record<string, string>, caller: Caller) {
  const { operationId, requiredScope } = route;
  if (requiredScope !== null && !caller.scopes.includes(requiredScope)) {
    throw new ApiError('insufficient_scope', { message: `This operation needs the scope ${requiredScope}.` });
  }
  // The time that a client takes for its body does not count for the time budget.
  let body = route.hasBody ? await runUncounted(() => readBody(ctx)) : undefined;
  const query = readQuery(ctx.querystring, route.queryParameters);
  if (!route.describesBody) {
    requireNoProperties(body);
    body = undefined;
  }
  const faults = findFaults(route, path, query, body);
  if (faults.length > 0) throw validationError(faults);
  requireCleanText(body);
  if (route.testModeOnly && !caller.test) throw new ApiError('test_mode_only');
  // The body is valid by the schema from which the rule's parameter type is generated.
  const rule = (linkBodyRules as BodyRules)[operationId] as ((body: unknown) => unknown) | undefined;
  const parsed = rule?.(body);
  const headers = { 'idempotency-key': readIdempotencyKey(ctx.req.headersDistinct, route.idempotencyKey) };
  return { path, query, headers, body, parsed };
}

/** In characters (openapi.yaml, parameter `IdempotencyKey`). */
const MAX_IDEMPOTENCY_KEY_LENGTH = 200;

/**
 * Returns the checked idempotency key; undefined if the request has none, or if the operation has no such header.
 * @param distinct the lines of each header as received; Node's other view joins repeated lines into one value
 * @throws ApiError `idempotency_key_required`, `validation_error`
 */
function readIdempotencyKey(distinct: NodeJS.Dict<string[]>, use: Route['idempotencyKey']): string | undefined {
  if (use === null) return undefined;
  const lines = distinct['idempotency-key'] ?? [];
  const param = 'Idempotency-Key';
  const invalid = (message: string) => new ApiError('validation_error', { param, message });
  const [key] = lines;
  if (lines.length > 1) throw invalid(`Send one ${param} header.`);
  if (use === 'required' && !key) throw new ApiError('idempotency_key_required', { param });
  if (key === undefined) return undefined;
  // A client that sends an empty key expects protection that it would not have.
  if (key === '') throw invalid(`${param} must not be empty.`);
  // Node decodes headers as Latin-1: one character per byte.
  const text = Buffer.from(key, 'latin1').toString('utf8');
  if (codePoints(text) <= MAX_IDEMPOTENCY_KEY_LENGTH && findUnfit(text) === null) return key;
  throw invalid(`${param} has at most ${MAX_IDEMPOTENCY_KEY_LENGTH} characters, none of them a control character.`);
}

function send(ctx: Context, answer: OperationReply): void {
  ctx.status = answer.status;
  for (const [name, value] of Object.entries(answer.headers ?? {})) if (value !== undefined) ctx.set(name, value);
  if (answer.status === 204) return;
  ctx.type = 'application/json';
  ctx.body = answer.rawBody ?? JSON.stringify(answer.body);
}

/** Escapes segments that are not percent-encoded UTF-8, because the router throws on them. No id contains such text. */
function escapeUndecodable(path: string): string {
  return path
    .split('/')
    .map((segment) => (decodePercent(segment) === null ? encodeURIComponent(segment) : segment))
    .join('/');
}
