import type { Options as AjvOptions } from 'ajv';
import { OpenAPIBackend, type Context as OperationContext, type Request } from 'openapi-backend';
import { ApiError } from '../base/errors.ts';
import type { CallerScope } from '../base/scope.ts';
import { uncounted } from '../base/time/time-budget.ts';
import { type ContractDocument, operations as descriptions, document, findOperation } from '../contract/document.ts';
import type { OperationId, Operations } from '../contract/operations-type.ts';
import { createAjv } from '../contract/validators.ts';
import { type Admissions, readCredentials } from '../limits/admission.ts';
import { createPracticeLimiter, type PracticeLimiter } from '../limits/practice-limiter.ts';
import { readBody } from './body.ts';
import type { Context, ReadRequest } from './context.ts';
import { documentedHeaders } from './headers.ts';
import { type QueryParameter, readQuery } from './query.ts';
import { requireCleanText, requireNoProperties, validationError } from './validation.ts';

/** What a handler answered; the contract's types have already judged it. */
interface Answer {
  status: number;
  body?: unknown;
  /** Stored bytes that are given again as they are. */
  rawBody?: string;
  headers?: Record<string, string | undefined>;
}

/** Limits of reads: a practice that lists without pause leaves connections to the others. */
const READS = { placesPerPractice: 4, placesInAll: Number.POSITIVE_INFINITY, maxWaitMs: 5_000 };

/** Answers one request by the contract. */
export type Adapter = (ctx: Context) => Promise<void>;

/**
 * Binds the contract to its handlers. openapi-backend routes, validates and calls; the hooks below run in its order,
 * which is the order of checks that callers rely on: address limit, path and method, key, API access, key limit, scope,
 * media type, body, query, mode; everything after that is the handler's.
 */
export function createAdapter(
  handlers: Operations<CallerScope>,
  admissions: Admissions,
  transactions: PracticeLimiter,
): Adapter {
  const reads = createPracticeLimiter(READS);
  const api = new OpenAPIBackend({
    definition: structuredClone(document),
    // Its own check of the document knows OpenAPI 3.0 only; the linter judges ours.
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
      unauthorizedHandler: (operation) => Promise.reject(refusalOf(operation)),
      postSecurityHandler: takeBody,
      validationFail: refuseInvalid,
      preOperationHandler: requireMode,
      notImplemented: (operation) => Promise.reject(new Error(`no handler for ${operation.operation.operationId}`)),
    },
  });
  const ready = api.init().then(() => {
    routeFaster(api);
    // Compiled at start, not at the first request of each operation.
    api.validator.preCompileRequestValidators();
  });
  return async (ctx) => {
    await ready;
    const path = decodable(ctx.path);
    const request: ReadRequest = { method: ctx.method, path, headers: {}, query: {}, body: undefined };
    ctx.state.request = request;
    // Its type has query values as text; the validators take integers as the numbers they are.
    const answer: Answer = await api.handleRequest(request as Request, ctx);
    send(ctx, answer);
  };
}

/**
 * The router would flatten the document and build an expression per path anew for every request. What the contract's own
 * expressions don't match is left to it: unknown paths and methods. No two paths match the same request.
 */
function routeFaster({ router }: OpenAPIBackend): void {
  const all = router.getOperations();
  router.getOperations = () => all;
  const byId = new Map(all.map((operation) => [operation.operationId, operation]));
  const matchSlowly = router.matchOperation.bind(router);
  router.matchOperation = (request: Request, strict: boolean = false) => {
    const found = findOperation(request.method, request.path);
    return byId.get(found?.operationId) ?? matchSlowly(request, strict);
  };
}

function operationHandlers(handlers: Operations<CallerScope>, reads: PracticeLimiter) {
  const ids = Object.keys(handlers) as OperationId[];
  return Object.fromEntries(
    ids.map((id) => {
      const isRead = descriptions.some(({ operationId, method }) => operationId === id && method === 'GET');
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

/** The request has been validated against the schemas that the handler's types are generated from. */
function call(
  handlers: Operations<CallerScope>,
  id: OperationId,
  operation: OperationContext,
  ctx: Context,
): Promise<Answer> {
  const { callerScope, request } = ctx.state;
  if (callerScope === undefined || request === undefined) throw new Error('a handler runs after authentication only');
  const input = {
    path: operation.request.params,
    query: request.query,
    headers: documentedHeaders(ctx.req.headersDistinct, requiresIdempotencyKey(operation)),
    body: request.body,
  };
  const handler = handlers[id] as (scope: CallerScope, input: unknown) => Promise<Answer>;
  return handler(callerScope, input);
}

/** Never rejects with a falsy value or returns one on success: openapi-backend tells the outcome by truthiness. */
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

/** openapi-backend keeps what a security handler threw; a database that is away must not look like a wrong key. */
function refusalOf({ security }: OperationContext): unknown {
  const results = Object.values(security ?? {}) as unknown[];
  const failed = results.find((result) => typeof result === 'object' && result !== null && 'error' in result);
  return (failed as { error: unknown } | undefined)?.error ?? new ApiError('invalid_api_key');
}

async function takeBody(operation: OperationContext, ctx: Context): Promise<void> {
  const { callerScope, request } = ctx.state;
  const description = descriptions.find(({ operationId }) => operationId === operation.operation?.operationId);
  if (operation.security?.authorized !== true || callerScope === undefined || request === undefined) return;
  if (description === undefined) throw new Error('the router knows the operations of the document only');
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

function requiresIdempotencyKey({ operation }: OperationContext): boolean {
  return (operation.parameters ?? []).some(
    (parameter) => !('$ref' in parameter) && parameter.name === 'Idempotency-Key' && parameter.required === true,
  );
}

function queryParameters({ operation }: OperationContext): QueryParameter[] {
  return (operation?.parameters ?? []).flatMap((parameter) => {
    if ('$ref' in parameter || parameter.in !== 'query') return [];
    const { name, schema } = parameter;
    const { type, format } = schema !== undefined && 'type' in schema ? schema : {};
    return [{ name, isInteger: type === 'integer', isTimestamp: format === 'date-time' }];
  });
}

function refuseInvalid(operation: OperationContext, ctx: Context): Promise<Answer> {
  const error = validationError(operation.validation.errors ?? []);
  if (error !== null) throw error;
  // Header faults alone: the handler will meet them when it reads the header.
  requireMode(operation, ctx);
  const id = operation.operation.operationId as OperationId;
  return operation.api.handlers[id]?.(operation, ctx) as Promise<Answer>;
}

function requireMode(_: OperationContext, ctx: Context): void {
  const { callerScope, request, operationId } = ctx.state;
  requireCleanText(request?.body);
  const description = descriptions.find((candidate) => candidate.operationId === operationId);
  if (description?.testModeOnly && callerScope?.caller.test === false) throw new ApiError('test_mode_only');
}

/** The address counts for requests that lead nowhere, too. */
async function refusePath(ctx: Context, admissions: Admissions, error: ApiError): Promise<never> {
  await admissions.admitAddress(ctx.state.address);
  throw error;
}

function methodNotAllowed(path: string): ApiError {
  const methods = descriptions.map(({ method }) => method).filter((method) => findOperation(method, path) !== null);
  return new ApiError('method_not_allowed', { headers: { Allow: [...new Set(methods)].join(', ') } });
}

/** The path with what isn't percent-encoded UTF-8 escaped, for the router would throw. It can be nobody's id: 404. */
function decodable(path: string): string {
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
  const [name] = Object.keys((document as ContractDocument).components?.securitySchemes ?? {});
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
