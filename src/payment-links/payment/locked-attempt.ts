import type { Scope } from '../../base/scope.ts';
import { transition } from '../../base/state-machine.ts';
import { sql } from '../../database/query/sql.ts';
import { lockLink } from '../link/lock.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';
import { ATTEMPT } from '../model/transitions.ts';

/** What the processor speaks of is not in our database (yet): another environment's, or a backup was restored. */
export class AttemptNotFound extends Error {
  constructor(what: string) {
    super(`${what} is not there yet`);
    this.name = 'AttemptNotFound';
  }
}

/** An attempt with what hangs on it, under the lock of its link. */
export interface LockedAttempt {
  link: PaymentLink;
  attempt: PaymentAttempt;
  transaction: Transaction | null;
}

/** Loads an attempt and what hangs on it, and locks its link. @throws AttemptNotFound */
export async function lockAttempt(scope: Scope, attemptId: string): Promise<LockedAttempt> {
  const [row] = await sql<{ linkId: string }>(
    scope.em,
    'select payment_link_id as "linkId" from payment_attempts where id = $1',
    [attemptId],
  );
  if (row === undefined) throw new AttemptNotFound('the attempt');
  // Everything else is read after the lock is held.
  const link = await lockLink(scope, row.linkId);
  const attempt = await scope.em.findOneOrFail(PaymentAttempt, { id: attemptId });
  return { link, attempt, transaction: await scope.em.findOne(Transaction, { attemptId }) };
}

/** Closes the attempt and frees its link, where the table has such a move. */
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
