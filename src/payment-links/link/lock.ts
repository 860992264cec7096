import { type FilterQuery, LockMode } from '@mikro-orm/postgresql';
import { ApiError } from '../../base/errors.ts';
import type { CallerScope, Scope } from '../../base/scope.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import { visibleLink } from './read-states.ts';

/*
 * A change of a link, its attempts, transaction, refunds or disputes needs the lock of the link's row. The scope must
 * be in a transaction. It should not have loaded anything of the link before the lock.
 */

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

/** Locks and returns the link that the condition names; null if there is none. */
export function lockWhere(scope: Scope, where: FilterQuery<PaymentLink>): Promise<PaymentLink | null> {
  return scope.em.findOne(PaymentLink, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** Returns the link if there is one. @throws ApiError `not_found` */
export function requireLink<Link extends Partial<PaymentLink>>(link: Link | null): Link {
  if (link === null) throw new ApiError('not_found');
  return link;
}
