import type { CallerScope, Scope } from '../base/scope.ts';
import type { Processor } from '../processors/processor.ts';
import { type Blocked, changeLink } from './change-link.ts';
import { cancel, requireActive } from './link/lifecycle.ts';
import { lockLink, lockVisibleLink } from './link/lock.ts';
import type { PaymentLink } from './model/payment-link.entity.ts';

/**
 * Cancels an active link for the API; a cancelled one is returned unchanged. An open attempt is cancelled first.
 *
 * @throws ApiError `not_found`; `link_not_active`, also when the attempt turned out to be paid; `service_unavailable`
 */
export function cancelVisibleLink(scope: CallerScope, processor: Processor, id: string): Promise<PaymentLink> {
  return changeLink(scope, processor, async (scope) => cancelLocked(scope, await lockVisibleLink(scope, id), 'api'));
}

/** Cancels an active link for office staff; errors as for `cancelVisibleLink`. */
export function cancelAsStaff(scope: Scope, processor: Processor, id: string): Promise<PaymentLink> {
  return changeLink(scope, processor, async (scope) => cancelLocked(scope, await lockLink(scope, id), 'staff'));
}

async function cancelLocked(scope: Scope, link: PaymentLink, by: 'api' | 'staff'): Promise<PaymentLink | Blocked> {
  if (link.openAttemptId !== null) return { blockingAttemptId: link.openAttemptId };
  if (link.status === 'active') requireActive(scope, link);
  await cancel(scope, link, by);
  return link;
}
