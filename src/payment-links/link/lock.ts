import { LockMode } from '@mikro-orm/postgresql';
import { ApiError } from '../../base/errors.ts';
import type { Scope } from '../../base/scope.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';

/** Locks and returns any link, for operators and the worker. @throws ApiError `not_found` */
export async function lockLink(scope: Scope, id: string): Promise<PaymentLink> {
  return requireLink(await scope.em.findOne(PaymentLink, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE }));
}

/** Returns the link if there is one. @throws ApiError `not_found` */
export function requireLink<Link extends object>(link: Link | null): Link {
  if (link === null) throw new ApiError('not_found');
  return link;
}
