import fc from 'fast-check';
import { newId } from '../../src/platform/base/ids.ts';
import type { TestService } from '../harness/service.ts';

/** Histories of links. Hours are counted back from the present. */
export const LINK_HISTORY = fc.record({
  practice: fc.nat(1),
  test: fc.boolean(),
  location: fc.nat(1),
  cents: fc.integer({ min: 1, max: 2_000_000 }),
  /** Days since the creation of a link that is not paid. */
  age: fc.integer({ min: 0, max: 60 }),
  tries: fc.array(fc.constantFrom('failed', 'cancelled'), { maxLength: 2 }),
  isOpened: fc.boolean(),
  isResolved: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
  state: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        is: fc.constant('active' as const),
        expiresInHours: fc.integer({ min: -30, max: 240 }),
        isOpen: fc.boolean(),
      }),
    },
    fc.record({ is: fc.constantFrom('expired' as const, 'cancelled' as const) }),
    {
      weight: 8,
      arbitrary: fc.record({
        is: fc.constant('paid' as const),
        // Most payments are of the days that the page shows.
        hoursAgo: fc.oneof(fc.nat(60), fc.nat(24 * 65)),
        method: fc.constantFrom('card', 'us_bank_account'),
        payment: fc.constantFrom('pending', 'succeeded', 'succeeded', 'failed', 'refunded'),
        refunds: fc.array(fc.record({ share: fc.integer({ min: 2, max: 9 }), failed: fc.boolean(), age: fc.nat(9) }), {
          maxLength: 2,
        }),
        dispute: fc.option(fc.record({ status: fc.constantFrom('open', 'won', 'lost'), age: fc.nat(9) })),
        isReversed: fc.boolean(),
        isFeeUnknown: fc.boolean(),
      }),
    },
  ),
});

export type LinkHistory = typeof LINK_HISTORY extends fc.Arbitrary<infer Value> ? Value : never;

/** Inserts the histories of links into practices with two locations each. Returns the ids of the links. */
export async function insertHistories(
  service: TestService,
  practices: readonly { id: string; locationIds: readonly string[] }[],
  links: readonly LinkHistory[],
): Promise<string[]> {
  const ids: string[] = [];
  const now = service.clock.now();
  const hours = (count: number) => new Date(now.getTime() + count * 3_600_000).toISOString();
  const rows: Record<string, object[]> = {
    payment_links: [],
    payment_attempts: [],
    transactions: [],
    bank_reversals: [],
    refunds: [],
    disputes: [],
    page_openings: [],
    link_resolutions: [],
  };
  const add = (table: string, row: object) => rows[table]?.push(row);
  for (const { practice, test, location, cents, state, age, tries, isOpened, isResolved } of links) {
    const { id: practice_id = '', locationIds = [] } = practices[practice] ?? {};
    const id = newId('paymentLink', now);
    ids.push(id);
    const of = { practice_id, payment_link_id: id };
    const paid_at = state.is === 'paid' ? hours(-state.hoursAgo) : null;
    add('payment_links', {
      ...{ id, practice_id, location_id: locationIds[location], test, token: id, status: state.is, source: 'api' },
      ...{ amount_cents: cents, currency: 'usd', description: 'Cleaning', version: 1 },
      ...{ patient_first_name: 'Ada', patient_last_name: 'Byron', paid_at },
      created_at: hours(state.is === 'paid' ? -24 * 70 : -24 * age),
      expires_at: hours(state.is === 'active' ? state.expiresInHours : 1),
      closed_at: state.is === 'active' ? null : (paid_at ?? hours(0)),
    });
    const addAttempt = (row: object) =>
      add('payment_attempts', {
        ...{ ...of, id: newId('paymentAttempt', now), processor: 'sandbox', method_type: 'card' },
        ...{ processor_account_id: 'acct', amount_cents: cents, currency: 'usd', ...row },
      });
    for (const [index, status] of tries.entries()) {
      const [created_at, failure_reason] = [hours(index - 3), status === 'failed' ? 'card_declined' : null];
      addAttempt({ status, failure_reason, created_at, closed_at: created_at });
    }
    if (isOpened) {
      add('page_openings', { ...of, first_opened_at: hours(-1), last_opened_at: hours(-1), open_count: 1 });
    }
    // No waiting link is resolved, because its patient can still pay.
    if (isResolved && (state.is !== 'active' || (state.expiresInHours <= 0 && !state.isOpen))) {
      add('link_resolutions', { ...of, reason: 'written_off', actor_id: 'per_1', resolved_at: hours(0) });
    }
    if (state.is === 'active' && state.isOpen) {
      addAttempt({ status: 'open', created_at: hours(0), reconcile_at: hours(0) });
    }
    if (state.is !== 'paid') continue;
    const { payment, refunds, dispute, isReversed, isFeeUnknown, method } = state;
    const transaction_id = newId('transaction', now);
    add('transactions', {
      ...{ ...of, id: transaction_id, status: payment, amount_cents: cents, payment_method_type: method },
      ...{ failure_reason: payment === 'failed' ? 'closed' : null, created_at: paid_at },
      ...(payment === 'pending' || payment === 'failed' || isFeeUnknown ? {} : { fee_cents: Math.min(30, cents) }),
    });
    if (payment === 'pending' || payment === 'failed') continue;
    const later = {
      ...of,
      transaction_id,
      test,
      paid_at,
      location_id: locationIds[location],
      payment_method_type: method,
    };
    const at = (age: number) => hours(-Math.round((state.hoursAgo * age) / 10));
    const reference = () => newId('event', now);
    for (const { share, failed, age } of refunds) {
      const status = failed ? 'failed' : 'succeeded';
      const amount_cents = Math.ceil(cents / share);
      add('refunds', { ...later, id: newId('refund', now), status, amount_cents, created_at: at(age) });
    }
    if (dispute !== null) {
      add('disputes', {
        ...{ ...later, id: newId('dispute', now), processor_reference: reference(), status: dispute.status },
        ...{ amount_cents: cents, reason: 'fraudulent', created_at: paid_at },
        closed_at: dispute.status === 'open' ? null : at(dispute.age),
      });
    }
    if (isReversed) {
      const bank_reversal_id = newId('bankReversal', now);
      const reversal = { ...later, amount_cents: cents, created_at: at(5) };
      add('bank_reversals', { ...reversal, id: bank_reversal_id, processor_reference: reference() });
      // A former release recorded only what was not refunded before.
      const isWhole = refunds.length !== 1;
      if (isWhole) add('refunds', { ...reversal, id: newId('refund', now), bank_reversal_id, status: 'succeeded' });
    }
  }
  for (const [table, content] of Object.entries(rows)) {
    await service.query(
      `insert into ${table} select (jsonb_populate_record(null::${table}, row)).* from jsonb_array_elements($1) as row`,
      [JSON.stringify(content)],
    );
  }
  await service.query(
    `update payment_links l set open_attempt_id = a.id from payment_attempts a
     where a.payment_link_id = l.id and a.status = 'open' and l.open_attempt_id is null`,
  );
  return ids;
}
