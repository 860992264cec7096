import type { CallerScope } from '../base/scope.ts';
import type { Processor } from '../processors/processor.ts';
import { changeLink } from './change-link.ts';
import { checkExpiry, type LinkChanges } from './create/input.ts';
import { requireActive } from './link/lifecycle.ts';
import { lockVisibleLink } from './link/lock.ts';
import { matchPatient } from './link/patients.ts';
import type { PaymentLink } from './model/payment-link.entity.ts';

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
): Promise<PaymentLink> {
  const { expiresAt, patientPhone, amountCents } = changes;
  const now = scope.clock.now();
  // Values are checked before existence and state.
  if (expiresAt !== undefined) checkExpiry(expiresAt, now, now);
  return changeLink(scope, processor, async (scope) => {
    const link = await lockVisibleLink(scope, id);
    requireActive(scope, link);
    if (expiresAt !== undefined) checkExpiry(expiresAt, link.createdAt, now);
    const changesAmount = amountCents !== undefined && amountCents !== link.amountCents;
    if (changesAmount && link.openAttemptId !== null) return { blockingAttemptId: link.openAttemptId };
    scope.em.assign(link, changes);
    // The new telephone number may belong to another patient record.
    if (patientPhone !== undefined) link.patientId = await matchPatient(scope, link);
    await scope.em.flush();
    return link;
  });
}
