import type { CallerScope } from '../base/scope.ts';
import { operations as descriptions } from '../contract/document.ts';
import type { Operations } from '../contract/operations-type.ts';
import type { Admissions } from '../limits/admission.ts';
import { createPracticeLimiter, type PracticeLimiter } from '../limits/practice-limiter.ts';
import { linkBodyRules } from '../payment-links/operations.ts';
import {
  admit,
  admitted,
  type RequestInProgress,
  readJson,
  readParameters,
  requireBodyRule,
  requireIdempotencyKey,
  requireMode,
  requireScope,
  requireText,
  requireValid,
} from './checks.ts';
import type { Context } from './context.ts';
import { createContractApi } from './contract-api.ts';

/** A handler for each operation of the contract. */
export type Handlers = Operations<CallerScope, typeof linkBodyRules>;

/** Answers one request by the contract. */
export type Adapter = (ctx: Context) => Promise<void>;

/** One check of a request, with the names of the faults that it refuses, in their order. It throws an `ApiError`. */
type Check = [refuses: string, run: (request: RequestInProgress) => void | Promise<void>];

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

/**
 * Binds the contract to its handlers. Each request passes the checks of the list in order, and then reaches its handler.
 * Clients rely on this order.
 *
 * @throws Error if an operation has no handler, or a handler no operation
 */
export async function createAdapter(
  handlers: Handlers,
  admissions: Admissions,
  transactions: PracticeLimiter,
): Promise<Adapter> {
  requireAllHandlers(handlers);
  const api = await createContractApi();
  const reads = createPracticeLimiter(READS);
  const checks: readonly Check[] = [
    ['address limit, route, key, API access, key limit', (request) => admit(request, api, admissions, transactions)],
    ['scope', requireScope],
    ['media type, size, JSON', readJson],
    ['names and types of the query', readParameters],
    ['body and query by the contract', (request) => requireValid(request, api)],
    ['characters of the body', requireText],
    ['mode', requireMode],
    ['rules of the body', (request) => requireBodyRule(request, linkBodyRules)],
    ['idempotency key', requireIdempotencyKey],
  ];
  return async (ctx) => {
    const path = escapeUndecodable(ctx.path);
    const request: RequestInProgress = {
      ctx,
      method: ctx.method,
      path,
      query: {},
      body: undefined,
      route: api.route(ctx.method, path),
    };
    for (const [, run] of checks) await run(request);
    const { route, callerScope } = admitted(request);
    const answer = () => call(handlers, request, api.pathParameters(request, route));
    const { practiceId } = callerScope.caller;
    send(ctx, await (route.description.method === 'GET' ? reads.run(practiceId, answer) : answer()));
  };
}

/** Calls the handler, which makes the checks of the domain. */
function call(handlers: Handlers, request: RequestInProgress, path: Record<string, string>): Promise<Answer> {
  const { route, callerScope, query, body, parsed, idempotencyKey } = admitted(request);
  // The request is valid by the schemas from which the handler's types are generated.
  const handler = handlers[route.description.operationId] as (scope: CallerScope, input: unknown) => Promise<Answer>;
  return handler(callerScope, { path, query, headers: { 'idempotency-key': idempotencyKey }, body, parsed });
}

/** Compares contract and handlers. The compiler does so too, but Node runs code that was not compiled. */
function requireAllHandlers(handlers: Handlers): void {
  const missing = descriptions.filter(({ operationId }) => !Object.hasOwn(handlers, operationId));
  const unknown = Object.keys(handlers).filter((id) => !descriptions.some(({ operationId }) => operationId === id));
  const faults = [
    ...missing.map(
      ({ operationId, method, path }) =>
        `The operation ${operationId} (${method} ${path}) of openapi.yaml has no handler. Add one to operations.ts of its ` +
        'room, such as src/payment-links/operations.ts; src/operations.ts joins the rooms.',
    ),
    ...unknown.map((id) => `The handler ${id} has no operation in openapi.yaml. Remove it, or add the operation.`),
  ];
  if (faults.length > 0) throw new Error(faults.join('\n'));
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

function send(ctx: Context, answer: Answer): void {
  ctx.status = answer.status;
  for (const [name, value] of Object.entries(answer.headers ?? {})) if (value !== undefined) ctx.set(name, value);
  if (answer.status === 204) return;
  ctx.type = 'application/json';
  ctx.body = answer.rawBody ?? JSON.stringify(answer.body);
}
