import type pg from 'pg';
import type { Figure } from '../../figure.ts';
import type { Bench, Scenario } from '../../scenario.ts';
import { seedHistory } from '../../seed/lists.ts';
import { type SeededPractice, seedEndpoints, seedPractices } from '../../seed/seed.ts';
import {
  compareLists,
  compareRequests,
  get,
  headersOf,
  LARGE,
  type Question,
  rowsOf,
  SMALL,
} from '../compared-lists.ts';

const DELIVERIES = '/api/v1/webhook-deliveries';
const ENDPOINTS_EACH = 3;
/** Different deliveries that are read or delivered again. */
const SINGLE = 200;

/** The same questions to both practices; times are where both have an equal share of their rows. */
function questionsTo(endpointId: string, linkId: string): Question[] {
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const deliveries = (name: string, query: Record<string, string>, condition: string): Question => ({
    ...{ name, path: DELIVERIES, query: new URLSearchParams(query).toString() },
    ...{ table: 'webhook_deliveries', condition },
  });
  return [
    deliveries('first page', {}, 'true'),
    deliveries('endpointId', { endpointId }, `endpoint_id = '${endpointId}'`),
    ...['delivered', 'exhausted', 'pending'].map((status) =>
      deliveries(`status=${status}`, { status }, `status = '${status}'`),
    ),
    ...['payment_link.paid', 'payment_link.expired', 'ping'].map((type) =>
      deliveries(`type=${type}`, { type }, `type = '${type}'`),
    ),
    deliveries(
      'endpointId, status=delivered, type=payment_link.paid',
      { endpointId, status: 'delivered', type: 'payment_link.paid' },
      `endpoint_id = '${endpointId}' and status = 'delivered' and type = 'payment_link.paid'`,
    ),
    deliveries('paymentLinkId', { paymentLinkId: linkId }, `payment_link_id = '${linkId}'`),
    deliveries('since (a week ago)', { since: ago(7) }, `created_at >= '${ago(7)}'`),
  ];
}

/** Deliveries of a practice, spread over its history. */
async function someOf(admin: pg.Pool, { id }: SeededPractice, condition: string) {
  const { rows } = await admin.query<{ id: string; payment_link_id: string }>(
    `select id, payment_link_id from webhook_deliveries where practice_id = $1 and ${condition} order by md5(id) limit $2`,
    [id, SINGLE],
  );
  return rows;
}

async function run({ stage, effort, say }: Bench) {
  const scene = await stage.newScene();
  const practices = await seedPractices(scene.admin, { practices: 2, locationsEach: 5, keysEach: 1 });
  const [small, large] = practices;
  if (small === undefined || large === undefined) throw new Error('two practices were asked for');
  const urls = Array.from({ length: 2 * ENDPOINTS_EACH }, () => 'http://127.0.0.1:9/');
  const endpoints = await seedEndpoints(scene.admin, practices, urls);
  say('making deliveries');
  await seedHistory(scene.admin, small, endpoints, rowsOf(effort, SMALL), 0, say);
  await seedHistory(scene.admin, large, endpoints, rowsOf(effort, LARGE), SMALL, say);
  // As autovacuum would within a minute.
  await scene.admin.query('analyze');
  await scene.admin.query('checkpoint');
  const serve = await stage.start('serve', scene);
  const comparison = { scenario: 'deliveries', effort, scene, load: stage.helper('load'), port: serve.port, say };
  const endpointOf = (practice: SeededPractice) => endpoints.find((of) => of.practice_id === practice.id)?.id ?? '';
  const asked = async (practice: SeededPractice) => {
    const [one] = await someOf(scene.admin, practice, `payment_link_id is not null`);
    return [practice, questionsTo(endpointOf(practice), one?.payment_link_id ?? '')] as const;
  };
  const figures: Figure[] = await compareLists(comparison, await asked(small), await asked(large));
  const reads = async (practice: SeededPractice) => {
    const some = await someOf(scene.admin, practice, 'true');
    return [practice, some.flatMap(({ id }) => get(practice, `${DELIVERIES}/${id}`))] as const;
  };
  say('single, redeliver');
  figures.push(
    await compareRequests(comparison, 'one delivery with its payload', await reads(small), await reads(large)),
  );
  const redeliveries = async (practice: SeededPractice) => {
    const some = await someOf(scene.admin, practice, `status in ('delivered', 'exhausted')`);
    const request = { method: 'POST' as const, headers: headersOf(practice) };
    return [practice, some.map(({ id }) => ({ ...request, path: `${DELIVERIES}/${id}/redeliver` }))] as const;
  };
  figures.push(
    await compareRequests(comparison, 'redeliver', await redeliveries(small), await redeliveries(large), 202),
  );
  return figures;
}

/** Deliveries of a practice with very many, against one with an ordinary number; near and far pages. */
export const deliveries: Scenario = { name: 'deliveries', run };
