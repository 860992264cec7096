import Stripe from 'stripe';
import { answerWithin, OutOfTime, remainingForCallsMs } from '../platform/base/time/time-budget.ts';
import { AccountLost, ProcessorUnavailable } from './processor.ts';

/** A call's deadline, the SDK's own repetition included. A charge that takes longer is looked up. */
export const CALL_TIMEOUT_MS = 10_000;

/** Stripe's HTTP client, within the time that the operation has left for calls. That includes retries by the SDK. */
export function createTimedHttpClient(): NonNullable<Stripe.StripeConfig['httpClient']> {
  const client = Stripe.createNodeHttpClient();
  return {
    getClientName: () => client.getClientName(),
    async makeRequest(host, port, path, method, headers, requestData, protocol, timeoutMs) {
      const leftMs = Math.min(timeoutMs, Math.ceil(remainingForCallsMs()));
      if (leftMs <= 0) throw Stripe.HttpClient.makeTimeoutError();
      return client.makeRequest(host, port, path, method, headers, requestData, protocol, leftMs);
    },
  };
}

/**
 * Asks Stripe, within the call's deadline and within what the present operation has left for calls.
 * @throws AccountLost when the practice disconnected the account
 * @throws ProcessorUnavailable when the outcome of the call is unknown, or Stripe denies us access
 * @throws Stripe's own error otherwise
 */
export async function callStripe<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await answerWithin({ totalMs: Math.min(CALL_TIMEOUT_MS, remainingForCallsMs()) }, call);
  } catch (error) {
    if (error instanceof OutOfTime) throw new ProcessorUnavailable(error);
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { StripeConnectionError, StripePermissionError, StripeRateLimitError } = Stripe.errors;
    // Not a refusal. The call may have succeeded while the account was ours.
    const isLost = error instanceof StripePermissionError && error.code === 'account_invalid';
    if (isLost) throw new AccountLost(withoutMessage(error));
    const status = error.statusCode ?? 0;
    if (error instanceof StripeConnectionError || status === 0) throw new ProcessorUnavailable(error);
    // 401 and 403: our API key is wrong or lacks a permission, which says nothing about the payment. 409: Stripe is still
    // processing a request with the same idempotency key.
    const isUnavailable = error instanceof StripeRateLimitError || [401, 403, 409].includes(status) || status >= 500;
    if (isUnavailable) throw new ProcessorUnavailable(withoutMessage(error));
    throw error;
  }
}

/** Returns the parts of an error that may be logged. Its message may quote the request. */
function withoutMessage({ type, statusCode, code, requestId }: Stripe.errors.StripeError): Error {
  return new Error(`Stripe answered ${statusCode}: ${type}, ${code ?? 'no code'}, ${requestId ?? 'no request id'}`);
}

/** A refusal of Stripe without its message, which may quote the request. */
export interface Refusal {
  code: string | undefined;
  param: string | undefined;
  /** Id of the call in Stripe's logs. */
  stripeRequestId: string | undefined;
}

/**
 * Returns the answer, or null when Stripe refuses: the card is declined, or the object's state does not allow the call.
 * @param report receives refusals that are not a bank's: often a fault of ours or of the account's settings
 */
export async function unlessRefused<T>(
  call: () => Promise<T>,
  report: (refusal: Refusal) => void = () => {},
): Promise<T | null> {
  try {
    return await callStripe(call);
  } catch (error) {
    const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
    if (error instanceof StripeCardError) return null;
    if (!(error instanceof StripeInvalidRequestError)) throw error;
    const { code, param, requestId: stripeRequestId } = error;
    report({ code, param, stripeRequestId });
    return null;
  }
}

/** Returns the answer, or null when the account has no such object. */
export async function unlessMissing<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await callStripe(call);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing') return null;
    throw error;
  }
}

/** Returns the answer, or null when the practice disconnected the account. */
export async function unlessLost<T>(call: () => Promise<T | null>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof AccountLost) return null;
    throw error;
  }
}
