import type { IncomingMessage } from 'node:http';
import type { Admissions } from '../access/admission.ts';
import type { BodyRules, Operations } from '../contract/operations-type.ts';
import { linkBodyRules } from '../payment-links/operations.ts';
import { ApiError } from '../platform/base/errors.ts';
import type { Actor, CallerScope, Limiter } from '../platform/base/scope.ts';
import { runUncounted } from '../platform/base/time/time-budget.ts';
import { createLimiter } from '../platform/database/query/limiter.ts';
import type { Context } from './context.ts';
import { type ContractApi, loadContractApi, pathParameters, type ReadRequest, type Route } from './contract-api.ts';
import { readBody } from './request/body.ts';
import { readIdempotencyKey } from './request/idempotency-key.ts';
import { decodePercent, readQuery } from './request/query.ts';
import { requireCleanText, requireNoProperties, validationError } from './request/validation.ts';
import { isClosing } from './server.ts';

export type Handlers = Operations<CallerScope, typeof linkBodyRules>;

export type Adapter = (ctx: Context) => Promise<void>;

/** One check of a request. It throws an `ApiError`. */
type Check = (request: RequestInProgress) => void | Promise<void>;

/** An admitted request on its way through the checks. Each check fills in what later checks and the handler use. */
interface RequestInProgress extends ReadRequest {
  ctx: Context;
  route: Route;
  callerScope: CallerScope;
  /** The result of the operation's body rule, set by `requireBodyRule`. */
  parsed?: unknown;
  /** Set by `requireIdempotencyKey`. */
  idempotencyKey?: string;
}

interface AdmissionDependencies {
  admissions: Admissions;
  transactions: Limiter;
  /** Returns the full address of the client, for the audit log; null when the socket is closed. */
  addressOf: (request: IncomingMessage) => string | null;
}

/** The answer of a handler. The contract's types have checked it at compile time. */
interface OperationReply {
  status: number;
  body?: unknown;
  /** The stored bytes of a replayed reply, sent unchanged. */
  rawBody?: string;
  headers?: Record<string, string | undefined>;
}

/** Limits of a practice's reads by its API keys. They leave database connections to others. */
const READ_LIMITS = { placesPerName: 4, placesInAll: Number.POSITIVE_INFINITY, maxWaitMs: 5_000 };

/**
 * Binds the contract to its handlers. Each request passes the checks of the list in order, and then reaches its handler.
 * Clients rely on this order.
 */
export async function createAdapter(handlers: Handlers, admission: AdmissionDependencies): Promise<Adapter> {
  const api = await loadContractApi();
  const reads = createLimiter(READ_LIMITS);
  // `admit` has checked address limit, route, key, API access and key limit before.
  const checks: readonly Check[] = [
    requireScope,
    // Media type, size and JSON of the body.
    readJson,
    // Names, encoding and types of the query's parameters.
    (request) => {
      request.query = readQuery(request.ctx.querystring, request.route.queryParameters);
    },
    // Body and query by the contract's schemas.
    (request) => requireValid(request, api),
    // Characters of the body.
    ({ body }) => requireCleanText(body),
    requireMode,
    // Rules of the body that a schema cannot express.
    requireBodyRule,
    requireIdempotencyKey,
  ];
  return async (ctx) => {
    const request = await admit(ctx, api, admission);
    for (const check of checks) await check(request);
    const { route, callerScope } = request;
    const answer = () => call(handlers, request);
    const { method, isLongPoll } = route.description;
    if (isLongPoll) Object.assign(callerScope, { reads, isAbandoned: () => ctx.res.closed || isClosing(ctx.req) });
    const isLimited = method === 'GET' && !isLongPoll;
    send(ctx, await (isLimited ? reads.run(callerScope.caller.practiceId, answer) : answer()));
  };
}

/**
 * Checks the address limit, then path and method, then key, API access and key limit. One statement counts
 * the request and finds the key. So the path is matched before it, and an unknown path is refused after it.
 *
 * @throws ApiError `rate_limited`, `not_found`, `method_not_allowed`, `invalid_api_key`, `api_access_disabled`
 */
