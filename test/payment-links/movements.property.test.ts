import { expect } from 'chai';
import fc from 'fast-check';
import {
  listMovements,
  type Movement,
  readTotals,
  type Totals,
  totalsByDay,
} from '../../src/payment-links/billing/movements.ts';
import type { Viewer } from '../../src/payment-links/model/staff-status.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { addDays, dayIn, startOfDay } from '../../src/platform/base/time/zoned-time.ts';
import { useService } from '../harness/fixtures.ts';

const seed = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);

/** The days of the world, with the change to winter time among them. */
const FIRST_DAY = '2029-10-30';
const DAYS = 8;

const ZONES = ['America/Chicago', 'America/New_York', 'Pacific/Honolulu', 'Asia/Kolkata'];

/** A moment: a day, and milliseconds after its start. The borders of days are frequent. */
const MOMENT = fc.record({
  day: fc.integer({ min: 0, max: DAYS - 1 }),
  ms: fc.oneof(fc.constantFrom(-1, 0, 1), fc.nat(23 * 3_600_000)),
});

const PART = fc.record({ share: fc.integer({ min: 1, max: 5 }), at: MOMENT });

const PAYMENT = fc.record({
  practice: fc.nat(1),
  test: fc.boolean(),
  location: fc.nat(1),
  cents: fc.integer({ min: 5, max: 2_000_000 }),
  at: MOMENT,
  method: fc.constantFrom('card', 'us_bank_account'),
  status: fc.constantFrom('pending', 'failed', 'succeeded', 'succeeded', 'succeeded', 'refunded'),
  fee: fc.constantFrom(null, 0, 3),
  refunds: fc.array(fc.record({ part: PART, status: fc.constantFrom('pending', 'succeeded', 'failed') }), {
    maxLength: 3,
  }),
  reversals: fc.array(PART, { maxLength: 2 }),
  disputes: fc.array(fc.record({ part: PART, status: fc.constantFrom('open', 'won', 'lost'), closed: MOMENT }), {
    maxLength: 2,
  }),
});

const WORLD = fc.record({
  zone: fc.constantFrom(...ZONES),
  payments: fc.array(PAYMENT, { minLength: 10, maxLength: 40 }),
  size: fc.integer({ min: 1, max: 9 }),
  // Days of the range, so that movements lie outside, too.
  from: fc.integer({ min: 0, max: 3 }),
  count: fc.integer({ min: 1, max: 5 }),
});

/** A movement as the test expects it. */
type Expected = Pick<
  Movement,
  'kind' | 'movementId' | 'transactionId' | 'movedCents' | 'movedAt' | 'paymentMethodType'
> &
  Viewer & { linkId: string; locationId: string };

