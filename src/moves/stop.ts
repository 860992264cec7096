import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { SLOTS_LOCK } from '../practices/service.ts';
import { inMove } from './connection.ts';
import { requireSlots } from './preconditions.ts';

/* The steps by which practices stop in the source: marked, drained, frozen. The guards come between the first two. */

/** Longest wait for deliveries and payments under way. Those that last longer end as after a crash of their process. */
const DRAIN_MS = 20_000;
const DRAIN_PAUSE_MS = 50;

/**
 * Lets no delivery and no payment start, and gives the slots to no further practice. The practices may be draining or frozen
 * already, by an interrupted run.
 *
 * @throws MoveRefused if other practices have the slots
 */
export async function mark(source: Client, practiceIds: readonly string[]): Promise<void> {
  await inMove(source, async () => {
    // Waits for transactions that create practices. Later ones see the mark.
    await source.query(`select pg_advisory_xact_lock(hashtextextended('${SLOTS_LOCK}', 0))`);
    await requireSlots(source, practiceIds);
    await source.query(`update practices set move_state = 'draining' where id = any ($1) and move_state is null`, [
      practiceIds,
    ]);
  });
}

/** Waits until no delivery attempt and no submission of a payment is under way. */
export async function drain(source: Client, practiceIds: readonly string[]): Promise<void> {
  const endsMs = performance.now() + DRAIN_MS;
  while (performance.now() < endsMs) {
    const { rowCount } = await source.query(
      `select from webhook_endpoints w join webhook_attempts a on a.endpoint_id = w.id and a.duration_ms is null
       where w.practice_id = any ($1) and w.lease_until > clock_timestamp()
       union all
       select from payment_attempts where practice_id = any ($1) and status in ('open', 'requires_action')
         and submitting_until > clock_timestamp()
       limit 1`,
      [practiceIds],
    );
    if (rowCount === 0) return;
    await pause(DRAIN_PAUSE_MS);
  }
}

/**
 * Freezes the practices. Each transaction that writes has a shared lock of its practice until it ends (the guard). So the
 * exclusive lock waits for all that have begun, and those that come later are refused at once.
 */
export async function freeze(source: Client, practiceIds: readonly string[]): Promise<void> {
  await inMove(source, async () => {
    for (const practiceId of practiceIds) {
      await source.query(`select pg_advisory_xact_lock(hashtextextended('move ' || $1, 0))`, [practiceId]);
    }
    await source.query(`update practices set move_state = 'frozen' where id = any ($1) and move_state = 'draining'`, [
      practiceIds,
    ]);
  });
}
