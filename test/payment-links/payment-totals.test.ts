import { expect } from 'chai';
import fc from 'fast-check';
import type { Scope } from '../../src/base/scope.ts';
import { sql } from '../../src/database/query/sql.ts';
import { inTransaction } from '../../src/database/query/transaction.ts';
import { type Totals, totalsOf } from '../../src/payment-links/billing/daily-totals.ts';
import {
  type ListedPayment,
  listPayments,
  type PaymentCursor,
  type PaymentFilter,
  type PaymentPage,
  type PaymentState,
  STATE_FILTERS,
  type StateFilter,
} from '../../src/payment-links/billing/list-payments.ts';
import type { Viewer } from '../../src/payment-links/model/staff-status.ts';
import { countStaffLinks } from '../../src/payment-links/staff/counts.ts';
import { madeForEach, useServiceForEach } from '../harness/fixtures.ts';
import { Payments, SETTLE_SECONDS } from '../harness/payments.ts';

/** Days in June 2030 that begin at whole hours of UTC, and the end of the last one. */
const DAYS = ['2030-06-14T05:00:00Z', '2030-06-15T05:00:00Z', '2030-06-16T05:00:00Z', '2030-06-25T05:00:00Z'];
const STARTS = DAYS.map((day) => new Date(day));

/** The same days in a zone that begins them at half past an hour. */
const HALF_PAST = STARTS.map((start) => new Date(start.getTime() + 1_800_000));

/** Tables that pages about payments read. */
const READ = ['payment_links', 'transactions', 'payment_attempts', 'refunds', 'disputes', 'bank_reversals'];

