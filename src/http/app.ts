import type { IncomingMessage } from 'node:http';
import Koa, { type Middleware } from 'koa';
import { createAdmissions } from '../access/admission.ts';
import type { RequestLog } from '../access/request-log.ts';
import { type ConsoleOptions, consoleRoutes } from '../console/console.ts';
import { documentationRoutes } from '../documentation/site.ts';
import { type PageOptions, pageRoutes } from '../patient-pages/routes.ts';
import { observe, report } from '../platform/base/diagnostics.ts';
import { ApiError } from '../platform/base/errors.ts';
import { randomText } from '../platform/base/random-text.ts';
import { modeName, type Scope } from '../platform/base/scope.ts';
import { answerWithin, withinBudget } from '../platform/base/time/time-budget.ts';
import type { Readiness } from '../platform/database/readiness.ts';
import { createAdapter, type Handlers } from './adapter.ts';
import { countedAddress, exactAddress } from './address.ts';
import type { RequestState } from './context.ts';
import { answerErrors } from './errors.ts';
import { healthRoutes } from './health.ts';
import { notificationRoutes } from './notifications.ts';
import { DRAINING_BUDGET, isStopping } from './server.ts';

interface AppOptions extends Omit<ConsoleOptions, 'exactAddress'>, Omit<PageOptions, 'exactAddress' | 'rateSlots'> {
  /** The server address in the published contract, without trailing slash. */
  publicUrl: string;
  newScope: () => Scope;
  operations: Handlers;
  readiness: Readiness;
  /** CIDRs from which webhooks come, for the documentation. */
  webhookSenderNetworks: readonly string[];
  /** Takes the requests of API keys, for the console. */
  requestLog: RequestLog;
  trustProxyHops: number;
  ipRequestsPerMinute: number;
}

/** The network has 500 ms of the ten seconds. Calls to the payment processor end earlier, so that their answers are still recorded. */
const REQUEST_BUDGET = { totalMs: 9_500, callsMs: 7_000 };

/** Creates the Koa app with all middleware, in the order in which a request passes it. */
export function createApp(options: AppOptions): Koa<RequestState> {
  const app = new Koa<RequestState>();
  const readAddress = ({ socket, headersDistinct }: IncomingMessage) =>
    exactAddress(socket.remoteAddress, headersDistinct['x-forwarded-for'], options.trustProxyHops);
  const admissions = createAdmissions(options.newScope, options.ipRequestsPerMinute);
  const answerByContract = createAdapter(options.operations, { ...options, admissions, readAddress });
  app.use(beginRequest(options.newScope, readAddress));
  app.use((ctx, next) => observe(() => ({ kind: 'request', traceparent: ctx.get('traceparent') }), next));
  app.use(logRequest(options.requestLog));
  app.use(setLimitHeaders);
  app.use(answerErrors);
  app.use(checkTarget);
  app.use((ctx, next) => (isStopping(ctx.req) ? withinBudget(DRAINING_BUDGET, next) : next()));
  app.use(healthRoutes(options.readiness).routes());
  app.use(documentationRoutes(options.publicUrl, options.webhookSenderNetworks));
  // Hosted pages and the console set their own time budgets, because they answer a timeout with a page.
  app.use(consoleRoutes({ ...options, exactAddress: readAddress }));
  app.use(pageRoutes({ ...options, rateSlots: admissions.takeSlot, exactAddress: readAddress }));
  app.use((_, next) => answerWithin(REQUEST_BUDGET, next));
  app.use(notificationRoutes(options.processor).routes());
  app.use(answerByContract);
  // With a request: Koa failed to write the response, mostly because the client closed the connection. Without a
  // request: the server itself failed.
  app.on('error', (err, ctx) => {
    if (ctx === undefined) options.newScope().log.error({ err }, 'server error');
    else ctx.state.scope?.log.warn({ err, requestId: ctx.state.requestId }, 'response failed');
  });
  return app;
}

