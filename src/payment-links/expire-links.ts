import type { Scope } from '../base/scope.ts';
import { isDatabaseUnavailable, isLockTimeout } from '../database/query/errors.ts';
import { expire } from './link/decide.ts';
import { overdueAt, statusAt } from './model/overdue.ts';
import { PaymentLink } from './model/payment-link.entity.ts';
import { change, type Decide, tryAll } from './store/change.ts';

/**
 * Links per statement. Three round trips per batch cost more than the links themselves if batches are small. A batch of this
 * size keeps its locks for a few tenths of a second. Only payments that came too late wait for them, because every other
 * change of an overdue link is refused.
 */
const EXPIRY_BATCH_LINKS = 500;

/** Links and practices that this run leaves to the next one. */
interface LeftOut {
  /** Links that cannot be expired, or that are locked. */
  links: string[];
  /** Practices with a locked row. */
  practices: string[];
}

/**
 * Expires overdue links, a batch per statement. Any number of workers may run it at once: each leaves out links that
 * another has locked. If a batch fails, each half of it is tried, down to one link. If that link meets another lock, such as that of
 * an endpoint, the rest of its practice waits for the next run. So a link or a practice delays only itself.
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
    const due = await findDue(newScope(), leftOut);
    const count = await expireBatch(newScope, due, leftOut);
    // Without progress, the next run tries again.
    if (count === 0 && leftOut.links.length + leftOut.practices.length === before) return total;
    total += count;
  }
  return total;
}

/** Finds the earliest overdue links, without locks. An open attempt keeps its link from expiring. */
function findDue({ em, clock }: Scope, { links, practices }: LeftOut): Promise<DueLink[]> {
  return em.find(
    PaymentLink,
    { ...overdueAt(clock.now()), id: { $nin: links }, practiceId: { $nin: practices } },
    { limit: EXPIRY_BATCH_LINKS, orderBy: { expiresAt: 'asc' }, fields: ['id', 'practiceId'] },
  );
}

type DueLink = Pick<PaymentLink, 'id' | 'practiceId'>;

/** Expires these links together, or each half of them. Returns the number of those that it expired. */
async function expireBatch(newScope: () => Scope, due: readonly DueLink[], leftOut: LeftOut): Promise<number> {
  const links = due.filter(({ practiceId }) => !leftOut.practices.includes(practiceId));
  const [first] = links;
  if (first === undefined) return 0;
  const scope = newScope();
  try {
    return await expireTogether(scope, links, leftOut);
  } catch (error) {
    if (isDatabaseUnavailable(error) && !isLockTimeout(error)) throw error;
    if (links.length === 1) {
      leaveOut(scope, leftOut, first, error);
      return 0;
    }
  }
  const middle = Math.floor(links.length / 2);
  const count = await expireBatch(newScope, links.slice(0, middle), leftOut);
  return count + (await expireBatch(newScope, links.slice(middle), leftOut));
}

/** Expires links by one read and one write. Locked links, and links that cannot be expired, are left out from now on. */
async function expireTogether(scope: Scope, due: readonly DueLink[], leftOut: LeftOut): Promise<number> {
  const decide = decideExpiry(scope);
  const tried = await tryAll(
    due.map(({ id }) => ({ scope, ref: { id, viewer: null }, decide })),
    'skip',
  );
  let count = 0;
  for (const [index, link] of due.entries()) {
    const result = tried[index];
    if (result?.outcome === 'changed' && result.after !== result.before) count += 1;
    if (result?.outcome === 'locked') leftOut.links.push(link.id);
    if (result?.outcome === 'refused') leaveOut(scope, leftOut, link, result.error);
  }
  return count;
}

/** Leaves the link to the next run; for a lock, all links of its practice. */
function leaveOut({ log }: Scope, leftOut: LeftOut, { id, practiceId }: DueLink, err: unknown): void {
  if (isLockTimeout(err)) {
    leftOut.practices.push(practiceId);
    log.info({ practiceId }, 'links expire later: a row that they need is locked');
  } else {
    leftOut.links.push(id);
    log.error({ err, paymentLinkId: id }, 'the link could not be expired');
  }
}

/** Returns the decision that a link expires if it is overdue. A payment may have begun since it was found, or `expiresAt` may have changed. */
export function decideExpiry({ clock }: Pick<Scope, 'clock'>): Decide {
  const now = clock.now();
  return (draft) => {
    const { link } = draft.state;
    if (link.status === 'active' && statusAt(link, now) === 'expired') expire(draft, 'system', now);
  };
}

/** Expires the link if it is overdue. @returns false if it is not */
export async function expireIfOverdue(scope: Scope, id: string): Promise<boolean> {
  const { before, after } = await change(scope, { id, viewer: null }, decideExpiry(scope));
  return after !== before;
}
