import { type FilterQuery, LockMode } from '@mikro-orm/postgresql';
import type { Scope } from '../base/scope.ts';
import { isDatabaseUnavailable, isLockTimeout } from '../database/query/errors.ts';
import { sql } from '../database/query/sql.ts';
import { inTransaction } from '../database/query/transaction.ts';
import { publish } from '../webhooks/events/publish.ts';
import { changeLocked, domainEventsOf } from './link/change.ts';
import { expired, unchanged } from './link/decide.ts';
import { loadParts } from './link/views.ts';
import { overdueAt, statusAt } from './model/overdue.ts';
import { PaymentLink } from './model/payment-link.entity.ts';

/**
 * Links per transaction. Six round trips per batch cost more than the links
 * themselves if batches are small. A batch of this size keeps its locks for a few tenths of a second. Only payments that
 * came too late wait for them, because every other change of an overdue link is refused.
 */
const EXPIRY_BATCH = 500;

/** Links that are expired one by one after a batch failed. */
const ALONE = 100;

/** Links and practices that this run leaves to the next one. */
interface LeftOut {
  /** Links that cannot be expired. */
  links: string[];
  /** Practices with a locked row. */
  practices: string[];
}

/**
 * Expires overdue links, a batch per transaction. Any number of workers may run it at once: each takes links that no
 * other has locked. If a batch meets a lock, each of its practices gets its own transaction. A practice that is still
 * locked waits for the next run. If a batch fails otherwise, its links are expired one by one. So a link or a practice
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
      count = await expireBatch(newScope(), overdue(newScope(), leftOut));
      if (count === 0) return total;
    } catch (error) {
      if (isLockTimeout(error)) count = await expireByPractice(newScope, leftOut);
      else if (isDatabaseUnavailable(error)) throw error;
      else count = await expireOneByOne(newScope, leftOut);
      // Without progress, the next run tries again.
      if (count === 0 && leftOut.links.length + leftOut.practices.length === before) return total;
    }
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

/** Expires the earliest of these links that are not locked; returns their number. */
function expireBatch(scope: Scope, where: FilterQuery<PaymentLink>): Promise<number> {
  return inTransaction(scope, async (scope) => {
    const due = await scope.em.find(PaymentLink, where, {
      limit: EXPIRY_BATCH,
      orderBy: { expiresAt: 'asc' },
      lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE,
      // The unit of work would write a statement that compares each link with all ids of the batch.
      disableIdentityMap: true,
    });
    if (due.length > 0) await closeAll(scope, due);
    return due.length;
  });
}

/** Expires unpaid links that the transaction has locked, in the same number of statements for any number of links. */
async function closeAll(scope: Scope, links: readonly PaymentLink[]): Promise<void> {
  const now = scope.clock.now();
  const parts = await loadParts(scope, links);
  const decisions = links.map((link) => {
    const own = parts.get(link.id);
    if (own === undefined) throw new Error('loadParts returns an entry for every link');
    // An overdue link has no open attempt and no payment.
    const none = { transaction: null, refunds: [], attempts: [], disputes: [], reversals: [] };
    return expired({ link: { ...link }, location: own.location, ...none }, 'system', now);
  });
  const closed = decisions.map(({ state }) => state.link);
  await sql(
    scope.em,
    `update payment_links l set status = c.status, closed_at = c.closed_at, closed_by = c.closed_by
     from unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[]) as c (id, status, closed_at, closed_by)
     where l.id = c.id`,
    [
      ...[closed.map(({ id }) => id), closed.map(({ status }) => status)],
      ...[closed.map(({ closedAt }) => closedAt?.toISOString() ?? null), closed.map(({ closedBy }) => closedBy)],
    ],
  );
  await publish(scope, ...decisions.flatMap(({ events }) => domainEventsOf(scope, events)));
}

/** Expires the next batch by one transaction per practice. Locked practices are left out from now on. */
async function expireByPractice(newScope: () => Scope, leftOut: LeftOut): Promise<number> {
  const scope = newScope();
  const where = overdue(scope, leftOut);
  const due = await findDue(scope, where, EXPIRY_BATCH);
  let total = 0;
  for (const practiceId of new Set(due.map((link) => link.practiceId))) {
    try {
      total += await expireBatch(newScope(), { $and: [where, { practiceId }] });
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
      leftOut.links.push(id);
      scope.log.error({ err, paymentLinkId: id }, 'the link could not be expired');
    }
  }
  return total;
}

/** Expires the link under its lock, if it is overdue. @returns false if it is not overdue */
export async function expireIfOverdue(scope: Scope, id: string): Promise<boolean> {
  const now = scope.clock.now();
  const { before, after } = await changeLocked(scope, { id, reader: null }, (state) => {
    // Checked again under the lock: a payment may have begun, or `expiresAt` may have changed.
    const isDue = state.link.status === 'active' && statusAt(state.link, now) === 'expired';
    return isDue ? expired(state, 'system', now) : unchanged(state);
  });
  return after.link.status !== before.link.status;
}
