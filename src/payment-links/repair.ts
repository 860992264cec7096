import { auditOwnAct } from '../audit/audit.ts';
import type { Repair } from '../base/invariant.ts';
import { fresh, type Scope } from '../base/scope.ts';
import { statesBefore } from '../base/state-machine.ts';
import { type SqlValue, sql } from '../database/query/sql.ts';
import { inTransaction } from '../database/query/transaction.ts';
import { expireIfOverdue } from './expire-links.ts';
import { lockLink } from './link/lock.ts';
import { PaymentAttempt } from './model/payment-attempt.entity.ts';
import { ATTEMPT } from './model/transitions.ts';

/* Repairs of links and payment attempts, for `paylinks check`. None of them decides about money. */

/** Returns the repair of a link that should have expired. */
export function expiryRepair(linkId: string, practiceId: string): Repair {
  return repair('expire the link as a worker does', practiceId, 'links_expire_in_time', async (scope) =>
    (await expireIfOverdue(scope, linkId)) ? linkId : null,
  );
}

/** Returns the repair of an attempt that is open for too long. Only the processor's answer closes it. */
export function askingRepair(attemptId: string, practiceId: string): Repair {
  const does = 'make the attempt due; a running worker then asks the processor';
  return repair(does, practiceId, 'attempts_end_in_a_day', ({ em, clock }) =>
    updatedLink(
      em,
      `update payment_attempts set reconcile_at = $2 where id = $1 and status = any ($3) and reconcile_at > $2
       returning payment_link_id as "linkId"`,
      [attemptId, clock.now(), statesBefore(ATTEMPT, 'accept')],
    ),
  );
}

/** Returns the repair of a payment with a pending refund that nobody asks about. Only the processor's answer ends the refund. */
export function refundAskingRepair(transactionId: string, practiceId: string): Repair {
  const does = 'make the payment due; a running worker then asks the processor about its refunds';
  return repair(does, practiceId, 'pending_refunds_are_asked_about', ({ em, clock }) =>
    updatedLink(
      em,
      `update transactions set reconcile_at = $2
       where id = $1 and attempt_id is not null and (reconcile_at is null or reconcile_at > $2)
       returning payment_link_id as "linkId"`,
      [transactionId, clock.now()],
    ),
  );
}

/**
 * Returns the repair of a link that names another open attempt than the one it has. A link that names a closed attempt could
 * never be paid or expire. One that does not name its open attempt could expire or change while it is being paid.
 */
export function openAttemptRepair(linkId: string, practiceId: string): Repair {
  const does = 'name the open attempt on the link, if the link is active, or none';
  return repair(does, practiceId, 'links_agree_with_attempts', async (scope) => {
    const link = await lockLink(scope, linkId);
    // Read under the lock of the link, without which no attempt begins or ends.
    const status = { $in: statesBefore(ATTEMPT, 'accept') };
    const open = await scope.em.findOne(PaymentAttempt, { paymentLinkId: linkId, status });
    const wanted = open?.id ?? null;
    if (link.openAttemptId === wanted || (wanted !== null && link.status !== 'active')) return null;
    link.openAttemptId = wanted;
    link.version += 1;
    return linkId;
  });
}

/** Makes a repair that records itself. `fix` returns the link that it has repaired; null if nothing was wrong any more. */
function repair(
  does: string,
  practiceId: string,
  invariant: string,
  fix: (scope: Scope) => Promise<string | null>,
): Repair {
  return {
    does,
    run: (scope) =>
      inTransaction(fresh(scope), async (scope) => {
        const id = await fix(scope);
        if (id === null) return false;
        const target = { kind: 'payment_link', id };
        auditOwnAct(scope, { practiceId, action: 'data.repaired', target, after: { invariant } });
        return true;
      }),
  };
}

async function updatedLink(em: Scope['em'], update: string, values: readonly SqlValue[]): Promise<string | null> {
  const [row] = await sql<{ linkId: string }>(em, update, values);
  return row?.linkId ?? null;
}
