import { type FilterQuery, LockMode } from '@mikro-orm/postgresql';
import { report } from '../../base/diagnostics.ts';
import { ApiError } from '../../base/errors.ts';
import type { CallerScope, Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { afterCommit } from '../../database/query/transaction.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import { visibleLink } from './read-states.ts';

/*
 * A change of a link, its attempts, transaction, refunds or disputes needs the lock of the link's row. The scope must
 * be in a transaction. It should not have loaded anything of the link before the lock.
 */

/** Restores a link if its row lies in the archive. Otherwise nothing of the archive is opened, which needs rights on it. */
const RESTORE = `select restore_links(array[id]) as links from payment_links
  where id = $1 and tableoid <> 'public.payment_links'::regclass`;

/** Locks and returns any link, for operators and the worker. @throws ApiError `not_found` */
export async function lockLink(scope: Scope, id: string): Promise<PaymentLink> {
  return requireLink(await lockWhere(scope, { id }));
}

/** Locks and returns the link as the scope's key sees it: of its practice, mode and pin. @throws ApiError `not_found` */
export async function lockVisibleLink(scope: CallerScope, linkId: string): Promise<PaymentLink> {
  const { id } = visibleLink(scope.caller, linkId);
  const { practiceId, test, locationId } = scope.caller;
  const pin = locationId === null ? {} : { locationId };
  return requireLink(await lockWhere(scope, { id, practiceId, test, ...pin }));
}

/**
 * Locks the link that the condition names, and brings it back if it is archived. So all that follows finds and writes it as
 * any other link.
 *
 * @returns null if there is none
 */
export async function lockWhere(scope: Scope, where: FilterQuery<PaymentLink>): Promise<PaymentLink | null> {
  for (;;) {
    const link = await scope.em.findOne(PaymentLink, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (link !== null) {
      // No active link is archived.
      if (link.closedAt !== null) await restore(scope, link.id);
      return link;
    }
    // The statement may have waited for the move of the link to the archive or from it. Then it found the link in neither.
    if ((await scope.em.count(PaymentLink, where)) === 0) return null;
  }
}

async function restore(scope: Scope, id: string): Promise<void> {
  const [restored] = await sql<{ links: number }>(scope.em, RESTORE, [id]);
  if (restored !== undefined) afterCommit(scope, () => report('links_restored', () => restored));
}

/** Returns the link if there is one. @throws ApiError `not_found` */
export function requireLink<Link extends Partial<PaymentLink>>(link: Link | null): Link {
  if (link === null) throw new ApiError('not_found');
  return link;
}
