import { setTimeout as pause } from 'node:timers/promises';
import { type Bench, repeat, scaled } from '../../scenario.ts';
import { clearLinks, seedActiveLinks } from '../../seed/changes.ts';
import { drainScene, untilTrue } from '../webhooks/drain.ts';

const LINKS = 10_000;
const ENDPOINTS = 100;
/** Time for seeding before the links are due. */
const LEAD_MS = 4_000;
const LONGEST_MS = 60_000;

/** Very many links that expire at the same second. */
export async function expire(bench: Bench) {
  const { stage, effort } = bench;
  const { scene, practices, receiver } = await drainScene(stage, ENDPOINTS);
  const count = scaled(effort, LINKS);
  const times = await repeat(bench, 'expiries', async () => {
    await clearLinks(scene.admin);
    await receiver.call('reset', null);
    const worker = await stage.start('worker', scene);
    const dueAt = new Date(Date.now() + LEAD_MS);
    const secondsSinceDue = () => (Date.now() - dueAt.getTime()) / 1000;
    await seedActiveLinks(scene.admin, practices, count, { expiresAt: dueAt });
    await pause(Math.max(0, -1000 * secondsSinceDue()));
    await untilTrue(scene.admin, `(select count(*) from webhook_deliveries) = ${count}`);
    const expired = secondsSinceDue();
    const { received } = await receiver.call('awaitCount', { count, withinMs: LONGEST_MS });
    if (received !== count) throw new Error(`${received} of ${count} events were received`);
    const receivedAfter = secondsSinceDue();
    await worker.stop();
    return { expired, receivedAfter };
  });
  const links = `${LINKS.toLocaleString('en-US')} links due at once`;
  return [
    {
      ...{ name: `${links}: the last one's event after`, unit: 's', target: { of: 'value', limit: 15 } as const },
      repetitions: times.map(({ expired }) => expired),
      note: 'up to five seconds pass before the sweep looks',
    },
    {
      ...{ name: `${links}: the last one received after`, unit: 's' },
      repetitions: times.map(({ receivedAfter }) => receivedAfter),
    },
  ];
}
