import { expect } from 'chai';
import { readTotals, type Totals } from '../../src/payment-links/billing/movements.ts';
import {
  type ListedPayment,
  listPayments,
  PAYMENT_STATES,
  type PaymentFilter,
  type PaymentState,
} from '../../src/payment-links/billing/payments.ts';
import type { Viewer } from '../../src/payment-links/model/staff-status.ts';
import type { Cursor, Page } from '../../src/payment-links/office/page.ts';
import type { Scope } from '../../src/platform/base/scope.ts';
import { sql } from '../../src/platform/database/query/sql.ts';
import { inTransaction } from '../../src/platform/database/query/transaction.ts';
import { madeForEach, useServiceForEach } from '../harness/fixtures.ts';

/** Tables that pages about payments read. */
const READ = ['payment_links', 'transactions', 'payment_attempts', 'refunds', 'disputes', 'bank_reversals'];

describe('totals and lists of payments', function () {
  this.timeout(120_000);
  const service = useServiceForEach();
  const practice = madeForEach(() => service.practice());
  let secondId: string;

  beforeEach(async () => {
    secondId = await service.location(practice.practiceId, 'North');
  });

  const viewerOf = (locationIds: string[] | null = null): Viewer => ({
    practiceId: practice.practiceId,
    test: false,
    locationIds,
  });

  /** Inserts live payments by SQL: one each ten minutes from June 14 on, in turns over locations and methods. */
  const insert = (from: number, count: number, status = 'succeeded') =>
    service.query(
      `with numbers as (
         select n, timestamptz '2030-06-14' + n % 800 * interval '10 minutes' as at from generate_series($2::integer, $3) as n
       ), links as (
         insert into payment_links (id, practice_id, location_id, test, token, status, source, amount_cents, currency,
           description, patient_first_name, patient_last_name, expires_at, paid_at, closed_at, created_at)
         select 'plink_' || lpad(n::text, 30, '0'), $1, ($4::text[])[1 + n % 3 % 2], false, 'token-' || n, 'paid', 'api',
           100 + n, 'usd', 'Cleaning', 'Ada', 'Byron', at + interval '1 day', at, at, at from numbers returning id
       )
       insert into transactions (id, practice_id, payment_link_id, status, amount_cents, fee_cents, payment_method_type,
         failure_reason, created_at)
       select 'txn_' || n, $1, 'plink_' || lpad(n::text, 30, '0'), $5, 100 + n, case when n % 4 > 0 then n % 7 end,
         case when n % 5 = 0 then 'us_bank_account' else 'card' end, case when $5 = 'failed' then 'closed' end, at
       from numbers`,
      [practice.practiceId, from, from + count - 1, [practice.locationId, secondId], status],
    );

  const NOTHING: Totals = {
    ...{ payments: 0, receivedCents: 0, refundedCents: 0, takenBackCents: 0 },
    ...{ feeCents: 0, netCents: 0, unknownFees: 0 },
  };

  it('totals are the sums of payments by day, location and method, and count the fees that are not known', async () => {
    await insert(172, 1);
    await insert(176, 1);
    await insert(180, 4);
    await insert(184, 1, 'pending');
    await insert(186, 1, 'failed');
    await insert(187, 1, 'refunded');
    const [main, north] = [practice.locationId, secondId];
    const range = { from: '2030-06-14', to: '2030-06-24', timeZone: 'America/Chicago', method: null };
    const rows = await readTotals(service.scope(), viewerOf(), range);
    const totals = rows.map(({ day, locationId, paymentMethodType, ...sums }) => {
      return [`${day} ${locationId} ${paymentMethodType}`, sums] as const;
    });
    expect(new Map(totals)).to.deep.equal(
      new Map([
        [
          `2030-06-15 ${main} us_bank_account`,
          { ...NOTHING, payments: 1, receivedCents: 280, netCents: 280, unknownFees: 1 },
        ],
        [`2030-06-15 ${north} card`, { ...NOTHING, payments: 2, receivedCents: 568, feeCents: 11, netCents: 557 }],
        // The payment of 00:20 belongs to the day, and that of 23:40 to the day before.
        [
          `2030-06-15 ${main} card`,
          { ...NOTHING, payments: 3, receivedCents: 841, feeCents: 1, netCents: 840, unknownFees: 1 },
        ],
        [`2030-06-14 ${north} card`, { ...NOTHING, payments: 1, receivedCents: 272, netCents: 272, unknownFees: 1 }],
      ]),
    );
  });

  /** Rows of the tables that work reads. */
  const rowsRead = (work: (scope: Scope) => Promise<unknown>): Promise<number> =>
    inTransaction(service.scope(), async (scope) => {
      const soFar = async () => {
        const [row] = await sql<{ rows: number }>(
          scope.em,
          `with read as (select name::regclass as oid from unnest($1::text[]) as name)
           select sum(pg_stat_get_xact_tuples_returned(oid))::integer as rows from pg_class
           where oid in (select oid from read)
             or oid in (select indexrelid from pg_index where indrelid in (select oid from read))`,
          [READ],
        );
        return row?.rows ?? expect.fail();
      };
      const before = await soFar();
      await work(scope);
      return (await soFar()) - before;
    });

  /** Refunds, disputes and reversals of some payments: three refunds of each second one, of which one failed. Each fourth one is whole. */
  async function insertAfterPayment(from: number, count: number) {
    await service.query(
      `with t as (
         select *, substr(id, 5)::integer as n from transactions
         where practice_id = $1 and substr(id, 5)::integer between $2 and $3 and status in ('succeeded', 'refunded')
       ), refunds as (
         insert into refunds (id, practice_id, payment_link_id, transaction_id, amount_cents, status, created_at)
         select 're_' || n || '_' || k, practice_id, payment_link_id, id, 1, case when k = 3 then 'failed' else 'succeeded' end,
           created_at from t, generate_series(1, 3) as k where n % 2 = 0
       ), disputes as (
         insert into disputes (id, practice_id, payment_link_id, transaction_id, processor_reference, status, amount_cents,
           reason, created_at)
         select 'dp_' || n || '_' || k, practice_id, payment_link_id, id, 'dp_' || n || '_' || k,
           (array['open', 'lost', 'won'])[1 + (n / 3 + k) % 3], 1, 'fraudulent', created_at
         from t, generate_series(1, 2) as k where n % 3 = 0
       )
       insert into bank_reversals (id, practice_id, payment_link_id, transaction_id, processor_reference, amount_cents,
         created_at)
       select 'brev_' || n, practice_id, payment_link_id, id, 'brev_' || n, 1, created_at from t where n % 7 = 0`,
      [practice.practiceId, from, from + count - 1],
    );
    await service.query(
      `insert into refunds (id, practice_id, payment_link_id, transaction_id, bank_reversal_id, amount_cents, status,
         created_at)
       select 're_' || id, practice_id, payment_link_id, transaction_id, id, 1, 'succeeded', created_at
       from bank_reversals on conflict do nothing`,
    );
    await service.query(
      `update transactions set status = 'refunded' where practice_id = $1 and status = 'succeeded'
         and substr(id, 5)::integer between $2 and $3 and substr(id, 5)::integer % 4 = 0`,
      [practice.practiceId, from, from + count - 1],
    );
    for (const table of ['refunds', 'disputes', 'bank_reversals']) {
      await service.query(
        `update ${table} r set test = l.test, paid_at = l.paid_at, location_id = l.location_id,
           payment_method_type = t.payment_method_type
         from payment_links l join transactions t on t.payment_link_id = l.id
         where r.transaction_id = t.id and r.test is null`,
      );
    }
  }

  const filterOf = (state: PaymentState | null): PaymentFilter => ({ state, method: null, from: null, before: null });

  /** All payments of a list, page by page. */
  const pagesOf = async (viewer: Viewer, state: PaymentState | null, size: number) => {
    const found: ListedPayment[] = [];
    let cursor: Cursor | null = null;
    do {
      const page: Page<ListedPayment> = await listPayments(service.scope(), viewer, filterOf(state), cursor, size);
      found.push(...page.rows);
      cursor = page.next;
    } while (cursor !== null);
    return found;
  };

  it('the list of each state has exactly the payments of the state, newest first, on pages of any size', async () => {
    await insert(0, 180);
    await insert(180, 20, 'pending');
    await insert(200, 20, 'failed');
    await insertAfterPayment(0, 180);
    for (const viewer of [viewerOf(), viewerOf([secondId]), viewerOf([])]) {
      const all = await pagesOf(viewer, null, 1_000);
      for (const state of PAYMENT_STATES) {
        const expected = all.filter((payment) => payment.state === state).map(({ id }) => id);
        for (const size of [3, 50]) {
          const listed = (await pagesOf(viewer, state, size)).map(({ id }) => id);
          expect(listed, `${state}, ${size}`).to.deep.equal(expected);
        }
        if (viewer.locationIds === null) expect(expected.length, state).to.be.above(9);
      }
    }
  });

  it('a page of the list of each state reads as many rows with ten times as many payments', async () => {
    const readAll = async () => {
      await service.query('vacuum analyze payment_links, transactions, refunds, disputes, bank_reversals');
      const read: number[] = [];
      for (const state of PAYMENT_STATES) {
        read.push(await rowsRead((scope) => listPayments(scope, viewerOf(), filterOf(state), null, 10)));
      }
      return read;
    };
    const add = async (from: number, count: number) => {
      await insert(from, count);
      await insert(from + count, count, 'pending');
      await insert(from + 2 * count, count, 'failed');
      await insertAfterPayment(from, count);
    };
    await add(0, 200);
    const few = await readAll();
    await add(600, 2_000);
    const many = await readAll();
    for (const [index, read] of many.entries()) {
      expect(read, PAYMENT_STATES[index]).to.be.below(1.5 * (few[index] ?? 0));
    }
  });
});
