import { setTimeout as pause } from 'node:timers/promises';
import type { Query } from '../evidence.ts';
import { bringReconciliationForward } from './at-sandbox.ts';
import { AGREEMENT_RULES } from './rules.ts';

/** Time in which workers must have asked about everything, also on a busy machine. */
const RECONCILED_MS = 60_000;

/** Pause between two times at which the reconciliation of all payments is made due. */
const FORWARD_MS = 10_000;

/**
 * Lets the workers ask the processor until its refunds and disputes agree with the tables, or the time is over. Then the
 * rules find what still differs.
 *
 * @param rules that must hold; by default those of refunds and disputes
 */
export async function untilReconciled(query: Query, rules = AGREEMENT_RULES, forMs = RECONCILED_MS): Promise<void> {
  const startedMs = performance.now();
  let forwardedMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    const nowMs = performance.now();
    if (nowMs - forwardedMs > FORWARD_MS) {
      await bringReconciliationForward(query);
      forwardedMs = nowMs;
    }
    const differing = await Promise.all(rules.map(({ find }) => find(query)));
    if (differing.flat().length === 0 || nowMs - startedMs > forMs) return;
    await pause(500);
  }
}

/** Numbers of refunds and disputes at the processor. */
export interface RefundCounts {
  refunds: number;
  disputes: number;
  /** Refunds of the console without an answer of the processor. */
  unanswered: number;
  /** Refunds and disputes that were made at the processor and are not recorded. */
  unknown: number;
}

/** Counts refunds and disputes, and those of them that only asking the processor completes. */
export async function countRefunds(query: Query): Promise<RefundCounts> {
  const [row] = await query<RefundCounts>(
    `select (select count(*)::integer from sandbox.refunds) as refunds,
       (select count(*)::integer from sandbox.disputes) as disputes,
       (select count(*)::integer from refunds where status = 'pending' and processor_reference is null) as unanswered,
       (select count(*)::integer from (
         select reference from sandbox.refunds where refund is null union all select reference from sandbox.disputes
         except all (select processor_reference from refunds union all select processor_reference from disputes)
       ) as s) as unknown`,
  );
  if (row === undefined) throw new Error('a count returns a row');
  return row;
}
