import type { Bench } from '../../scenario.ts';
import { seedLinks } from '../../seed/lists.ts';
import type { SeededPractice } from '../../seed/seed.ts';
import { compareLists, daysAgo, prepareComparison, type Question } from '../compared-lists.ts';

function questionsTo({ locationIds: [, locationId = ''] }: SeededPractice): Question[] {
  const [month, year] = [daysAgo(30), daysAgo(365)];
  const atLocation = `location_id = '${locationId}'`;
  return [
    ['first page', {}, 'true'],
    ...['active', 'expired', 'paid', 'cancelled'].map(
      (status): Question => [`status=${status}`, { status }, `status = '${status}'`],
    ),
    ['externalReference', { externalReference: 'visit-10' }, `external_reference = 'visit-10'`],
    ['externalReference of half', { externalReference: 'plan' }, `external_reference = 'plan'`],
    ['locationId', { locationId }, atLocation],
    ['locationId, status=paid', { locationId, status: 'paid' }, `${atLocation} and status = 'paid'`],
    ['createdAfter (a month ago)', { createdAfter: month }, `created_at >= '${month}'`],
    ['createdBefore (a month ago)', { createdBefore: month }, `created_at < '${month}'`],
    ['paidAfter (a month ago)', { paidAfter: month }, `paid_at >= '${month}'`],
    ['paidAfter (a year ago)', { paidAfter: year }, `paid_at >= '${year}'`],
  ];
}

/** Lists of a practice with very many links, against one with an ordinary number; near and far pages. */
export async function list(bench: Bench) {
  const links = { path: '/api/v1/payment-links', table: 'payment_links' } as const;
  const comparison = await prepareComparison(bench, links, ({ admin }, practice, rows) =>
    seedLinks(admin, practice, rows),
  );
  return compareLists(comparison, questionsTo);
}
