import Stripe from 'stripe';
import { AccountLost, ProcessorUnavailable } from './processor.ts';

/* How Stripe's errors become ours, or answers. */

/**
 * Asks Stripe.
 *
 * @throws AccountLost when the account is not ours any more; ProcessorUnavailable when nothing is known about the call;
 * Stripe's own error otherwise
 */
export async function ask<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { StripeConnectionError, StripePermissionError, StripeRateLimitError } = Stripe.errors;
    // Not a no: what was asked for, or something like it, may have happened while the account was ours.
    if (error instanceof StripePermissionError && error.code === 'account_invalid') throw new AccountLost(error);
    const status = error.statusCode ?? 0;
    const isSilent = error instanceof StripeConnectionError || error instanceof StripeRateLimitError;
    // 409: the same key is being worked on.
    if (isSilent || status === 409 || status >= 500 || status === 0) throw new ProcessorUnavailable(error);
    throw error;
  }
}

/** The answer, or null when Stripe says no: declined, in no state for it, or not for us. */
export async function unlessRefused<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await ask(call);
  } catch (error) {
    const { StripeCardError, StripeInvalidRequestError, StripePermissionError } = Stripe.errors;
    if (error instanceof StripeCardError || error instanceof StripeInvalidRequestError) return null;
    if (error instanceof StripePermissionError) return null;
    throw error;
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
