import type { Options as AjvOptions } from 'ajv';
import { OpenAPIBackend, type Context as OperationContext, type Request } from 'openapi-backend';
import { ApiError } from '../base/errors.ts';
import type { CallerScope } from '../base/scope.ts';
import { uncounted } from '../base/time/time-budget.ts';
import {
  operations as descriptions,
  document,
  findOperation,
  type OperationDescription,
  withoutHeaderParameters,
} from '../contract/document.ts';
import type { OperationId, Operations } from '../contract/operations-type.ts';
import { createAjv } from '../contract/validators.ts';
import { type Admissions, readCredentials } from '../limits/admission.ts';
import { createPracticeLimiter, type PracticeLimiter } from '../limits/practice-limiter.ts';
import { readBody } from './body.ts';
import type { Context, ReadRequest } from './context.ts';
import { documentedHeaders } from './headers.ts';
import { type QueryParameter, readQuery } from './query.ts';
import { requireCleanText, requireNoProperties, validationError } from './validation.ts';

/** The answer of a handler. The contract's types have checked it at compile time. */
interface Answer {
  status: number;
  body?: unknown;
  /** The stored bytes of a replayed reply, sent unchanged. */
  rawBody?: string;
  headers?: Record<string, string | undefined>;
}

/** Limits of reads. They leave database connections to other practices; a read waits as long as for a connection. */
const READS = { placesPerPractice: 4, placesInAll: Number.POSITIVE_INFINITY, maxWaitMs: 5_000 };

/** Answers one request by the contract. */
export type Adapter = (ctx: Context) => Promise<void>;

/**
 * Binds the contract to its handlers. openapi-backend routes and validates requests and calls the hooks below. Clients
 * rely on the resulting order of checks: address limit, path and method, key, API access, key limit, scope, media type,
 * body, query, mode. The handler makes all later checks, those of headers included.
 */
export function createAdapter(
  handlers: Operations<CallerScope>,
  admissions: Admissions,
  transactions: PracticeLimiter,
): Adapter {
  const reads = createPracticeLimiter(READS);
  const api = new OpenAPIBackend({
    definition: withoutHeaderParameters(),
    // openapi-backend can only check documents of OpenAPI 3.0; the linter checks this one.
    quick: true,
    strict: true,
    ignoreTrailingSlashes: false,
    customizeAjv: (_ajv, options) => createAjv({ ...(options as AjvOptions), strict: false, coerceTypes: false }),
    securityHandlers: {
      [securityScheme()]: (_: OperationContext, ctx: Context) => authenticate(ctx, admissions, transactions),
    },
    handlers: {
      ...operationHandlers(handlers, reads),
      notFound: (_, ctx: Context) => refusePath(ctx, admissions, new ApiError('not_found')),
      methodNotAllowed: (_, ctx: Context) => refusePath(ctx, admissions, methodNotAllowed(ctx.path)),
      unauthorizedHandler: (operation) => Promise.reject(authenticationErrorOf(operation)),
      postSecurityHandler: readInput,
      validationFail: ({ validation }) => Promise.reject(validationError(validation.errors ?? [])),
      preOperationHandler: requireTextAndMode,
      notImplemented: (operation) => Promise.reject(new Error(`no handler for ${operation.operation.operationId}`)),
    },
  });
  const ready = api.init().then(() => {
    useCompiledRoutes(api);
    // Without this line, the first request of each operation compiles its validators.
    api.validator.preCompileRequestValidators();
  });
  return async (ctx) => {
    await ready;
    const path = escapeUndecodable(ctx.path);
    const request: ReadRequest = { method: ctx.method, path, headers: {}, query: {}, body: undefined };
    ctx.state.request = request;
    // The type `Request` allows only text in the query; our validators get integers as numbers.
    const answer: Answer = await api.handleRequest(request as Request, ctx);
    send(ctx, answer);
  };
}

/**
 * Replaces the router's matching, which flattens the document and builds a regular expression per path for each request.
 * The original matching still handles unknown paths and methods. No two paths of the contract match the same request.
 */
function useCompiledRoutes({ router }: OpenAPIBackend): void {
  const all = router.getOperations();
  router.getOperations = () => all;
  const byId = new Map(all.map((operation) => [operation.operationId, operation]));
  const originalMatch = router.matchOperation.bind(router);
  router.matchOperation = (request: Request, strict: boolean = false) => {
    const found = findOperation(request.method, request.path);
    return byId.get(found?.operationId) ?? originalMatch(request, strict);
  };
}

function operationHandlers(handlers: Operations<CallerScope>, reads: PracticeLimiter) {
  const ids = Object.keys(handlers) as OperationId[];
  return Object.fromEntries(
    ids.map((id) => {
      const isRead = descriptionOf(id).method === 'GET';
      return [
        id,
        (operation: OperationContext, ctx: Context) => {
          const practiceId = ctx.state.callerScope?.caller.practiceId;
          const answer = () => call(handlers, id, operation, ctx);
          return isRead && practiceId !== undefined ? reads.run(practiceId, answer) : answer();
        },
      ];
    }),
  );
}

