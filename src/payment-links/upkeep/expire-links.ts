import type { Scope } from '../../platform/base/scope.ts';
import { isDatabaseUnavailable, isLockTimeout } from '../../platform/database/query/errors.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { expire } from '../decide/link-decision.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import { overdueSql, statusAt } from '../model/transitions.ts';
import type { Decide } from '../store/change.ts';
import { postgres } from '../store/postgres.ts';
import { type DecidedWrite, decideWrite, reportDecision } from '../store/writes.ts';

/** Links per statement. Its locks last a few tenths of a second. Only late payments wait: all other changes of overdue links are refused. */
const EXPIRY_BATCH_LINKS = 500;

/** Longest wait for one lock, in milliseconds: the shortest that outlasts a commit in progress. */
const LOCK_WAIT_MS = 10;

interface LeftOut {
  /** Links that cannot be expired, or that met a lock. */
  links: string[];
  /** Practices of which two links met a lock. */
  practices: string[];
  lockedOnce: Set<string>;
}

/** Expires overdue links, a batch per statement, also in several workers at once. Returns the number of expired links. */
export async function expireDueLinks(newScope: () => Scope, shouldContinue = () => true): Promise<number> {
  const leftOut: LeftOut = { links: [], practices: [], lockedOnce: new Set() };
  let total = 0;
  while (shouldContinue()) {
    const before = leftOut.links.length;
    const dueLinks = await findDue(newScope(), leftOut);
    const count = await expireBatch(newScope, dueLinks, leftOut);
    // Without progress, the next run tries again.
    if (count === 0 && leftOut.links.length === before) return total;
    total += count;
  }
  return total;
}

/** Finds the earliest overdue links, without locks. An open attempt keeps its link from expiring. */
function findDue({ em, clock }: Scope, { links, practices }: LeftOut): Promise<DueLink[]> {
  const text = `select id, practice_id as "practiceId" from payment_links where ${overdueSql('$1').join(' and ')}
    and id <> all ($2) and practice_id <> all ($3) order by expires_at limit ${EXPIRY_BATCH_LINKS}`;
  return sql(em, text, [clock.now(), links, practices]);
}

type DueLink = Pick<PaymentLink, 'id' | 'practiceId'>;

/** Expires these links together, or else each half of them. */
async function expireBatch(newScope: () => Scope, dueLinks: readonly DueLink[], leftOut: LeftOut): Promise<number> {
  const links = dueLinks.filter(({ practiceId }) => !leftOut.practices.includes(practiceId));
  const [link] = links;
  if (link === undefined) return 0;
  const scope = newScope();
  try {
    return await expireTogether(scope, links, leftOut);
  } catch (error) {
    if (isDatabaseUnavailable(error) && !isLockTimeout(error)) throw error;
    if (links.length === 1) {
      leaveOut(scope, leftOut, link, error);
      return 0;
    }
  }
  const middle = Math.floor(links.length / 2);
  const count = await expireBatch(newScope, links.slice(0, middle), leftOut);
  return count + (await expireBatch(newScope, links.slice(middle), leftOut));
}

/** Expires links by one read and one write. Links that cannot be expired are left out from now on. */
async function expireTogether(scope: Scope, dueLinks: readonly DueLink[], leftOut: LeftOut): Promise<number> {
  const refs = dueLinks.map(({ id }) => ({ id, viewer: null }));
  const reads = await postgres.read(scope, refs);
  const decide = decideExpiry(scope);
  const decisions: DecidedWrite[] = [];
  for (const [index, link] of dueLinks.entries()) {
    const read = reads[index];
    if (!read) continue;
    try {
      decisions.push(decideWrite(scope, read, decide));
    } catch (error) {
      leaveOut(scope, leftOut, link, error);
    }
  }
  const writingDecisions = decisions.filter(({ write }) => write !== null);
  const writes = writingDecisions.flatMap(({ write }) => write ?? []);
  const outcomes = await postgres.write(scope, writes, LOCK_WAIT_MS);
  const writtenDecisions = writingDecisions.filter((_, index) => outcomes[index]?.outcome === 'written');
  for (const decision of writtenDecisions) reportDecision(scope, decision);
  return writtenDecisions.length;
}

/** Leaves the link to the next run. After its second lock, a practice is left to it, because the lock may belong to an endpoint. */
function leaveOut({ log }: Scope, leftOut: LeftOut, { id, practiceId }: DueLink, err: unknown): void {
  leftOut.links.push(id);
  if (!isLockTimeout(err)) {
    log.error({ err, paymentLinkId: id }, 'the link could not be expired');
    return;
  }
  if (leftOut.lockedOnce.has(practiceId)) leftOut.practices.push(practiceId);
  leftOut.lockedOnce.add(practiceId);
  log.info({ practiceId, paymentLinkId: id }, 'the link expires later: a row that it needs is locked');
}

/** Returns the decision that a link expires if it is overdue. A payment may have begun since it was found, or `expiresAt` may have changed. */
export function decideExpiry({ clock }: Pick<Scope, 'clock'>): Decide {
  const now = clock.now();
  return (draft) => {
    const { link } = draft.state;
    if (link.status === 'active' && statusAt(link, now) === 'expired') expire(draft, 'system', now);
  };
}
