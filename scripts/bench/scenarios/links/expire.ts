import { setTimeout as pause } from 'node:timers/promises';
import { figure } from '../../figure.ts';
import { type Bench, type Scenario, scaled } from '../../scenario.ts';
import { seedActiveLinks } from '../../seed/changes.ts';
import type { Scene } from '../../stage.ts';
import { drainScene } from '../webhooks/drain.ts';

const LINKS = 10_000;
const ENDPOINTS = 100;
/** Time for seeding before the links are due. */
const LEAD_MS = 4_000;
const LONGEST_MS = 60_000;
const POLL_MS = 50;

async function run({ stage, effort, say }: Bench) {
  const receiver = stage.helper('receiver');
  const port = await receiver.call('start', null);
  const { scene, practices } = await drainScene(stage, port, ENDPOINTS);
  const count = scaled(effort, LINKS);
  const [expired, received]: [number[], number[]] = [[], []];
  for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
    await clear(scene);
    await receiver.call('reset', null);
    const worker = await stage.start('worker', scene);
    const dueAt = new Date(Date.now() + LEAD_MS);
    await seedActiveLinks(scene.admin, practices, count, { expiresAt: dueAt });
    await pause(Math.max(0, dueAt.getTime() - Date.now()));
    await untilPublished(scene, count);
    expired.push((Date.now() - dueAt.getTime()) / 1000);
    const came = await receiver.call('awaitCount', { count, withinMs: LONGEST_MS });
    if (came !== count) throw new Error(`${came} of ${count} events were received`);
    received.push((Date.now() - dueAt.getTime()) / 1000);
    await worker.stop();
    say(`repetition ${repetition} of ${effort.repetitions}`);
  }
  const common = { unit: 's', better: 'lower' } as const;
  const links = `${LINKS.toLocaleString('en-US')} links due at once`;
  return [
    figure('expire', {
      ...{ ...common, name: `${links}: the last one's event after`, repetitions: expired },
      target: { of: 'value', is: 'at most', limit: 15 },
      note: 'up to five seconds pass before the sweep looks',
    }),
    figure('expire', { ...common, name: `${links}: the last one received after`, repetitions: received }),
  ];
}

/** Waits until each link has its event. @throws Error after a minute */
async function untilPublished({ admin }: Scene, count: number): Promise<void> {
  const deadlineAt = Date.now() + LONGEST_MS;
  while (Date.now() < deadlineAt) {
    const { rows } = await admin.query<{ published: number }>(
      'select count(*)::integer as published from webhook_deliveries',
    );
    if (rows[0]?.published === count) return;
    await pause(POLL_MS);
  }
  throw new Error(`not all of ${count} links expired within ${LONGEST_MS} ms`);
}

/** Deletes links and events; no worker runs. */
async function clear({ admin }: Scene): Promise<void> {
  await admin.query(
    'truncate payment_links, webhook_attempts, webhook_deliveries, graphile_worker._private_jobs cascade',
  );
}

/** Very many links that expire at the same second. */
export const expire: Scenario = { name: 'expire', run };
