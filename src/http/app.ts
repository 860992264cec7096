import { randomBytes } from 'node:crypto';
import Koa, { type Middleware } from 'koa';
import { ApiError } from '../base/errors.ts';
import type { CallerScope, Scope } from '../base/scope.ts';
import { answerWithin } from '../base/time/time-budget.ts';
import type { Operations } from '../contract/operations-type.ts';
import { createAdmissions } from '../limits/admission.ts';
import type { PracticeLimiter } from '../limits/practice-limiter.ts';
import { pageRoutes } from '../pages/routes.ts';
import type { PageService } from '../payment-links/checkout/port.ts';
import type { Processor } from '../processors/processor.ts';
import { createAdapter } from './adapter.ts';
import { clientAddress, exactAddress } from './address.ts';
import type { RequestState } from './context.ts';
import { errorEnvelope } from './errors.ts';
import { notificationRoutes } from './notifications.ts';
import { publishedRoutes } from './published.ts';
import { createReadiness } from './readiness.ts';

export interface AppOptions {
  /** What the published contract names as its server; no trailing slash. */
  publicUrl: string;
  /** A scope of its own for every request. */
  newScope: () => Scope;
  operations: Operations<CallerScope>;
  /** The service behind the hosted pages, for one request. */
  pageService: (scope: Scope) => PageService;
  /** Whose notifications are taken. */
  processor: Processor;
  /** Bounds the transactions of each practice. */
  transactions: PracticeLimiter;
  trustProxyHops: number;
  ipRequestsPerMinute: number;
}

/**
 * A request is answered within ten seconds of its arrival; the rest of them is the way to the client and back. What a
 * payment processor is asked ends earlier, so that its answer can be put on record.
 */
const REQUEST_BUDGET = { totalMs: 9_500, callsMs: 7_000 };

/** The whole chain, in the order in which a request walks it. */
export function createApp(options: AppOptions): Koa<RequestState> {
  const app = new Koa<RequestState>();
  const published = publishedRoutes(options.publicUrl, createReadiness(options.newScope));
  const answerByContract = createAdapter(
    options.operations,
    createAdmissions(options.newScope, options.ipRequestsPerMinute),
    options.transactions,
  );
  app.use(beginRequest(options));
  app.use(logRequest());
  app.use(limitHeaders());
  app.use(errorEnvelope());
  app.use(readTarget());
  app.use(published.routes());
  // The pages have a budget of their own, for they answer with a page.
  app.use(
    pageRoutes({
      pageService: options.pageService,
      exactAddress: ({ socket, headersDistinct }) =>
        exactAddress(socket.remoteAddress, headersDistinct['x-forwarded-for'], options.trustProxyHops),
    }),
  );
  app.use((_, next) => answerWithin(REQUEST_BUDGET, next));
  app.use(notificationRoutes(options.processor).routes());
  app.use((ctx) => answerByContract(ctx));
  // What Koa itself still has to report happened while the answer was being written, to a socket that is gone; what
  // comes without a request is the server's own trouble.
  app.on('error', (err, ctx) => {
    if (ctx === undefined) options.newScope().log.error({ err }, 'server error');
    else ctx.state.scope?.log.warn({ err, requestId: ctx.state.requestId }, 'response failed');
  });
  return app;
}

/** Gives the request its id, its scope and its address. */
function beginRequest({ newScope, trustProxyHops }: AppOptions): Middleware<RequestState> {
  return (ctx, next) => {
    ctx.state.requestId = `req_${randomBytes(12).toString('base64url')}`;
    ctx.state.scope = newScope();
    const { 'x-forwarded-for': forwarded } = ctx.req.headersDistinct;
    ctx.state.address = clientAddress(ctx.req.socket.remoteAddress, forwarded, trustProxyHops);
    ctx.set('Request-Id', ctx.state.requestId);
    ctx.set('Cache-Control', 'no-store');
    ctx.set('X-Content-Type-Options', 'nosniff');
    return next();
  };
}

/** One line per request. Paths are told by their operation: a page's path is a secret. */
function logRequest(): Middleware<RequestState> {
  return async (ctx, next) => {
    const startedMs = performance.now();
    await next();
    const { requestId, scope, operationId, errorCode, callerScope } = ctx.state;
    scope.log.info(
      {
        requestId,
        method: ctx.method,
        operationId,
        status: ctx.status,
        errorCode,
        durationMs: Math.round(performance.now() - startedMs),
        practiceId: callerScope?.caller.practiceId,
        apiKeyId: callerScope?.caller.apiKeyId,
      },
      'request',
    );
  };
}

/**
 * Refuses what Node's parser lets pass of the request's address. The request line may carry a whole address, and one
 * that can't be taken apart leads nowhere, like any unknown path.
 *
 * @throws ApiError `validation_error` without the Host header that HTTP/1.1 demands
 */
function readTarget(): Middleware<RequestState> {
  return (ctx, next) => {
    if (ctx.req.headers.host === undefined && ctx.req.httpVersion === '1.1') {
      throw new ApiError('validation_error', {
        message: 'The request has no Host header.',
        headers: { Connection: 'close' },
      });
    }
    try {
      void ctx.path;
    } catch {
      ctx.url = '/';
    }
    return next();
  };
}

/** Tells the caller its key's window, on refusals as well. */
function limitHeaders(): Middleware<RequestState> {
  return async (ctx, next) => {
    await next();
    const { keyLimit } = ctx.state;
    if (keyLimit === undefined) return;
    ctx.set('RateLimit-Limit', `${keyLimit.limit}`);
    ctx.set('RateLimit-Remaining', `${keyLimit.remaining}`);
    ctx.set('RateLimit-Reset', `${keyLimit.resetSeconds}`);
  };
}
