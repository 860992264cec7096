import { type CallerScope, fresh, type Scope } from '../base/scope.ts';
import type { Processor } from '../processors/processor.ts';
import { checkExpiry } from './create/input.ts';
import { changeLink, type LockedLink } from './link/change.ts';
import {
  BlockedByAttempt,
  cancelled,
  type Decision,
  type LinkChanges,
  type LinkState,
  requireActive,
  updated,
} from './link/decide.ts';
import { lockLink, lockVisibleLink } from './link/lock.ts';
import type { PaymentLink } from './model/payment-link.entity.ts';
import { blockedByAttempt, cancelOpenAttempt } from './reconcile/reconcile.ts';

/* Changes of a link by the API and the office. Each of them may first have to cancel an open payment attempt. */

/** Limit of tries. A patient may submit again after each cancellation, but hardly more often. */
const MAX_TRIES = 3;

/**
 * Cancels an active link for the API; a cancelled one is returned unchanged. An open attempt is cancelled first.
 *
 * @throws ApiError `not_found`; `link_not_active`, also when the attempt turned out to be paid; `service_unavailable`
 */
export function cancelVisibleLink(scope: CallerScope, processor: Processor, id: string): Promise<LockedLink> {
  const now = scope.clock.now();
  return changeUnblocked(
    scope,
    processor,
    (scope) => lockVisibleLink(scope, id),
    (state) => cancelled(state, 'api', now),
  );
}

/** Cancels an active link for office staff; errors as for `cancelVisibleLink`. */
export function cancelAsStaff(scope: Scope, processor: Processor, id: string): Promise<LockedLink> {
  const now = scope.clock.now();
  return changeUnblocked(
    scope,
    processor,
    (scope) => lockLink(scope, id),
    (state) => cancelled(state, 'staff', now),
  );
}

/**
 * Changes an active link. A new amount first cancels an open attempt, because the patient agreed to the old amount. If
 * the cancellation comes too late, the link is paid. All other fields may change while a payment is open.
 *
 * @throws ApiError `not_found`, `link_not_active`, `validation_error` on `expiresAt`; `service_unavailable` when an
 *   attempt must be cancelled first and the processor does not answer
 */
export async function updateLink(
  scope: CallerScope,
  processor: Processor,
  id: string,
  changes: LinkChanges,
): Promise<LockedLink> {
  const { expiresAt } = changes;
  const now = scope.clock.now();
  // Values are checked before existence and state.
  if (expiresAt !== undefined) checkExpiry(expiresAt, now, now);
  return changeUnblocked(
    scope,
    processor,
    (scope) => lockVisibleLink(scope, id),
    (state) => {
      requireActive(state.link, now);
      if (expiresAt !== undefined) checkExpiry(expiresAt, state.link.createdAt, now);
      return updated(state, changes, now);
    },
  );
}

/** Changes a link. If an open attempt blocks the change, cancels the attempt outside the transaction and tries again. */
async function changeUnblocked<S extends Scope>(
  scope: S,
  processor: Processor,
  lock: (scope: S) => Promise<PaymentLink>,
  decide: (state: LinkState) => Decision,
): Promise<LockedLink> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    try {
      return await changeLink(fresh(scope), lock, decide);
    } catch (error) {
      if (!(error instanceof BlockedByAttempt)) throw error;
      await cancelOpenAttempt(scope, processor, error.attemptId);
    }
  }
  throw blockedByAttempt();
}
