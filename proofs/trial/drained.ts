import { setTimeout as pause } from 'node:timers/promises';
import { FAST_DELIVERY } from '../../test/harness/service-process.ts';
import type { Query } from './evidence.ts';
import { findOverdueEndpoints } from './rules-of-tables.ts';

/** WEBHOOK_TIMEOUT_MS of the runs, the lease's margin over it, and the period of the sweep. */
export const TIMEOUT_MS = Number(FAST_DELIVERY.WEBHOOK_TIMEOUT_MS);
export const LEASE_MS = TIMEOUT_MS + 5_000;
const SWEEP_MS = 5_000;

/** Time that a busy machine of two cores adds to any bound. */
const SLOW_MACHINE_MS = 4_000;

/** Time for slow receivers to take their backlog, and for retry schedules to end. */
const DRAIN_MS = 120_000;

/** Waits until nothing is due, and checks that no endpoint waits for a worker too long. */
export async function untilDrained(query: Query, say: (text: string) => void) {
  const startedMs = performance.now();
  const boundMs = LEASE_MS + SWEEP_MS + SLOW_MACHINE_MS;
  const overdue = new Set<string>();
  let saidMs = 0;
  for (;;) {
    const elapsedMs = performance.now() - startedMs;
    const [row] = await query<{ waiting: number }>(
      `select count(*)::integer as waiting from webhook_deliveries where status in ('pending', 'retrying')`,
    );
    if (elapsedMs > boundMs) for (const text of await findOverdueEndpoints(query, boundMs)) overdue.add(text);
    // An endpoint that no worker serves would keep the run waiting.
    if (row?.waiting === 0 || overdue.size > 0 || elapsedMs > DRAIN_MS) {
      return { drainedMs: Math.round(elapsedMs), overdue: [...overdue] };
    }
    if (elapsedMs - saidMs > 5_000) {
      saidMs = elapsedMs;
      say(`${row?.waiting} deliveries wait`);
    }
    await pause(250);
  }
}
