import type pg from 'pg';
import type { Bench } from '../../scenario.ts';
import { seedHistory } from '../../seed/lists.ts';
import { type SeededPractice, seedEndpoints } from '../../seed/seed.ts';
import {
  compareLists,
  compareRequests,
  daysAgo,
  get,
  headersOf,
  prepareComparison,
  type Question,
} from '../compared-lists.ts';

const DELIVERIES = '/api/v1/webhook-deliveries';
const ENDPOINTS_EACH = 3;
/** Different deliveries that are read or delivered again. */
const SINGLE = 200;

function questionsTo(endpointId: string, paymentLinkId: string): Question[] {
  const week = daysAgo(7);
  const [atEndpoint, type] = [`endpoint_id = '${endpointId}'`, 'payment_link.paid'];
  return [
    ['first page', {}, 'true'],
    ['endpointId', { endpointId }, atEndpoint],
    ...['delivered', 'exhausted', 'pending'].map(
      (status): Question => [`status=${status}`, { status }, `status = '${status}'`],
    ),
    ...[type, 'payment_link.expired', 'ping'].map((type): Question => [`type=${type}`, { type }, `type = '${type}'`]),
    [
      'endpointId, status=delivered, type=payment_link.paid',
      { endpointId, status: 'delivered', type },
      `${atEndpoint} and status = 'delivered' and type = '${type}'`,
    ],
    ['paymentLinkId', { paymentLinkId }, `payment_link_id = '${paymentLinkId}'`],
    ['since (a week ago)', { since: week }, `created_at >= '${week}'`],
  ];
}

/** Deliveries of a practice, spread over its history. */
async function someOf(admin: pg.Pool, { id }: SeededPractice, condition: string) {
  const { rows } = await admin.query<{ id: string; endpoint_id: string; payment_link_id: string }>(
    `select id, endpoint_id, payment_link_id from webhook_deliveries where practice_id = $1 and ${condition} order by md5(id) limit $2`,
    [id, SINGLE],
  );
  return rows;
}

/** Deliveries of a practice with very many, against one with an ordinary number; near and far pages. */
export async function deliveries(bench: Bench) {
  const list = { path: DELIVERIES, table: 'webhook_deliveries' } as const;
  const comparison = await prepareComparison(bench, list, async ({ admin }, practice, rows) => {
    const urls = Array.from({ length: ENDPOINTS_EACH }, () => 'http://127.0.0.1:9/');
    await seedHistory(admin, practice, await seedEndpoints(admin, [practice], urls), rows);
  });
  const { scene, small, large } = comparison;
  const figures = await compareLists(comparison, async (practice) => {
    const [one] = await someOf(scene.admin, practice, 'payment_link_id is not null');
    return questionsTo(one?.endpoint_id ?? '', one?.payment_link_id ?? '');
  });
  const reads = async (practice: SeededPractice) => {
    const some = await someOf(scene.admin, practice, 'true');
    return [practice, some.flatMap(({ id }) => get(practice, `${DELIVERIES}/${id}`))] as const;
  };
  bench.say('single, redeliver');
  const read = await compareRequests(
    comparison,
    'one delivery with its payload',
    await reads(small),
    await reads(large),
  );
  const redeliveries = async (practice: SeededPractice) => {
    const some = await someOf(scene.admin, practice, `status in ('delivered', 'exhausted')`);
    const request = { method: 'POST' as const, headers: headersOf(practice) };
    return [practice, some.map(({ id }) => ({ ...request, path: `${DELIVERIES}/${id}/redeliver` }))] as const;
  };
  const [few, many] = [await redeliveries(small), await redeliveries(large)];
  return [...figures, read, await compareRequests(comparison, 'redeliver', few, many, 202)];
}
