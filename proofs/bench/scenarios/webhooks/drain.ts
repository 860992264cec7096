import type pg from 'pg';
import { until } from '../../../../test/harness/until.ts';
import { processorMs } from '../../../proc.ts';
import { type Bench, repeat, scaled } from '../../scenario.ts';
import { seedDeliveries, seedEndpoints, seedPractices } from '../../seed/seed.ts';
import type { Stage } from '../../stage.ts';
import { machineMs } from '../../statistics.ts';

const DELIVERIES = 20_000;
/** Fewer to few endpoints: the rate is the same from the first second on, and slow. */
const BY_ENDPOINTS = new Map([
  [1, 1_000],
  [10, 4_000],
  [100, DELIVERIES],
  [1_000, DELIVERIES],
]);
/** Numbers of endpoints with a target. With many endpoints the machine is the limit, with few the round trips of one. */
const JUDGED = [100, 1_000];
/** Time after which deliveries that are left are not awaited: the rate is known. */
const LONGEST_MS = 15_000;
const DEADLINE_MS = 60_000;
const WARM_UP = 2_000;
const FLOOR =
  'the floor: a bare loop per endpoint over pg and undici: POST, then one statement that records attempt and outcome';

/** Endpoints that answer at once, in a database of their own. */
type DrainScene = Awaited<ReturnType<typeof drainScene>>;

export async function drainScene(stage: Stage, endpoints: number, receiver = stage.helper('receiver')) {
  const port = await receiver.call('start', null);
  const scene = await stage.newScene();
  const practices = await seedPractices(scene.admin, { practices: endpoints, locationsEach: 1, keysEach: 1 });
  const urls = Array.from({ length: endpoints }, (_, index) => `http://127.0.0.1:${port}/at-once/${index}`);
  return { scene, practices, receiver, port, endpoints: await seedEndpoints(scene.admin, practices, urls) };
}

/**
 * Queues deliveries, and wakes up their endpoints. Returns the deliveries per second, from the commit to the last outcome on
 * record. On a machine that is too slow for all of them in time, the rest does not count.
 */
export async function drainOnce({ scene, receiver, endpoints }: DrainScene, count: number): Promise<number> {
  await settle(scene.admin);
  await receiver.call('reset', null);
  await seedDeliveries(scene.admin, endpoints, count, true);
  // As autovacuum would within a minute; plans made on the table that was just emptied would last until then.
  await scene.admin.query('analyze webhook_deliveries, webhook_attempts');
  const startedMs = machineMs();
  const { received } = await receiver.call('awaitCount', { count, withinMs: LONGEST_MS });
  if (received === count) {
    await untilTrue(scene.admin, `not exists (select from webhook_deliveries where status in ('pending', 'retrying'))`);
  }
  return (received * 1000) / (machineMs() - startedMs);
}

/** Deletes all deliveries, and waits until the workers have noticed. */
export async function settle(admin: pg.Pool): Promise<void> {
  // Locks the whole table: row by row it would deadlock with workers that have locked two rows.
  await admin.query(`lock table webhook_deliveries in share row exclusive mode;
    update webhook_deliveries set status = 'skipped', due_at = null where due_at is not null`);
  await quiet(admin);
  await admin.query('truncate webhook_attempts, webhook_deliveries');
}

/** Waits until the workers have nothing left to do. */
export async function quiet(admin: pg.Pool): Promise<void> {
  await untilTrue(admin, 'not exists (select from webhook_endpoints where lease_until > now())');
}

/** Waits until an SQL condition is true. @throws Error after a minute */
export async function untilTrue(admin: pg.Pool, condition: string): Promise<void> {
  const isMet = async () => (await admin.query<{ met: boolean }>(`select ${condition} as met`)).rows[0]?.met ?? false;
  await until(isMet, { withinMs: DEADLINE_MS, failure: condition });
}

async function drainTo(endpointCount: number, deliveries: number, bench: Bench) {
  const { stage, effort } = bench;
  const service = await drainScene(stage, endpointCount);
  const bare = await drainScene(stage, endpointCount, service.receiver);
  const floorWorker = stage.helper('floorWorker');
  const worker = await stage.start('worker', service.scene);
  const count = scaled(effort, deliveries);
  const drainFloor = async (count: number) => {
    await bare.scene.admin.query('truncate webhook_attempts, webhook_deliveries');
    await seedDeliveries(bare.scene.admin, bare.endpoints, count, false);
    return (count * 1000) / (await floorWorker.call('drain', bare.scene.url));
  };
  const warmUp = scaled(effort, Math.min(WARM_UP, count));
  await drainOnce(service, warmUp);
  await drainFloor(warmUp);
  const workBefore = processorMs(worker.pid);
  const rates = await repeat(bench, `${endpointCount} endpoints`, async () => ({
    service: await drainOnce(service, count),
    floor: await drainFloor(count),
  }));
  const worked = ((processorMs(worker.pid) ?? 0) - (workBefore ?? 0)) / (count * effort.repetitions);
  await stage.clear();
  return {
    name: `${count.toLocaleString('en-US')} to ${endpointCount.toLocaleString('en-US')} endpoint(s)`,
    unit: 'deliveries/s',
    repetitions: rates.map(({ service }) => service),
    floor: { what: FLOOR, repetitions: rates.map(({ floor }) => floor) },
    note: workBefore === null ? undefined : `${worked.toFixed(2)} ms of the worker's processor time each`,
    target: JUDGED.includes(endpointCount) ? ({ of: 'ratio', limit: 0.5 } as const) : undefined,
  };
}

/** Delivering what has piled up. */
export async function drain(bench: Bench) {
  const figures = [];
  for (const [endpoints, deliveries] of BY_ENDPOINTS) figures.push(await drainTo(endpoints, deliveries, bench));
  return figures;
}
