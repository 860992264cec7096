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

/**
 * Counts refunds and disputes at the processor. Of them only asking the processor completes refunds that are `unanswered`, and
 * those that are `unknown` to the tables.
 */
export async function countRefunds(query: Query) {
  const [row] = await query<Record<'refunds' | 'disputes' | 'unanswered' | 'unknown', number>>(
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
