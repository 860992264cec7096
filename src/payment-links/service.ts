import { type FilterQuery, LockMode } from '@mikro-orm/postgresql';
import type { CallerScope, Scope } from '../base/scope.ts';
import { fresh } from '../base/scope.ts';
import { isDatabaseUnavailable, isLockTimeout } from '../database/query/errors.ts';
import { inTransaction } from '../database/query/transaction.ts';
import type { Processor } from '../processors/processor.ts';
import { checkExpiry, type LinkChanges } from './create/input.ts';
import { matchPatient } from './create/prepare.ts';
import { cancel, expire, requireActive } from './link/lifecycle.ts';
import { lockLink, lockVisibleLink } from './link/lock.ts';
import { PaymentLink, statusAt } from './model/payment-link.entity.ts';
import { clearTheWay, inTheWay } from './reconcile/reconcile.ts';

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

/** What this turn of the sweep leaves to a later one. */
interface LeftOut {
  /** Links that cannot be expired. */
  links: string[];
  /** Practices of which somebody holds a row that is needed. */
  practices: string[];
}

/**
 * Expires links whose time has come and on which no payment is under way, a batch per transaction. Any number of workers
 * may run it at once: each takes links that no other has locked. If a batch meets a lock, each of its practices has a
 * transaction of its own, and those that meet it again are left to a later turn. If a batch fails otherwise, its links are
 * taken one by one. So neither a link nor a practice holds up any but itself.
 *
 * @returns how many were expired.
 */
export async function expireDueLinks(newScope: () => Scope): Promise<number> {
  const leftOut: LeftOut = { links: [], practices: [] };
  let expired = 0;
  for (;;) {
    const before = leftOut.links.length + leftOut.practices.length;
    let count: number;
    try {
      count = await expireBatch(newScope(), overdue(newScope(), leftOut));
      if (count === 0) return expired;
    } catch (error) {
      if (isLockTimeout(error)) count = await expireByPractice(newScope, leftOut);
      else if (isDatabaseUnavailable(error)) throw error;
      else count = await expireOneByOne(newScope, leftOut);
      // Neither progress nor anything to leave out: the next turn tries again.
      if (count === 0 && leftOut.links.length + leftOut.practices.length === before) return expired;
    }
    expired += count;
  }
}

/** What is to be expired: a payment that is under way keeps its link from it. */
function overdue(scope: Scope, { links, practices }: LeftOut) {
  return {
    status: 'active' as const,
    openAttemptId: null,
    expiresAt: { $lte: scope.clock.now() },
    id: { $nin: links },
    practiceId: { $nin: practices },
  };
}

/** The earliest due links among these, as far as nobody has locked them; returns how many there were. */
function expireBatch(scope: Scope, where: FilterQuery<PaymentLink>): Promise<number> {
  return inTransaction(scope, async (scope) => {
    const due = await scope.em.find(PaymentLink, where, {
      limit: EXPIRY_BATCH,
      orderBy: { expiresAt: 'asc' },
      lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE,
    });
    if (due.length > 0) await expire(scope, due, 'system');
    return due.length;
  });
}

/** A transaction for each practice of the next batch; those that meet a lock are left out from now on. */
async function expireByPractice(newScope: () => Scope, leftOut: LeftOut): Promise<number> {
  const scope = newScope();
  const where = overdue(scope, leftOut);
  const due = await findDue(scope, where);
  let expired = 0;
  for (const practiceId of new Set(due.map((link) => link.practiceId))) {
    try {
      expired += await expireBatch(newScope(), { $and: [where, { practiceId }] });
    } catch (err) {
      if (!isLockTimeout(err) && isDatabaseUnavailable(err)) throw err;
      // Whatever else is wrong the next batch meets again, and takes its links one by one.
      if (!isLockTimeout(err)) continue;
      leftOut.practices.push(practiceId);
      scope.log.info({ practiceId }, 'links expire later: somebody has locked what they need');
    }
  }
  return expired;
}

/** The next batch, without locks. */
function findDue(scope: Scope, where: FilterQuery<PaymentLink>) {
  return scope.em.find(PaymentLink, where, {
    limit: EXPIRY_BATCH,
    orderBy: { expiresAt: 'asc' },
    fields: ['id', 'practiceId'],
  });
}

/** Up to a batch of links, each in its own transaction; those that can't be expired are left out from now on. */
async function expireOneByOne(newScope: () => Scope, leftOut: LeftOut): Promise<number> {
  const scope = newScope();
  const due = await findDue(scope, overdue(scope, leftOut));
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
      leftOut.links.push(id);
      scope.log.error({ err, paymentLinkId: id }, 'the link could not be expired');
    }
  }
  return expired;
}
