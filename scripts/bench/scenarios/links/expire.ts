import { setTimeout as pause } from 'node:timers/promises';
import { figure } from '../../figure.ts';
import { type Bench, repeat, type Scenario, scaled } from '../../scenario.ts';
import { clearLinks, seedActiveLinks } from '../../seed/changes.ts';
import { drainScene, untilTrue } from '../webhooks/drain.ts';

const LINKS = 10_000;
const ENDPOINTS = 100;
/** Time for seeding before the links are due. */
const LEAD_MS = 4_000;
const LONGEST_MS = 60_000;

async function run(bench: Bench) {
  const { stage, effort } = bench;
  const receiver = stage.helper('receiver');
  const port = await receiver.call('start', null);
  const { scene, practices } = await drainScene(stage, port, ENDPOINTS);
  const count = scaled(effort, LINKS);
  const times = await repeat(bench, 'expiries', async () => {
    await clearLinks(scene.admin);
    await receiver.call('reset', null);
    const worker = await stage.start('worker', scene);
    const dueAt = new Date(Date.now() + LEAD_MS);
    await seedActiveLinks(scene.admin, practices, count, { expiresAt: dueAt });
    await pause(Math.max(0, dueAt.getTime() - Date.now()));
    await untilTrue(scene.admin, `(select count(*) from webhook_deliveries) = ${count}`);
    const expired = (Date.now() - dueAt.getTime()) / 1000;
    const { received } = await receiver.call('awaitCount', { count, withinMs: LONGEST_MS });
    if (received !== count) throw new Error(`${received} of ${count} events were received`);
    const receivedAfter = (Date.now() - dueAt.getTime()) / 1000;
    await worker.stop();
    return { expired, receivedAfter };
  });
  const common = { unit: 's', better: 'lower' } as const;
  const links = `${LINKS.toLocaleString('en-US')} links due at once`;
  return [
    figure('expire', {
      ...{ ...common, name: `${links}: the last one's event after`, repetitions: times.map(({ expired }) => expired) },
      target: { of: 'value', is: 'at most', limit: 15 },
      note: 'up to five seconds pass before the sweep looks',
    }),
    figure('expire', {
      ...{ ...common, name: `${links}: the last one received after` },
      repetitions: times.map(({ receivedAfter }) => receivedAfter),
    }),
  ];
}

/** Very many links that expire at the same second. */
export const expire: Scenario = { name: 'expire', run };
