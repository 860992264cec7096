import { LockMode } from '@mikro-orm/postgresql';
import { ApiError } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import { type LinkRef, readStates } from './read-states.ts';
import type { LinkState } from './state.ts';

/*
 * A change of a link, its attempts, transaction, refunds or disputes needs the lock of the link's row. The scope must
 * be in a transaction.
 */

/** The attempt is not in our database: it belongs to another environment, or a backup was restored. */
export class AttemptNotFound extends Error {
  constructor() {
    super('the attempt is not in the database');
    this.name = 'AttemptNotFound';
  }
}

/**
 * Locks a link and returns its state.
 *
 * @throws ApiError `not_found` if there is no such link, or its reader does not see it; AttemptNotFound if it is named by an
 *   unknown attempt
 */
export async function lockState(scope: Scope, ref: LinkRef): Promise<LinkState> {
  // An attempt never moves to another link.
  await sql(
    scope.em,
    `select id from payment_links where id = case when $1 like 'att\\_%'
       then (select payment_link_id from payment_attempts where id = $1) else $1 end for update`,
    [ref.id],
    { keepPlan: true },
  );
  // Another statement, which sees everything that was committed before the lock.
  const [read] = await readStates(scope, [ref]);
  if (read) return read.state;
  throw isId('paymentAttempt', ref.id) ? new AttemptNotFound() : new ApiError('not_found');
}

/** Locks and returns any link, for operators and the worker. @throws ApiError `not_found` */
export async function lockLink(scope: Scope, id: string): Promise<PaymentLink> {
  return requireLink(await scope.em.findOne(PaymentLink, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE }));
}

/** Returns the link if there is one. @throws ApiError `not_found` */
export function requireLink<Link extends object>(link: Link | null): Link {
  if (link === null) throw new ApiError('not_found');
  return link;
}
