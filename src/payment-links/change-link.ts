import { fresh, type Scope } from '../base/scope.ts';
import { inTransaction } from '../database/query/transaction.ts';
import type { Processor } from '../processors/processor.ts';
import type { PaymentLink } from './model/payment-link.entity.ts';
import { blockedByAttempt, cancelOpenAttempt } from './reconcile/reconcile.ts';

/** Result of a change that an open attempt blocks. */
export interface Blocked {
  blockingAttemptId: string;
}

/** Limit of tries. A patient may submit again after each cancellation, but hardly more often. */
const MAX_TRIES = 3;

/**
 * Makes the change in a transaction. If an open attempt blocks it, cancels the attempt outside the transaction and
 * tries again.
 *
 * @throws ApiError `service_unavailable` when the processor does not answer; errors of `change`
 */
export async function changeLink<S extends Scope>(
  scope: S,
  processor: Processor,
  change: (scope: S) => Promise<PaymentLink | Blocked>,
): Promise<PaymentLink> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const changed = await inTransaction(fresh(scope), change);
    if (!('blockingAttemptId' in changed)) return changed;
    await cancelOpenAttempt(scope, processor, changed.blockingAttemptId);
  }
  throw blockedByAttempt();
}
