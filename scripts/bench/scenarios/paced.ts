import { type SeededEndpoint, type SeededPractice, seedEndpoints } from '../seed.ts';
import type { Helpers, Scene, Stage } from '../stage.ts';
import { drainScene } from './drain.ts';

/** What a steady stream of events is run with. */
export interface PacedStage {
  scene: Scene;
  receiver: Helpers['receiver'];
  publisher: Helpers['publisher'];
  practices: SeededPractice[];
  endpoints: SeededEndpoint[];
  /** Takes ten seconds to answer; has no events of its own but those that are seeded. */
  slow: SeededEndpoint[];
}

/** What became of a stream. */
export interface PacedResult {
  /** Milliseconds from just before the commit to the receipt, in the order of the events. */
  latencies: number[];
  missing: number;
  /** What the database was too slow to take. */
  unpublished: number;
  duplicates: number;
}

export const PER_SECOND = 200;
export const ENDPOINTS = 100;
/** How long the last events may be under way. */
const GRACE_MS = 15_000;

let sequences = 0;

/** A hundred practices with an endpoint each, and one more whose endpoint is slow; a worker for all of them. */
export async function pacedStage(stage: Stage): Promise<PacedStage> {
  const receiver = stage.helper('receiver');
  const port = await receiver.call('start', null);
  const { scene, practices, endpoints } = await drainScene(stage, port, ENDPOINTS);
  const { rows } = await scene.admin.query<{ id: string }>(
    `insert into practices (id, name, admin_email, payments_enabled, bank_debits_enabled, api_access_enabled, created_at)
     values ('prac_slow', 'Slow', 'a@b.example', true, true, true, now()) returning id`,
  );
  const slowPractices = rows.map(({ id }) => ({ id, locationIds: [], keys: [] }));
  const slow = await seedEndpoints(scene.admin, slowPractices, [`http://127.0.0.1:${port}/after/10000/slow`]);
  await stage.start('worker', scene);
  return { scene, receiver, publisher: stage.helper('publisher'), practices, endpoints, slow };
}

/** Publishes at a steady rate and waits for all receipts. */
export async function publishPaced(paced: PacedStage, databaseUrl: string, forMs: number): Promise<PacedResult> {
  const { receiver, publisher, practices } = paced;
  await receiver.call('reset', null);
  const firstSequence = sequences;
  const committed = await publisher.call('publishSteadily', {
    databaseUrl,
    practices: practices.map(({ id, locationIds }) => ({ id, locationId: locationIds[0] ?? '' })),
    perSecond: PER_SECOND,
    forMs,
    firstSequence,
  });
  sequences += Math.ceil((PER_SECOND * forMs) / 1000);
  await receiver.call('awaitCount', { count: committed.size, withinMs: GRACE_MS });
  const { times, duplicates } = await receiver.call('receipts', null);
  const latencies: number[] = [];
  let missing = 0;
  for (const [sequence, committedMs] of [...committed].sort(([a], [b]) => a - b)) {
    const receivedMs = times.get(sequence);
    if (receivedMs === undefined) missing++;
    else latencies.push(receivedMs - committedMs);
  }
  const unpublished = Math.floor((PER_SECOND * forMs) / 1000) - committed.size;
  if (latencies.length === 0) throw new Error('not one event arrived');
  return { latencies, missing, unpublished, duplicates };
}