/** Calls the handler. The request is valid by the schemas from which the handler's types are generated. */
function call(
  handlers: Operations<CallerScope>,
  id: OperationId,
  operation: OperationContext,
  ctx: Context,
): Promise<Answer> {
  const { callerScope, request } = ctx.state;
  if (callerScope === undefined || request === undefined) throw new Error('a handler was called before authentication');
  const input = {
    path: operation.request.params,
    query: request.query,
    headers: documentedHeaders(ctx.req.headersDistinct, descriptionOf(id).requiresIdempotencyKey),
    body: request.body,
  };
  const handler = handlers[id] as (scope: CallerScope, input: unknown) => Promise<Answer>;
  return handler(callerScope, input);
}

/** Authenticates the caller. openapi-backend reads the outcome by truthiness, so errors and `true` are both truthy. */
async function authenticate(ctx: Context, admissions: Admissions, limiter: PracticeLimiter): Promise<true> {
  const { scope, address } = ctx.state;
  const credentials = readCredentials(ctx.req.headersDistinct.authorization ?? []);
  const admission = await admissions.admitKey(address, credentials);
  const { caller } = admission;
  ctx.state.callerScope = { ...scope, caller, transactionsOf: { practiceId: caller.practiceId, limiter } };
  if (admission.keyLimit !== null) ctx.state.keyLimit = admission.keyLimit;
  if (admission.refusal !== null) throw admission.refusal;
  return true;
}

/** Returns the error that a security handler threw. An unavailable database must not be reported as an invalid key. */
function authenticationErrorOf({ security }: OperationContext): unknown {
  const results = Object.values(security ?? {}) as unknown[];
  const failed = results.find((result) => typeof result === 'object' && result !== null && 'error' in result);
  return (failed as { error: unknown } | undefined)?.error ?? new ApiError('invalid_api_key');
}

/** Checks the scope, then reads body and query. openapi-backend also calls it for requests that failed authentication. */
async function readInput(operation: OperationContext, ctx: Context): Promise<void> {
  const { callerScope, request } = ctx.state;
  if (operation.security?.authorized !== true || callerScope === undefined || request === undefined) return;
  const description = descriptionOf(operation.operation.operationId);
  ctx.state.operationId = description.operationId;
  const { requiredScope, hasBody, describesBody } = description;
  if (requiredScope !== null && !callerScope.caller.scopes.includes(requiredScope)) {
    throw new ApiError('insufficient_scope', { message: `This operation needs the scope ${requiredScope}.` });
  }
  const body = hasBody ? await uncounted(() => readBody(ctx)) : undefined;
  request.body = describesBody ? body : undefined;
  request.headers = request.body === undefined ? {} : { 'content-type': 'application/json' };
  request.query = readQuery(ctx.querystring, queryParameters(operation));
  if (!describesBody) requireNoProperties(body);
}

function descriptionOf(id: string | undefined): OperationDescription {
  const description = descriptions.find(({ operationId }) => operationId === id);
  if (description === undefined) throw new Error(`the contract has no operation ${id}`);
  return description;
}

function queryParameters({ operation }: OperationContext): QueryParameter[] {
  return (operation?.parameters ?? []).flatMap((parameter) => {
    if ('$ref' in parameter || parameter.in !== 'query') return [];
    const { name, schema } = parameter;
    const { type, format } = schema !== undefined && 'type' in schema ? schema : {};
    return [{ name, isInteger: type === 'integer', isTimestamp: format === 'date-time' }];
  });
}

function requireTextAndMode(_: OperationContext, ctx: Context): void {
  const { callerScope, request, operationId } = ctx.state;
  requireCleanText(request?.body);
  const { testModeOnly } = descriptionOf(operationId);
  if (testModeOnly && callerScope?.caller.test === false) throw new ApiError('test_mode_only');
}

/** Counts the request against the limit of its address, then refuses it. */
async function refusePath(ctx: Context, admissions: Admissions, error: ApiError): Promise<never> {
  await admissions.admitAddress(ctx.state.address);
  throw error;
}

function methodNotAllowed(path: string): ApiError {
  const methods = descriptions.map(({ method }) => method).filter((method) => findOperation(method, path) !== null);
  return new ApiError('method_not_allowed', { headers: { Allow: [...new Set(methods)].join(', ') } });
}

/**
 * Escapes the segments of a path that are not percent-encoded UTF-8, because the router throws on them. No id contains
 * such text, so the request is answered 404.
 */
function escapeUndecodable(path: string): string {
  return path
    .split('/')
    .map((segment) => (isDecodable(segment) ? segment : encodeURIComponent(segment)))
    .join('/');
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function securityScheme(): string {
  const [name] = Object.keys(document.components?.securitySchemes ?? {});
  if (name === undefined) throw new Error('the contract declares no security scheme');
  return name;
}

function send(ctx: Context, answer: Answer): void {
  ctx.status = answer.status;
  for (const [name, value] of Object.entries(answer.headers ?? {})) if (value !== undefined) ctx.set(name, value);
  if (answer.status === 204) return;
  ctx.type = 'application/json';
  ctx.body = answer.rawBody ?? JSON.stringify(answer.body);
}
