import { LockMode } from '@mikro-orm/postgresql';
import { ApiError } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import type { Caller, CallerScope, Scope } from '../../base/scope.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';

/*
 * Whoever moves a link, its attempts, transaction, refunds or disputes holds the lock of the link's row. The scope must
 * be in a transaction, and should have loaded nothing of the link before.
 */

const lockMode = LockMode.PESSIMISTIC_WRITE;

/** A link that the key sees, locked. @throws ApiError `not_found` */
export async function lockVisibleLink(scope: CallerScope, id: string): Promise<PaymentLink> {
  if (!isId('paymentLink', id)) throw new ApiError('not_found');
  return found(await scope.em.findOne(PaymentLink, visible(scope.caller, id), { lockMode }));
}

/** Any link, locked, for operators and the worker. @throws ApiError `not_found` */
export async function lockLink(scope: Scope, id: string): Promise<PaymentLink> {
  return found(await scope.em.findOne(PaymentLink, { id }, { lockMode }));
}

/** The link of a page, locked; null for a token that is nobody's. */
export function lockLinkByToken(scope: Scope, token: string): Promise<PaymentLink | null> {
  return scope.em.findOne(PaymentLink, { token }, { lockMode });
}

/** Practice, mode and pin of the key: what is out of it does not exist for the caller. */
export function visible({ practiceId, test, locationId }: Caller, id: string) {
  return { id, practiceId, test, ...(locationId === null ? {} : { locationId }) };
}

/** The link, unless there is none. @throws ApiError `not_found` */
export function found(link: PaymentLink | null): PaymentLink {
  if (link === null) throw new ApiError('not_found');
  return link;
}
