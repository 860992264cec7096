import type { Repair, Repaired } from '../base/invariant.ts';
import type { Scope } from '../base/scope.ts';
import { statesBefore } from '../base/state-machine.ts';
import { type SqlValue, sql } from '../database/query/sql.ts';
import { expireIfOverdue } from './expire-links.ts';
import { lockLink } from './link/lock.ts';
import { PaymentAttempt } from './model/payment-attempt.entity.ts';
import { ATTEMPT } from './model/transitions.ts';

/* Repairs of links and payment attempts, for `paylinks check`. None of them decides about money. */

/** Returns the repair of a link that should have expired. */
export function expiryRepair({ id }: { id: string }): Repair {
  return {
    description: 'expire the link as a worker does',
    run: async (scope) => ((await expireIfOverdue(scope, id)) ? repairedLink(id) : null),
  };
}

/** Returns the repair of an attempt that is open for too long. Only the processor's answer closes it. */
export function askingRepair({ id }: { id: string }): Repair {
  return {
    description: 'make the attempt due; a running worker then asks the processor',
    run: ({ em, clock }) =>
      update(
        em,
        `update payment_attempts set reconcile_at = $2 where id = $1 and status = any ($3) and reconcile_at > $2
         returning payment_link_id as id`,
        [id, clock.now(), statesBefore(ATTEMPT, 'accept')],
      ),
  };
}

/** Returns the repair of a payment with a pending refund that nobody asks about. Only the processor's answer ends the refund. */
export function refundAskingRepair({ id }: { id: string }): Repair {
  return {
    description: 'make the payment due; a running worker then asks the processor about its refunds',
    run: ({ em, clock }) =>
      update(
        em,
        `update transactions set reconcile_at = $2
         where id = $1 and attempt_id is not null and (reconcile_at is null or reconcile_at > $2)
         returning payment_link_id as id`,
        [id, clock.now()],
      ),
  };
}

/**
 * Returns the repair of a link that names another open attempt than the one it has. A link that names a closed attempt could
 * never be paid or expire. One that does not name its open attempt could expire or change while it is being paid.
 */
export function openAttemptRepair({ id }: { id: string }): Repair {
  return {
    description: 'name the open attempt on the link, if the link is active, or none',
    async run(scope) {
      const link = await lockLink(scope, id);
      // Read under the lock of the link, without which no attempt begins or ends.
      const status = { $in: statesBefore(ATTEMPT, 'accept') };
      const open = await scope.em.findOne(PaymentAttempt, { paymentLinkId: id, status });
      const wanted = open?.id ?? null;
      if (link.openAttemptId === wanted || (wanted !== null && link.status !== 'active')) return null;
      link.openAttemptId = wanted;
      link.version += 1;
      return repairedLink(id);
    },
  };
}

async function update(em: Scope['em'], statement: string, values: readonly SqlValue[]): Promise<Repaired | null> {
  const [link] = await sql<{ id: string }>(em, statement, values);
  return link === undefined ? null : repairedLink(link.id);
}

function repairedLink(linkId: string): Repaired {
  return { target: { kind: 'payment_link', id: linkId } };
}