async function admit(
  ctx: Context,
  api: ContractApi,
  { admissions, transactions, addressOf }: AdmissionDependencies,
): Promise<RequestInProgress> {
  const { method } = ctx;
  const { scope, limitAddress } = ctx.state;
  const path = escapeUndecodable(ctx.path);
  const route = api.findRoute(method, path);
  if (route === null) {
    await admissions.admitAddress(limitAddress);
    throw noRoute(api.methodsOf(path));
  }
  const authorization = ctx.req.headersDistinct.authorization ?? [];
  const { caller, keyLimit, refusal } = await admissions.admitKey(limitAddress, authorization);
  const { operationId } = route.description;
  const actor: Actor = { kind: 'api_key', id: caller.apiKeyId, address: addressOf(ctx.req) };
  const callerScope = {
    ...scope,
    caller,
    // Reads are not recorded.
    actor: method === 'GET' ? undefined : actor,
    transactionsOf: { practiceId: caller.practiceId, limiter: transactions },
  };
  Object.assign(ctx.state, { callerScope, keyLimit, apiOperation: operationId });
  if (refusal !== null) throw refusal;
  ctx.state.operationId = operationId;
  return { ctx, path, query: {}, body: undefined, route, callerScope };
}

function noRoute(methods: readonly string[]): ApiError {
  if (methods.length === 0) return new ApiError('not_found', { message: 'No such path.' });
  return new ApiError('method_not_allowed', { headers: { Allow: methods.join(', ') } });
}

function requireScope({ route, callerScope }: RequestInProgress): void {
  const { requiredScope } = route.description;
  if (requiredScope !== null && !callerScope.caller.scopes.includes(requiredScope)) {
    throw new ApiError('insufficient_scope', { message: `This operation needs the scope ${requiredScope}.` });
  }
}

/**
 * Reads the body: its media type, its size, and its JSON. The time it takes does not count for the time budget.
 *
 * @throws ApiError as `readBody`
 */
async function readJson(request: RequestInProgress): Promise<void> {
  const { ctx, route } = request;
  if (route.description.hasBody) request.body = await runUncounted(() => readBody(ctx));
}

/**
 * Checks the body, then the query, against the contract's schemas. An operation without a body takes `{}`.
 *
 * @throws ApiError `validation_error` with all faults
 */
function requireValid(request: RequestInProgress, api: ContractApi): void {
  const { route } = request;
  if (!route.description.describesBody) {
    requireNoProperties(request.body);
    request.body = undefined;
  }
  const faults = api.findFaults(request, route);
  if (faults.length > 0) throw validationError(faults);
}

function requireMode({ route, callerScope }: RequestInProgress): void {
  if (route.description.testModeOnly && !callerScope.caller.test) throw new ApiError('test_mode_only');
}

/** Checks the rules of the operation's body that a schema cannot express. @throws ApiError `validation_error` */
function requireBodyRule(request: RequestInProgress): void {
  const { route, body } = request;
  // The body is valid by the schema from which the rule's parameter type is generated.
  const rules: BodyRules = linkBodyRules;
  const rule = rules[route.description.operationId] as ((body: unknown) => unknown) | undefined;
  request.parsed = rule?.(body);
}

/** Reads the idempotency key. @throws ApiError `idempotency_key_required`, `validation_error` */
function requireIdempotencyKey(request: RequestInProgress): void {
  const { ctx, route } = request;
  const { idempotencyKey } = route.description;
  if (idempotencyKey === null) return;
  request.idempotencyKey = readIdempotencyKey(ctx.req.headersDistinct, idempotencyKey === 'required');
}

/** Calls the handler, which makes the checks of the domain. */
function call(handlers: Handlers, request: RequestInProgress): Promise<OperationReply> {
  const { route, callerScope, query, body, parsed, idempotencyKey } = request;
  const path = pathParameters(request.path, route.description);
  // The request is valid by the schemas from which the handler's types are generated.
  const handler = handlers[route.description.operationId] as (
    scope: CallerScope,
    input: unknown,
  ) => Promise<OperationReply>;
  return handler(callerScope, { path, query, headers: { 'idempotency-key': idempotencyKey }, body, parsed });
}

function send(ctx: Context, answer: OperationReply): void {
  ctx.status = answer.status;
  for (const [name, value] of Object.entries(answer.headers ?? {})) if (value !== undefined) ctx.set(name, value);
  if (answer.status === 204) return;
  ctx.type = 'application/json';
  ctx.body = answer.rawBody ?? JSON.stringify(answer.body);
}

/**
 * Escapes the segments of a path that are not percent-encoded UTF-8, because the router throws on them. No id contains
 * such text, so the request is answered 404.
 */
function escapeUndecodable(path: string): string {
  return path
    .split('/')
    .map((segment) => (decodePercent(segment) === null ? encodeURIComponent(segment) : segment))
    .join('/');
}
