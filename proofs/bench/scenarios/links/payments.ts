import { listPayments, type PaymentFilter } from '../../../../src/payment-links/billing/payments.ts';
import { asOperator } from '../../../trial/setup.ts';
import type { Measured } from '../../figure.ts';
import { type Bench, measureBoth, scaled } from '../../scenario.ts';
import { seedLinks } from '../../seed/lists.ts';
import { seedPractices } from '../../seed/seed.ts';
import { machineMs, percentile } from '../../statistics.ts';

const LINKS = 100_000;
/** Payments by the rare method. */
const RARE = 10;
const REQUESTS = 30;
const PAGE_SIZE = 50;
const ALL: PaymentFilter = { state: null, method: null, from: null, before: null };
const FLOOR = 'the same without the filter';

/** The console's list of payments by a method that few have, by the service's own code: the API has no such list. */
export async function comparePayments(bench: Bench): Promise<Measured[]> {
  const { stage, effort } = bench;
  const { admin, url } = await stage.newScene();
  const [practice] = await seedPractices(admin, { practices: 1, locationsEach: 5, keysEach: 1 });
  if (practice === undefined) throw new Error('a practice was asked for');
  const count = scaled(effort, LINKS);
  await seedLinks(admin, practice, { count, firstNumber: 0 });
  await admin.query(
    `update transactions set payment_method_type = 'card' where payment_method_type <> 'card' and id not in (
       select id from transactions where payment_method_type <> 'card' order by md5(id) limit $1)`,
    [RARE],
  );
  await admin.query('vacuum analyze transactions');
  const viewer = { practiceId: practice.id, test: false, locationIds: null };
  return asOperator(url, async (newScope) => {
    const p95Of = async (filter: PaymentFilter, expected: number) => {
      const times: number[] = [];
      for (let request = 0; request < REQUESTS; request++) {
        const startedMs = machineMs();
        const { rows } = await listPayments(newScope(), viewer, filter, null, PAGE_SIZE);
        times.push(machineMs() - startedMs);
        if (rows.length !== expected) throw new Error(`a page of ${rows.length} payments`);
      }
      return percentile(times, 95);
    };
    const { service, floor } = await measureBoth(
      bench,
      'payments by a rare method',
      () => p95Of({ ...ALL, method: 'us_bank_account' }, RARE),
      () => p95Of(ALL, PAGE_SIZE),
    );
    return [
      {
        ...{ name: `p95 at ${count.toLocaleString('en-US')} links: payments by a rare method`, unit: 'ms' },
        ...{
          repetitions: service,
          floor: { what: FLOOR, repetitions: floor },
          target: { of: 'ratio', limit: 3 } as const,
        },
      },
    ];
  });
}
