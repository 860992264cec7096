import type { Middleware } from 'koa';
import type { ApiError as ErrorEnvelope } from '../contract/operations-type.ts';
import { ApiError, type ErrorCode } from '../platform/base/errors.ts';
import { logRepeated } from '../platform/base/log/log-repeated.ts';
import { withJitter } from '../platform/base/time/jitter.ts';
import { isDatabaseUnavailable } from '../platform/database/query/errors.ts';
import type { RequestState } from './context.ts';

/** Answers thrown errors with the error envelope. Logs errors of status 500 and above with their cause. */
export const answerErrors: Middleware<RequestState> = async (ctx, next) => {
  try {
    await next();
  } catch (thrown) {
    const error = toApiError(thrown);
    const { requestId, scope } = ctx.state;
    ctx.state.errorCode = error.code;
    const err = error.cause ?? error;
    if (error.status === 503) logRepeated(scope.log, 'error', { requestId, err }, error.code);
    else if (error.status >= 500) scope.log.error({ requestId, err }, error.code);
    for (const [name, value] of Object.entries(error.details.headers ?? {})) ctx.set(name, value);
    const { retryAfterSeconds } = error.details;
    if (retryAfterSeconds !== undefined) {
      ctx.set('Retry-After', `${error.status === 503 ? withJitter(retryAfterSeconds) : retryAfterSeconds}`);
    }
    // RFC 9110, section 11.6.1: a 401 response names an accepted scheme.
    if (error.status === 401) ctx.set('WWW-Authenticate', 'Bearer');
    ctx.status = error.status;
    ctx.type = 'application/json';
    ctx.body = errorBody(error.code, error.message, error.details.param ?? null, requestId);
  }
};

export function errorBody(code: ErrorCode, message: string, param: string | null, requestId: string): string {
  return JSON.stringify({ error: { code, message, param, requestId } } satisfies ErrorEnvelope);
}

function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (isDatabaseUnavailable(thrown)) {
    // The shortest time, to which jitter is added.
    return new ApiError('service_unavailable', { retryAfterSeconds: 5, cause: thrown });
  }
  return new ApiError('internal_error', { cause: thrown });
}
