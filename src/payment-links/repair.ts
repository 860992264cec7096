import { auditOwnAct } from '../audit/audit.ts';
import type { Repair } from '../base/invariant.ts';
import { fresh, type Scope } from '../base/scope.ts';
import { statesBefore } from '../base/state-machine.ts';
import { sql } from '../database/query/sql.ts';
import { inTransaction } from '../database/query/transaction.ts';
import { expireIfOverdue } from './expire-links.ts';
import { lockLink } from './link/lock.ts';
import { PaymentAttempt } from './model/payment-attempt.entity.ts';
import { ATTEMPT } from './model/transitions.ts';

/* Repairs of links and payment attempts, for `paylinks check`. None of them decides about money. */

/** Returns the repair of a link that should have expired. */
export function expiryRepair(linkId: string, practiceId: string): Repair {
  return {
    does: 'expire the link as a worker does',
    run: (scope) =>
      inTransaction(scope, async (scope) => {
        if (!(await expireIfOverdue(scope, linkId))) return false;
        record(scope, { practiceId, linkId, invariant: 'links_expire_in_time' });
        return true;
      }),
  };
}

/** Returns the repair of an attempt that is open for too long. Only the processor's answer closes it. */
export function askingRepair(attemptId: string, practiceId: string): Repair {
  return {
    does: 'make the attempt due; a running worker then asks the processor',
    run: (scope) =>
      inTransaction(scope, async (scope) => {
        const [asked] = await sql<{ linkId: string }>(
          scope.em,
          `update payment_attempts set reconcile_at = $2 where id = $1 and status = any ($3) and reconcile_at > $2
           returning payment_link_id as "linkId"`,
          [attemptId, scope.clock.now(), statesBefore(ATTEMPT, 'accept')],
        );
        if (asked === undefined) return false;
        record(scope, { practiceId, linkId: asked.linkId, invariant: 'attempts_end_in_a_day' });
        return true;
      }),
  };
}

/** Returns the repair of a payment with a pending refund that nobody asks about. Only the processor's answer ends the refund. */
export function refundAskingRepair(transactionId: string, practiceId: string): Repair {
  return {
    does: 'make the payment due; a running worker then asks the processor about its refunds',
    run: (scope) =>
      inTransaction(scope, async (scope) => {
        const [asked] = await sql<{ linkId: string }>(
          scope.em,
          `update transactions set reconcile_at = $2
           where id = $1 and attempt_id is not null and (reconcile_at is null or reconcile_at > $2)
           returning payment_link_id as "linkId"`,
          [transactionId, scope.clock.now()],
        );
        if (asked === undefined) return false;
        record(scope, { practiceId, linkId: asked.linkId, invariant: 'pending_refunds_are_asked_about' });
        return true;
      }),
  };
}

/**
 * Returns the repair of a link that names another open attempt than the one it has. A link that names a closed attempt could
 * never be paid or expire. One that does not name its open attempt could expire or change while it is being paid.
 */
export function openAttemptRepair(linkId: string, practiceId: string): Repair {
  return {
    does: 'name the open attempt on the link, if the link is active, or none',
    run: (scope) =>
      inTransaction(fresh(scope), async (scope) => {
        const link = await lockLink(scope, linkId);
        // Read under the lock of the link, without which no attempt begins or ends.
        const status = { $in: statesBefore(ATTEMPT, 'accept') };
        const open = await scope.em.findOne(PaymentAttempt, { paymentLinkId: linkId, status });
        const wanted = open?.id ?? null;
        if (link.openAttemptId === wanted || (wanted !== null && link.status !== 'active')) return false;
        link.openAttemptId = wanted;
        link.version += 1;
        record(scope, { practiceId, linkId, invariant: 'links_agree_with_attempts' });
        return true;
      }),
  };
}

function record(
  scope: Scope,
  { practiceId, linkId: id, invariant }: Record<'practiceId' | 'linkId' | 'invariant', string>,
) {
  const target = { kind: 'payment_link', id };
  auditOwnAct(scope, { practiceId, action: 'data.repaired', target, after: { invariant } });
}
