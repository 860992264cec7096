import type { Scope } from '../../base/scope.ts';
import { transition } from '../../base/state-machine.ts';
import { sql } from '../../database/query/sql.ts';
import { lockLink } from '../link/lock.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';
import { ATTEMPT } from '../model/transitions.ts';

/** The attempt is not in our database: it belongs to another environment, or a backup was restored. */
export class AttemptNotFound extends Error {
  constructor() {
    super('the attempt is not in the database');
    this.name = 'AttemptNotFound';
  }
}

/** An attempt with its link and transaction, under the row lock of the link. */
export interface LockedAttempt {
  link: PaymentLink;
  attempt: PaymentAttempt;
  transaction: Transaction | null;
}

/** Locks the link of an attempt, then loads the attempt and its transaction. @throws AttemptNotFound */
export async function lockAttempt(scope: Scope, attemptId: string): Promise<LockedAttempt> {
  const [row] = await sql<{ linkId: string }>(
    scope.em,
    'select payment_link_id as "linkId" from payment_attempts where id = $1',
    [attemptId],
  );
  if (row === undefined) throw new AttemptNotFound();
  // Everything else is read under the lock.
  const link = await lockLink(scope, row.linkId);
  const attempt = await scope.em.findOneOrFail(PaymentAttempt, { id: attemptId });
  return { link, attempt, transaction: await scope.em.findOne(Transaction, { attemptId }) };
}

/** Closes the attempt and frees its link. @returns false if the table has no such transition: nothing changes */
export function closeAttempt(
  scope: Scope,
  { link, attempt }: LockedAttempt,
  event: 'accept' | 'accept_late' | 'fail' | 'cancel',
): boolean {
  const to = transition(ATTEMPT, attempt.status, event);
  if (to === null) return false;
  attempt.status = to;
  attempt.closedAt = scope.clock.now();
  attempt.reconcileAt = null;
  if (link.openAttemptId === attempt.id) link.openAttemptId = null;
  return true;
}
