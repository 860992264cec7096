import type { FilterQuery } from '@mikro-orm/postgresql';
import type { Scope } from '../base/scope.ts';
import { isDatabaseUnavailable, isLockTimeout } from '../database/query/errors.ts';
import { expired, unchanged } from './link/decide.ts';
import type { LinkState } from './link/state.ts';
import { overdueAt, statusAt } from './model/overdue.ts';
import { PaymentLink } from './model/payment-link.entity.ts';
import { change } from './store/change.ts';
import { changeAll } from './store/change-once.ts';

/**
 * Links per statement. Three round trips per batch cost more than the links themselves if batches are small. A batch of this
 * size keeps its locks for a few tenths of a second. Only payments that came too late wait for them, because every other
 * change of an overdue link is refused.
 */
const EXPIRY_BATCH = 500;

/** Links that are expired one by one after a batch failed. */
const ALONE = 100;

/** Result of one batch: links that were found, and those that were expired. */
interface Batch {
  due: number;
  expired: number;
}

/** Links and practices that this run leaves to the next one. */
interface LeftOut {
  /** Links that cannot be expired, or that are locked. */
  links: string[];
  /** Practices with a locked row. */
  practices: string[];
}

/**
 * Expires overdue links, a batch per statement. Any number of workers may run it at once: each leaves out links that
 * another has locked. If a batch meets the lock of an endpoint, each of its practices gets its own statement. A practice
 * that is still locked waits for the next run. If a batch fails otherwise, its links are expired one by one. So a link or a practice
 * delays only itself.
 *
 * @param shouldContinue called before each batch; false ends the run
 * @returns the number of expired links
 */
export async function expireDueLinks(
  newScope: () => Scope,
  shouldContinue: () => boolean = () => true,
): Promise<number> {
  const leftOut: LeftOut = { links: [], practices: [] };
  let total = 0;
  while (shouldContinue()) {
    const before = leftOut.links.length + leftOut.practices.length;
    let count: number;
    try {
      const batch = await expireBatch(newScope(), overdue(newScope(), leftOut), leftOut);
      if (batch.due === 0) return total;
      count = batch.expired;
    } catch (error) {
      if (isLockTimeout(error)) count = await expireByPractice(newScope, leftOut);
      else if (isDatabaseUnavailable(error)) throw error;
      else count = await expireOneByOne(newScope, leftOut);
    }
    // Without progress, the next run tries again.
    if (count === 0 && leftOut.links.length + leftOut.practices.length === before) return total;
    total += count;
  }
  return total;
}

/** Returns the condition of overdue links. An open attempt keeps its link from expiring. */
function overdue(scope: Scope, { links, practices }: LeftOut) {
  return {
    ...overdueAt(scope.clock.now()),
    id: { $nin: links },
    practiceId: { $nin: practices },
  };
}

/** Expires the earliest of these links by one read and one write. Locked links are left out from now on. */
async function expireBatch(scope: Scope, where: FilterQuery<PaymentLink>, leftOut: LeftOut): Promise<Batch> {
  const due = await findDue(scope, where, EXPIRY_BATCH);
  const decide = expiry(scope);
  const changes = due.map(({ id }) => ({ scope, ref: { id, viewer: null }, decide }));
  const tried = await changeAll(changes, 'skip');
  let count = 0;
  for (const [index, { id }] of due.entries()) {
    const result = tried[index];
    if (result?.outcome === 'changed' && result.after !== result.before) count += 1;
    if (result?.outcome === 'locked') leftOut.links.push(id);
    if (result?.outcome === 'refused') leaveOut(scope, leftOut, id, result.error);
  }
  return { due: due.length, expired: count };
}

/** Returns the decision that a link expires if it is overdue. A payment may have begun since it was found, or `expiresAt` may have changed. */
function expiry({ clock }: Scope) {
  const now = clock.now();
  return (state: LinkState) => {
    const isOverdue = state.link.status === 'active' && statusAt(state.link, now) === 'expired';
    return isOverdue ? expired(state, 'system', now) : unchanged(state);
  };
}

function leaveOut(scope: Scope, leftOut: LeftOut, paymentLinkId: string, err: unknown): void {
  leftOut.links.push(paymentLinkId);
  scope.log.error({ err, paymentLinkId }, 'the link could not be expired');
}

/** Expires the next batch by one statement per practice. Locked practices are left out from now on. */
async function expireByPractice(newScope: () => Scope, leftOut: LeftOut): Promise<number> {
  const scope = newScope();
  const where = overdue(scope, leftOut);
  const due = await findDue(scope, where, EXPIRY_BATCH);
  let total = 0;
  for (const practiceId of new Set(due.map((link) => link.practiceId))) {
    try {
      total += (await expireBatch(newScope(), { $and: [where, { practiceId }] }, leftOut)).expired;
    } catch (err) {
      if (!isLockTimeout(err) && isDatabaseUnavailable(err)) throw err;
      // The next batch meets any other error again, and expires its links one by one.
      if (!isLockTimeout(err)) continue;
      leftOut.practices.push(practiceId);
      scope.log.info({ practiceId }, 'links expire later: a row that they need is locked');
    }
  }
  return total;
}

/** Finds the earliest of these links, without locks. */
function findDue(scope: Scope, where: FilterQuery<PaymentLink>, limit: number) {
  return scope.em.find(PaymentLink, where, {
    limit,
    orderBy: { expiresAt: 'asc' },
    fields: ['id', 'practiceId'],
  });
}

/** Expires the earliest links, each in its own transaction. Links that fail are left out from now on. */
async function expireOneByOne(newScope: () => Scope, leftOut: LeftOut): Promise<number> {
  const scope = newScope();
  const due = await findDue(scope, overdue(scope, leftOut), ALONE);
  let total = 0;
  for (const { id } of due) {
    try {
      if (await expireIfOverdue(newScope(), id)) total += 1;
    } catch (err) {
      leaveOut(scope, leftOut, id, err);
    }
  }
  return total;
}

/** Expires the link if it is overdue. @returns false if it is not */
export async function expireIfOverdue(scope: Scope, id: string): Promise<boolean> {
  const { before, after } = await change(scope, { id, viewer: null }, expiry(scope));
  return after !== before;
}
