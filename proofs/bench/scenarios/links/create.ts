import { apiBesideFloor } from '../../measured-load.ts';
import type { Load } from '../../processes/load-process.ts';
import type { Bench, Effort } from '../../scenario.ts';
import { type SeededPractice, seedPractices } from '../../seed/seed.ts';

/** 5,000 links a day each: enough keys for several minutes of this load. */
export const CREATE_PRACTICES = { practices: 100, locationsEach: 2, keysEach: 4 };

export const CONNECTIONS = 32;
/** One per connection, as many practices' systems have. */
export const ADDRESSES = process.platform === 'linux' ? CONNECTIONS : 1;

const FLOOR = 'the floor: bare Koa over pg: one statement that inserts link, day count and stored reply';

/** Body of a request: of ordinary size, some 400 bytes, with no real person. */
const BODY = {
  ...{ amount: 125.5, description: 'Cleaning and two fillings, March 3', externalReference: 'visit-2026-03-03-0815' },
  metadata: { visit: '815', clerk: 'front desk', ledger: 'A-2026-03' },
  patient: {
    ...{ firstName: 'Ada', lastName: 'Byron', phone: '+14155550123', email: 'ada.byron@example.org' },
    externalId: 'chart-104729',
  },
};

/** POST /payment-links with 32 connections over all keys. */
export function createLoad(practices: readonly SeededPractice[], effort: Effort, port: number): Load {
  return {
    ...{ port, connections: CONNECTIONS, addresses: ADDRESSES, idempotent: true, expectStatus: 201 },
    requests: practices.flatMap(({ keys, locationIds }) =>
      keys.map((key) => ({
        method: 'POST' as const,
        path: '/api/v1/payment-links',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...BODY, locationId: locationIds[0] }),
      })),
    ),
    ...{ warmUpMs: effort.warmUpMs / 2, windowMs: effort.windowMs },
  };
}

/** Creating links, through everything. */
export async function create(bench: Bench) {
  const { stage, effort } = bench;
  const scene = await stage.newScene();
  const practices = await seedPractices(scene.admin, CREATE_PRACTICES);
  const measure = await apiBesideFloor(bench, scene);
  const name = `${CONNECTIONS} connections, ${ADDRESSES} addresses`;
  return measure({ name, unit: 'requests/s', floor: FLOOR, rate: 0.6 }, (port) => createLoad(practices, effort, port));
}