describe(`movements of payments (FC_SEED=${seed})`, function () {
  this.timeout(240_000);
  const service = useService();

  interface Place {
    practiceId: string;
    locationIds: string[];
  }

  const newPlace = async (): Promise<Place> => {
    const { practiceId, locationId } = await service.practice();
    return { practiceId, locationIds: [locationId, await service.location(practiceId, 'North')] };
  };

  /** Inserts the payments, and returns their movements. */
  async function insert(
    places: readonly Place[],
    { zone, payments }: typeof WORLD extends fc.Arbitrary<infer W> ? W : never,
  ) {
    const now = service.clock.now();
    const momentOf = ({ day, ms }: { day: number; ms: number }) =>
      new Date(startOfDay(addDays(FIRST_DAY, day), zone).getTime() + ms);
    const tables = ['payment_links', 'transactions', 'bank_reversals', 'refunds', 'disputes'] as const;
    const rows = new Map<string, object[]>(tables.map((table) => [table, []]));
    const add = (table: (typeof tables)[number], row: object) => rows.get(table)?.push(row);
    const expected: Expected[] = [];
    for (const { practice, test, location, cents, at, method, status, fee, refunds, reversals, disputes } of payments) {
      const { practiceId = '', locationIds = [] } = places[practice] ?? {};
      const locationId = locationIds[location] ?? '';
      const [linkId, transactionId] = [newId('paymentLink', now), newId('transaction', now)];
      const of = { practice_id: practiceId, payment_link_id: linkId };
      const paidAt = momentOf(at);
      const isSettled = status === 'succeeded' || status === 'refunded';
      const move = (kind: Expected['kind'], movementId: string, movedAt: Date, movedCents: number | null) =>
        expected.push({
          ...{ kind, movementId, transactionId, movedAt, movedCents, linkId, locationId, practiceId, test },
          ...{ paymentMethodType: method, locationIds: null },
        });
      add('payment_links', {
        ...{ id: linkId, practice_id: practiceId, location_id: locationId, test, token: linkId, status: 'paid' },
        ...{ source: 'api', amount_cents: cents, currency: 'usd', description: 'Cleaning', version: 1 },
        ...{ patient_first_name: 'Ada', patient_last_name: 'Byron', created_at: paidAt, paid_at: paidAt },
        ...{ expires_at: now, closed_at: paidAt },
      });
      add('transactions', {
        ...{ ...of, id: transactionId, status, amount_cents: cents, payment_method_type: method, created_at: paidAt },
        ...{ failure_reason: status === 'failed' ? 'closed' : null, fee_cents: isSettled ? fee : null },
      });
      if (!isSettled) continue;
      move('payment', transactionId, paidAt, cents);
      if (fee !== 0) move('fee', transactionId, paidAt, fee === null ? null : -fee);
      const later = { ...of, transaction_id: transactionId, test, paid_at: paidAt, location_id: locationId };
      const base = { ...later, payment_method_type: method };
      const centsOf = ({ share }: { share: number }) => Math.ceil(cents / share);
      for (const { part, status } of refunds) {
        const row = {
          ...base,
          id: newId('refund', now),
          status,
          amount_cents: centsOf(part),
          created_at: momentOf(part.at),
        };
        add('refunds', row);
        if (status !== 'failed') move('refund', row.id, row.created_at, -row.amount_cents);
      }
      for (const part of reversals) {
        const row = {
          ...base,
          id: newId('bankReversal', now),
          amount_cents: centsOf(part),
          created_at: momentOf(part.at),
        };
        add('bank_reversals', { ...row, processor_reference: row.id });
        // The refund that shows the reversal is no movement of its own.
        add('refunds', { ...row, id: newId('refund', now), status: 'succeeded', bank_reversal_id: row.id });
        move('bank_reversal', row.id, row.created_at, -row.amount_cents);
      }
      for (const { part, status, closed } of disputes) {
        const row = {
          ...base,
          id: newId('dispute', now),
          status,
          amount_cents: centsOf(part),
          created_at: momentOf(part.at),
        };
        const closedAt = momentOf(closed);
        const rest = {
          processor_reference: row.id,
          reason: 'fraudulent',
          closed_at: status === 'open' ? null : closedAt,
        };
        add('disputes', { ...row, ...rest });
        if (status === 'lost') move('lost_dispute', row.id, closedAt, -row.amount_cents);
      }
    }
    for (const [table, content] of rows) {
      await service.query(
        `insert into ${table} select (jsonb_populate_record(null::${table}, row)).* from jsonb_array_elements($1) as row`,
        [JSON.stringify(content)],
      );
    }
    return expected;
  }

  const keyOf = ({ movedAt, linkId, kind, movementId }: Expected) =>
    [movedAt.toISOString(), linkId, kind, movementId].join(' ');

  /** Returns the movements that the viewer sees on the days, newest first. */
  const seenBy = (all: readonly Expected[], viewer: Viewer, zone: string, days: readonly string[]) =>
    all
      .filter(({ practiceId, test }) => practiceId === viewer.practiceId && test === viewer.test)
      .filter(({ locationId }) => viewer.locationIds?.includes(locationId) ?? true)
      .filter(({ movedAt }) => days.includes(dayIn(movedAt, zone)))
      .toSorted((one, other) => (keyOf(one) < keyOf(other) ? 1 : -1));

  const totalsOf = (movements: readonly Expected[]): Totals => {
    const of = (...kinds: Expected['kind'][]) => movements.filter(({ kind }) => kinds.includes(kind));
    const sum = (rows: readonly Expected[]) => rows.reduce((cents, { movedCents }) => cents + (movedCents ?? 0), 0);
    return {
      payments: of('payment').length,
      receivedCents: sum(of('payment')),
      feeCents: 0 - sum(of('fee')),
      refundedCents: 0 - sum(of('refund')),
      takenBackCents: 0 - sum(of('bank_reversal', 'lost_dispute')),
      netCents: sum(movements),
      unknownFees: movements.filter(({ movedCents }) => movedCents === null).length,
    };
  };

  /** Reads all movements, page by page. */
  async function readAll(
    viewer: Viewer,
    filter: Parameters<typeof listMovements>[2],
    size: number,
  ): Promise<Movement[]> {
    const all: Movement[] = [];
    let page: Movement[];
    do {
      page = await listMovements(service.scope(), viewer, filter, all.at(-1) ?? null, size);
      all.push(...page);
    } while (page.length === size);
    return all;
  }

  it('list and totals have each movement once, on its own day, for each practice, mode, location and zone', async () => {
    const kinds = new Set<string>();
    await fc.assert(
      fc.asyncProperty(WORLD, async (world) => {
        const { zone, size, from, count } = world;
        const places = [await newPlace(), await newPlace()];
        const all = await insert(places, world);
        for (const { kind } of all) kinds.add(kind);
        const days = Array.from({ length: count }, (_, index) => addDays(FIRST_DAY, from + index));
        const range = { from: days[0] ?? '', to: days.at(-1) ?? '', timeZone: zone, method: null };
        for (const { practiceId, locationIds } of places) {
          for (const viewer of [
            { practiceId, test: false, locationIds: null },
            { practiceId, test: true, locationIds: locationIds.slice(1) },
            { practiceId, test: false, locationIds: [] },
          ]) {
            const seen = seenBy(all, viewer, zone, days);
            const listed = await readAll(viewer, range, size);
            expect(
              listed.map(({ kind, movementId, transactionId, id, movedAt, movedCents, locationId }) => {
                return { kind, movementId, transactionId, linkId: id, movedAt, movedCents, locationId };
              }),
            ).to.deep.equal(
              seen.map(({ kind, movementId, transactionId, linkId, movedAt, movedCents, locationId }) => {
                return { kind, movementId, transactionId, linkId, movedAt, movedCents, locationId };
              }),
            );
            const debits = await readAll(viewer, { ...range, method: 'us_bank_account' }, size);
            expect(debits.map(({ movementId }) => movementId)).to.deep.equal(
              seen.filter((one) => one.paymentMethodType === 'us_bank_account').map(({ movementId }) => movementId),
            );
            const totals = await readTotals(service.scope(), viewer, range);
            for (const { day, locationId, paymentMethodType, ...sums } of totals) {
              const ofRow = seen.filter(
                (one) =>
                  one.locationId === locationId &&
                  one.paymentMethodType === paymentMethodType &&
                  dayIn(one.movedAt, zone) === day,
              );
              expect(sums, day).to.deep.equal(totalsOf(ofRow));
            }
            const expected = days.map((day) => {
              return { day, totals: totalsOf(seen.filter(({ movedAt }) => dayIn(movedAt, zone) === day)) };
            });
            expect(totalsByDay(totals, range)).to.deep.equal(expected);
            const ofDebits = await readTotals(service.scope(), viewer, { ...range, method: 'us_bank_account' });
            expect(ofDebits).to.have.deep.members(totals.filter((row) => row.paymentMethodType === 'us_bank_account'));
          }
        }
      }),
      // A run takes a second, so a fault is not made smaller.
      { seed, numRuns: 12, endOnFailure: true },
    );
    expect([...kinds]).to.have.members(['payment', 'fee', 'refund', 'bank_reversal', 'lost_dispute']);
  });
});
