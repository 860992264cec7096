import { LockMode } from '@mikro-orm/postgresql';
import { isDatabaseUnavailable } from '../base/database-errors.ts';
import type { CallerScope, Scope } from '../base/scope.ts';
import { fresh, inTransaction } from '../base/scope.ts';
import type { Processor } from '../processors/processor.ts';
import { checkExpiry, type LinkChanges } from './input.ts';
import { cancel, expire, requireActive } from './lifecycle.ts';
import { lockLink, lockVisibleLink } from './lock.ts';
import { matchPatient } from './new-link.ts';
import { PaymentLink, statusAt } from './payment-link.entity.ts';
import { clearTheWay, inTheWay } from './reconcile.ts';

/** Links expired per statement round of the sweep: enough to keep up, few enough to hold locks only briefly. */
const EXPIRY_BATCH = 100;

/**
 * Changes an active link. Another amount calls an open attempt off first, for the patient agreed to the old one; if that
 * comes too late, the link is paid. Everything else can change under a payment that is on its way.
 *
 * @throws ApiError `not_found`, `link_not_active`, `validation_error` on `expiresAt`; `service_unavailable` when an
 *   attempt is in the way and the processor doesn't answer
 */
export async function updateLink(
  scope: CallerScope,
  processor: Processor,
  id: string,
  changes: LinkChanges,
): Promise<PaymentLink> {
  const { expiresAt, patientPhone, amountCents } = changes;
  const now = scope.clock.now();
  // What no link could be given is refused before any is looked for: values come before existence and state.
  if (expiresAt !== undefined) checkExpiry(expiresAt, now, now);
  return changeLink(scope, processor, async (scope) => {
    const link = await lockVisibleLink(scope, id);
    requireActive(scope, link);
    if (expiresAt !== undefined) checkExpiry(expiresAt, link.createdAt, now);
    const changesAmount = amountCents !== undefined && amountCents !== link.amountCents;
    if (changesAmount && link.openAttemptId !== null) return { inTheWay: link.openAttemptId };
    scope.em.assign(link, changes);
    // The old number may have been somebody else's.
    if (patientPhone !== undefined) link.patientId = await matchPatient(scope, link);
    await scope.em.flush();
    return link;
  });
}

/**
 * Cancels an active link for the API; a cancelled one is returned unchanged. An open attempt is called off first.
 *
 * @throws ApiError `not_found`; `link_not_active`, also when the attempt turned out to be paid; `service_unavailable`
 */
export function cancelVisibleLink(scope: CallerScope, processor: Processor, id: string): Promise<PaymentLink> {
  return changeLink(scope, processor, async (scope) => cancelLocked(scope, await lockVisibleLink(scope, id), 'api'));
}

/** The same for office staff. */
export function cancelAsStaff(scope: Scope, processor: Processor, id: string): Promise<PaymentLink> {
  return changeLink(scope, processor, async (scope) => cancelLocked(scope, await lockLink(scope, id), 'staff'));
}

/** A change that an open attempt stands in the way of. */
interface Blocked {
  inTheWay: string;
}

/** Patients may submit anew in between, but hardly more often than this. */
const MAX_ROUNDS = 3;

/** Makes the change in a transaction; calls off what stands in the way, outside of it, and tries again. */
async function changeLink<S extends Scope>(
  scope: S,
  processor: Processor,
  change: (scope: S) => Promise<PaymentLink | Blocked>,
): Promise<PaymentLink> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const changed = await inTransaction(fresh(scope), change);
    if (!('inTheWay' in changed)) return changed;
    await clearTheWay(scope, processor, changed.inTheWay);
  }
  throw inTheWay();
}

async function cancelLocked(scope: Scope, link: PaymentLink, by: 'api' | 'staff'): Promise<PaymentLink | Blocked> {
  if (link.openAttemptId !== null) return { inTheWay: link.openAttemptId };
  if (link.status === 'active') requireActive(scope, link);
  await cancel(scope, link, by);
  return link;
}

/**
 * Expires links whose time has come and on which no payment is under way, a batch per transaction. Any number of workers
 * may run it at once: each takes links that no other has locked. A link that can't be expired fails its batch; the
 * batch's links are then taken one by one, so that it holds up nobody but itself.
 *
 * @returns how many were expired.
 */
export async function expireDueLinks(newScope: () => Scope): Promise<number> {
  const failed: string[] = [];
  let expired = 0;
  for (;;) {
    const count = await expireBatch(newScope(), failed, EXPIRY_BATCH).catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) throw error;
      return expireOneByOne(newScope, failed);
    });
    expired += count;
    if (count === 0) return expired;
  }
}

/** What is to be expired: a payment that is under way keeps its link from it. */
function overdue(scope: Scope) {
  return { status: 'active' as const, openAttemptId: null, expiresAt: { $lte: scope.clock.now() } };
}

/** The earliest due links, except those; returns how many there were. */
function expireBatch(scope: Scope, except: readonly string[], limit: number): Promise<number> {
  return inTransaction(scope, async (scope) => {
    const due = await scope.em.find(
      PaymentLink,
      { ...overdue(scope), id: { $nin: [...except] } },
      { limit, orderBy: { expiresAt: 'asc' }, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
    );
    if (due.length > 0) await expire(scope, due, 'system');
    return due.length;
  });
}

/** Up to a batch of links, each in its own transaction; the ids of those that can't be expired are added to `failed`. */
async function expireOneByOne(newScope: () => Scope, failed: string[]): Promise<number> {
  const scope = newScope();
  const due = await scope.em.find(
    PaymentLink,
    { ...overdue(scope), id: { $nin: [...failed] } },
    { limit: EXPIRY_BATCH, orderBy: { expiresAt: 'asc' }, fields: ['id'] },
  );
  let expired = 0;
  for (const { id } of due) {
    try {
      expired += await inTransaction(newScope(), async (scope) => {
        const link = await lockLink(scope, id);
        // As of now: a payment may have begun, or the link been given more time, before the lock was ours.
        if (link.status !== 'active' || statusAt(link, scope.clock.now()) !== 'expired') return 0;
        await expire(scope, [link], 'system');
        return 1;
      });
    } catch (err) {
      failed.push(id);
      scope.log.error({ err, paymentLinkId: id }, 'the link could not be expired');
    }
  }
  return expired;
}
