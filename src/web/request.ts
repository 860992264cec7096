import type { ParameterizedContext } from 'koa';
import { ApiError, type ErrorCode } from '../platform/base/errors.ts';
import { logRepeated } from '../platform/base/log/log-repeated.ts';
import type { Scope } from '../platform/base/scope.ts';
import { withJitter } from '../platform/base/time/jitter.ts';
import { isDatabaseUnavailable } from '../platform/database/query/errors.ts';
import { ProcessorUnavailable } from '../processors/processor.ts';

/** State of a request, set by the middleware before pages and console. */
export interface PageRequestState {
  requestId: string;
  scope: Scope;
  /** Address of the client, as the limits count it. */
  limitAddress: string;
  /** For the log, like `errorCode`. */
  operationId?: string;
  errorCode?: ErrorCode;
}

/** Least value of Retry-After while the service is unavailable, in seconds. */
const RETRY_SECONDS = 5;

/** Logs an error, and returns the page that answers it. */
export function answerFailure({ state }: ParameterizedContext<PageRequestState>, error: unknown) {
  const { log } = state.scope;
  const isUnavailable =
    isDatabaseUnavailable(error) ||
    error instanceof ProcessorUnavailable ||
    (error instanceof ApiError && error.status === 503);
  state.errorCode = isUnavailable ? 'service_unavailable' : 'internal_error';
  const entry = { requestId: state.requestId, err: error };
  if (!isUnavailable) {
    log.error(entry, state.errorCode);
    return { problem: 'failure', status: 500 } as const;
  }
  logRepeated(log, 'error', entry, state.errorCode);
  return { problem: 'unavailable', status: 503, retrySeconds: withJitter(RETRY_SECONDS) } as const;
}

/** Name of the cookie with which the console knows a person. Over https it has a prefix. */
export const CONSOLE_COOKIE = 'paylinks_console';

/**
 * Returns true if a person opens a page from outside, such as from a message or a code. What the page itself leads to is none: its
 * forms, its other language, and its reloads. Neither are programs, which send no mode of navigation, and people of the console.
 * Browsers older than 2023 do not send the mode, so their openings do not count.
 */
export function isOpening(ctx: ParameterizedContext): boolean {
  return (
    ctx.method === 'GET' &&
    ctx.get('Sec-Fetch-Mode') === 'navigate' &&
    ctx.get('Sec-Fetch-Site') !== 'same-origin' &&
    ctx.get('Sec-Purpose') === '' &&
    // Stripe sends patients back from their bank with this parameter.
    ctx.query.redirect_status === undefined &&
    !ctx.get('Cookie').includes(`${CONSOLE_COOKIE}=`)
  );
}

/** Returns the path of an address of this service, without trailing slash. */
export function readBasePath(url: string): string {
  return new URL(url).pathname.replace(/\/+$/, '');
}
