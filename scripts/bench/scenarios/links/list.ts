import type { Bench, Scenario } from '../../scenario.ts';
import { seedLinks } from '../../seed/lists.ts';
import { type SeededPractice, seedPractices } from '../../seed/seed.ts';
import { compareLists, LARGE, type Question, rowsOf, SMALL } from '../compared-lists.ts';

/** The same questions to both practices; times are where both have an equal share of their rows. */
function questionsTo(practice: SeededPractice): Question[] {
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const location = practice.locationIds[1] ?? '';
  const links = (name: string, query: Record<string, string>, condition: string): Question => ({
    ...{ name, path: '/api/v1/payment-links', query: new URLSearchParams(query).toString() },
    ...{ table: 'payment_links', condition },
  });
  return [
    links('first page', {}, 'true'),
    ...['active', 'expired', 'paid', 'cancelled'].map((status) =>
      links(`status=${status}`, { status }, `status = '${status}'`),
    ),
    links('externalReference', { externalReference: 'visit-10' }, `external_reference = 'visit-10'`),
    links('externalReference of half', { externalReference: 'plan' }, `external_reference = 'plan'`),
    links('locationId', { locationId: location }, `location_id = '${location}'`),
    links(
      'locationId, status=paid',
      { locationId: location, status: 'paid' },
      `location_id = '${location}' and status = 'paid'`,
    ),
    links('createdAfter (a month ago)', { createdAfter: ago(30) }, `created_at >= '${ago(30)}'`),
    links('createdBefore (a month ago)', { createdBefore: ago(30) }, `created_at < '${ago(30)}'`),
    links('paidAfter (a month ago)', { paidAfter: ago(30) }, `paid_at >= '${ago(30)}'`),
    links('paidAfter (a year ago)', { paidAfter: ago(365) }, `paid_at >= '${ago(365)}'`),
  ];
}

async function run({ stage, effort, say }: Bench) {
  const scene = await stage.newScene();
  const [small, large] = await seedPractices(scene.admin, { practices: 2, locationsEach: 5, keysEach: 1 });
  if (small === undefined || large === undefined) throw new Error('two practices were asked for');
  say('making links');
  await seedLinks(scene.admin, small, rowsOf(effort, SMALL), 0, say);
  await seedLinks(scene.admin, large, rowsOf(effort, LARGE), SMALL, say);
  // As autovacuum would within a minute.
  await scene.admin.query('analyze');
  await scene.admin.query('checkpoint');
  const serve = await stage.start('serve', scene);
  const comparison = { scenario: 'list', effort, scene, load: stage.helper('load'), port: serve.port, say };
  return compareLists(comparison, [small, questionsTo(small)], [large, questionsTo(large)]);
}

/** Lists of a practice with very many links, against one with an ordinary number; near and far pages. */
export const list: Scenario = { name: 'list', run };
