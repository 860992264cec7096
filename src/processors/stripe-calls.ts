import Stripe from 'stripe';
import { answerWithin, OutOfTime, remainingForCallsMs } from '../base/time/time-budget.ts';
import { AccountLost, ProcessorUnavailable } from './processor.ts';

/* How Stripe's errors become ours, or answers. */

/** A call's deadline, the SDK's own repetition included; a charge that takes longer is looked up instead. */
export const CALL_TIMEOUT_MS = 10_000;

/**
 * Stripe's own HTTP client over Node's, with one rule more: no request is sent when the time for calls is over, the SDK's
 * own repetitions included, and none waits longer than that.
 */
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
 *
 * @throws AccountLost when the account is not ours any more; ProcessorUnavailable when nothing is known about the call,
 * or Stripe doesn't let us at what it is about; Stripe's own error otherwise
 */
export async function ask<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await answerWithin({ totalMs: Math.min(CALL_TIMEOUT_MS, remainingForCallsMs()) }, call);
  } catch (error) {
    if (error instanceof OutOfTime) throw new ProcessorUnavailable(error);
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { StripeConnectionError, StripePermissionError, StripeRateLimitError } = Stripe.errors;
    // Not a no: what was asked for, or something like it, may have happened while the account was ours.
    if (error instanceof StripePermissionError && error.code === 'account_invalid')
      throw new AccountLost(inBrief(error));
    const status = error.statusCode ?? 0;
    if (error instanceof StripeConnectionError || status === 0) throw new ProcessorUnavailable(error);
    // 401 and 403: our key is wrong or lacks a right, which tells nothing of a payment. 409: the same key is being
    // worked on.
    const isSilent = error instanceof StripeRateLimitError || [401, 403, 409].includes(status) || status >= 500;
    if (isSilent) throw new ProcessorUnavailable(inBrief(error));
    throw error;
  }
}

/** What of an error may be logged: its message may quote what was sent. */
function inBrief({ type, statusCode, code, requestId }: Stripe.errors.StripeError): Error {
  return new Error(`Stripe answered ${statusCode}: ${type}, ${code ?? 'no code'}, ${requestId ?? 'no request id'}`);
}

/** What Stripe didn't like, without its message. */
export interface Refusal {
  code: string | undefined;
  /** The name of the parameter. */
  param: string | undefined;
  /** By which Stripe's logs and support know the call. */
  stripeRequestId: string | undefined;
}

/**
 * The answer, or null when Stripe says no: declined, or in no state for it.
 *
 * @param report is told of what was not declined by a bank: often a mistake of ours or of the account's settings
 */
export async function unlessRefused<T>(
  call: () => Promise<T>,
  report: (refusal: Refusal) => void = () => {},
): Promise<T | null> {
  try {
    return await ask(call);
  } catch (error) {
    const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
    if (error instanceof StripeCardError) return null;
    if (!(error instanceof StripeInvalidRequestError)) throw error;
    const { code, param, requestId: stripeRequestId } = error;
    report({ code, param, stripeRequestId });
    return null;
  }
}

/** The answer, or null when there is no such object in this account. */
export async function unlessMissing<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await ask(call);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing') return null;
    throw error;
  }
}

/** The answer, or null when the account is not ours any more. */
export async function unlessLost<T>(call: () => Promise<T | null>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof AccountLost) return null;
    throw error;
  }
}
