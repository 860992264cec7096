import { LockMode } from '@mikro-orm/postgresql';
import { ApiError } from '../../platform/base/errors.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';

/** Locks the link's row until the transaction ends, and returns the link. @throws ApiError `not_found` */
export async function lockLink(scope: Scope, id: string): Promise<PaymentLink> {
  const link = await scope.em.findOne(PaymentLink, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (link === null) throw new ApiError('not_found');
  return link;
}