function beginRequest(
  newScope: () => Scope,
  readAddress: (request: IncomingMessage) => string | null,
): Middleware<RequestState> {
  return (ctx, next) => {
    ctx.state.requestId = `req_${randomText(16)}`;
    ctx.state.scope = newScope();
    ctx.state.limitAddress = countedAddress(readAddress(ctx.req));
    ctx.set('Request-Id', ctx.state.requestId);
    ctx.set('Cache-Control', 'no-store');
    ctx.set('X-Content-Type-Options', 'nosniff');
    return next();
  };
}

/** Names of requests without a route, by the beginning of their path. */
const CLASSES: readonly [RegExp, string][] = [
  [/^\/(healthz|readyz)$/, 'health'],
  [/^\/(api|pay|console|docs|processor)(\/.*|$)/s, 'unknown_$1'],
];

/** Methods of operations and pages. All others share a label, because clients could send any number of them. */
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'];

/** Returns the name of a request that reached no operation or page. Its path itself may be the secret address of a page. */
function classifyPath(path: string): string {
  const [pattern, name] = CLASSES.find(([pattern]) => pattern.test(path)) ?? [/.*/s, 'unknown'];
  return path.replace(pattern, name);
}

/** Logs each request by its operation: the path of a hosted page is secret. Probes of health come every second, so they are for debug. */
function logRequest(requestLog: RequestLog): Middleware<RequestState> {
  return async (ctx, next) => {
    const startedMs = performance.now();
    await next();
    const { requestId, scope, errorCode, callerScope, personId, practiceId, apiOperation } = ctx.state;
    const operationId = ctx.state.operationId ?? classifyPath(ctx.path);
    const { method, status } = ctx;
    const caller = callerScope?.caller;
    const elapsedMs = performance.now() - startedMs;
    const durationMs = Math.round(elapsedMs);
    report('request', () => ({
      requestId,
      operationId,
      method: METHODS.includes(method) ? method : 'other',
      mode: caller === undefined ? null : modeName(caller),
      status,
      errorCode: errorCode ?? null,
      seconds: elapsedMs / 1_000,
    }));
    const who = { practiceId: caller?.practiceId ?? practiceId, apiKeyId: caller?.apiKeyId, personId };
    const facts = { requestId, method, operationId, status, errorCode, durationMs, ...who };
    scope.log[operationId === 'health' ? 'debug' : 'info'](facts, 'request');
    if (caller === undefined || apiOperation === undefined) return;
    const answer = { requestId, operation: apiOperation, status, errorCode: errorCode ?? null, durationMs };
    requestLog.add({ caller, ...answer, at: scope.clock.now() });
  };
}

/** Checks what Node's parser leaves unchecked (RFC 9112, section 3.2). @throws ApiError `validation_error` for no Host header, or two */
const checkTarget: Middleware<RequestState> = (ctx, next) => {
  try {
    void ctx.path;
  } catch {
    // An absolute URL that cannot be parsed is answered like an unknown path.
    ctx.url = '/-';
  }
  const hosts = ctx.req.headersDistinct.host?.length ?? 0;
  if (hosts === 1 || (hosts === 0 && ctx.req.httpVersion !== '1.1')) return next();
  const headers = { Connection: 'close' };
  throw new ApiError('validation_error', { message: 'The request needs one Host header.', headers });
};

/** Sets the `RateLimit-*` headers of the caller's key, on errors as well. */
const setLimitHeaders: Middleware<RequestState> = async (ctx, next) => {
  await next();
  const { keyLimit } = ctx.state;
  if (keyLimit === undefined) return;
  ctx.set('RateLimit-Limit', `${keyLimit.limit}`);
  ctx.set('RateLimit-Remaining', `${keyLimit.remaining}`);
  ctx.set('RateLimit-Reset', `${keyLimit.resetSeconds}`);
};