describe('totals and lists of payments', function () {
  this.timeout(120_000);
  const service = useServiceForEach();
  const practice = madeForEach(() => service.practice());
  let secondId: string;
  let payments: Payments;

  beforeEach(async () => {
    secondId = await service.location(practice.practiceId, 'North');
    payments = new Payments(service);
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
    ...{ payments: 0, receivedCents: 0, processingCents: 0, refundedCents: 0, takenBackCents: 0 },
    ...{ feeCents: 0, netCents: 0, unknownFees: 0 },
  };

  /** The totals of a viewer, by day, location and method, each in one text. */
  const seen = async (viewer = viewerOf(), starts = STARTS) => {
    const rows = await totalsOf(service.scope(), viewer, starts);
    return new Map(
      rows.map(({ day, locationId, paymentMethodType, ...totals }) => [
        `${day} ${locationId} ${paymentMethodType}`,
        totals,
      ]),
    );
  };

  /** The same, added up here, payment by payment. No payment has a refund or dispute. */
  const expected = async (viewer = viewerOf(), starts = STARTS) => {
    const found = new Map<string, Totals>();
    const rows = await service.query<{
      status: string;
      amount_cents: number;
      fee_cents: number | null;
      payment_method_type: string;
      paid_at: string;
      location_id: string;
    }>(
      `select t.*, l.paid_at, l.location_id from transactions t join payment_links l on l.id = t.payment_link_id
       where l.practice_id = $1`,
      [practice.practiceId],
    );
    for (const row of rows) {
      const day = starts.findLastIndex((start) => start <= new Date(row.paid_at));
      if (day < 0 || day === starts.length - 1) continue;
      if (viewer.locationIds !== null && !viewer.locationIds.includes(row.location_id)) continue;
      const name = `${day} ${row.location_id} ${row.payment_method_type}`;
      const totals = { ...(found.get(name) ?? NOTHING) };
      totals.payments++;
      if (row.status === 'pending') totals.processingCents += row.amount_cents;
      if (row.status === 'succeeded' || row.status === 'refunded') {
        totals.receivedCents += row.amount_cents;
        totals.feeCents += row.fee_cents ?? 0;
        totals.netCents += row.amount_cents - (row.fee_cents ?? 0);
        if (row.fee_cents === null) totals.unknownFees++;
      }
      found.set(name, totals);
    }
    return found;
  };

  const counts = (viewer = viewerOf()) => countStaffLinks(service.scope(), viewer);

  it('the totals of any payments, whatever happens to them, are their sums by day, location and method', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('insert' as const), count: fc.integer({ min: 1, max: 40 }) }),
      fc.record({
        kind: fc.constant('change' as const),
        remainder: fc.nat(6),
        status: fc.constantFrom('pending', 'succeeded', 'failed', 'refunded'),
      }),
      fc.record({ kind: fc.constant('fee' as const), remainder: fc.nat(6) }),
    );
    // The first payments are earlier than the first day.
    await insert(0, 60);
    let inserted = 60;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        for (const one of steps) {
          if (one.kind === 'insert') {
            await insert(inserted, one.count, inserted % 2 === 0 ? 'pending' : 'succeeded');
            inserted += one.count;
          } else if (one.kind === 'change') {
            await service.query(
              `update transactions set status = $1, failure_reason = case when $1 = 'failed' then 'closed' end
               where substr(id, 5)::integer % 7 = $2 and (status <> 'failed' or $1 = 'failed')`,
              [one.status, one.remainder],
            );
          } else {
            await service.query('update transactions set fee_cents = 9 where substr(id, 5)::integer % 7 = $1', [
              one.remainder,
            ]);
          }
        }
        for (const viewer of [viewerOf(), viewerOf([secondId]), viewerOf([])]) {
          for (const starts of [STARTS, HALF_PAST]) {
            expect(await seen(viewer, starts)).to.deep.equal(await expected(viewer, starts));
          }
        }
      }),
      { numRuns: 8 },
    );
    expect((await seen()).size).to.be.above(0);
  });

  it('payments and debits that patients make are in the numbers at once, and when a debit settles or returns', async () => {
    for (const method of ['card_success', 'bank_settles', 'bank_returns']) {
      await payments.pay(await payments.link(practice, { locationId: secondId }), method);
    }
    expect(await counts()).to.include({ under_way: 2, paid: 1, returned: 0 });
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await payments.sweep();
    expect(await counts()).to.include({ under_way: 0, paid: 2, returned: 1 });
    expect(await counts(viewerOf([secondId]))).to.deep.equal(await counts());
    expect(await counts(viewerOf([practice.locationId]))).to.include({ under_way: 0, paid: 0, returned: 0 });
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

  it('the totals of some days read no payments of other days', async () => {
    await insert(0, 800);
    await service.query('vacuum analyze payment_links, transactions');
    const [, second = new Date(), third = new Date()] = STARTS;
    const few = await rowsRead((scope) => totalsOf(scope, viewerOf(), [second, third]));
    // So many that an index costs less than the table.
    await service.query(`update payment_links set paid_at = paid_at - interval '1 year'`);
    await insert(800, 20_000);
    await service.query(
      `update payment_links set paid_at = paid_at - interval '1 year' where id > 'plink_' || lpad('1599', 30, '0')`,
    );
    await service.query('vacuum analyze payment_links, transactions');
    expect(await rowsRead((scope) => totalsOf(scope, viewerOf(), [second, third])))
      .to.be.at.most(few)
      .and.above(0);
  });

  /** Refunds, disputes and reversals of some payments: three refunds of each second one, of which one failed. */
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
           (array['open', 'lost', 'won'])[1 + (n + k) % 3], 1, 'fraudulent', created_at
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
    for (const table of ['refunds', 'disputes', 'bank_reversals']) {
      await service.query(
        `update ${table} r set test = l.test, paid_at = l.paid_at, location_id = l.location_id,
           payment_method_type = t.payment_method_type
         from payment_links l join transactions t on t.payment_link_id = l.id
         where r.transaction_id = t.id and r.test is null`,
      );
    }
  }

  const filterOf = (state: StateFilter | null): PaymentFilter => ({ state, method: null, from: null, before: null });

  /** All payments of a list, page by page. */
  const pagesOf = async (viewer: Viewer, state: StateFilter | null, size: number) => {
    const found: ListedPayment[] = [];
    let cursor: PaymentCursor | null = null;
    do {
      const page: PaymentPage = await listPayments(service.scope(), viewer, filterOf(state), cursor, size);
      found.push(...page.payments);
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
      for (const [state, states] of Object.entries(STATE_FILTERS) as [StateFilter, readonly PaymentState[]][]) {
        const expected = all.filter((payment) => states.includes(payment.state)).map(({ id }) => id);
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
      for (const state of Object.keys(STATE_FILTERS) as StateFilter[]) {
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
      expect(read, Object.keys(STATE_FILTERS)[index]).to.be.below(1.5 * (few[index] ?? 0));
    }
  });
});
