import { expect } from 'chai';
import fc from 'fast-check';
import { ApiError } from '../../src/base/errors.ts';
import { transition } from '../../src/base/state-machine.ts';
import {
  BlockedByAttempt,
  cancelled,
  debitReturned,
  debitSettled,
  debitSubmitted,
  expired,
  followedBy,
  paidByCard,
  updated,
} from '../../src/payment-links/link/decide.ts';
import type { Decision, LinkState } from '../../src/payment-links/link/state.ts';
import { statusAt } from '../../src/payment-links/model/overdue.ts';
import { LINK, type LinkStatus } from '../../src/payment-links/model/transitions.ts';

const seed = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);
const NOW = new Date('2030-06-15T12:00:00.000Z');
const METHOD = { brand: null, last4: null, feeCents: 30, attemptId: null } as const;

/** Each command with the event of the link's table that it stands for. */
const COMMANDS: Readonly<
  Record<string, { event: 'update' | 'pay' | 'expire' | 'cancel'; decide: (state: LinkState) => Decision }>
> = {
  update: { event: 'update', decide: (state) => updated(state, { description: 'Filling' }, NOW) },
  'update the amount': { event: 'update', decide: (state) => updated(state, { amountCents: 1 }, NOW) },
  cancel: { event: 'cancel', decide: (state) => cancelled(state, 'api', NOW) },
  expire: { event: 'expire', decide: (state) => expired(state, 'system', NOW) },
  'pay by card': { event: 'pay', decide: (state) => paidByCard(state, { type: 'card', ...METHOD }, 'real', NOW) },
  'submit a debit': {
    event: 'pay',
    decide: (state) => debitSubmitted(state, { type: 'us_bank_account', ...METHOD }, 'real', NOW),
  },
};

const states: fc.Arbitrary<LinkState> = fc
  .record({
    status: fc.constantFrom(...(Object.keys(LINK) as LinkStatus[])),
    hasOpenAttempt: fc.boolean(),
    isPast: fc.boolean(),
  })
  .map(({ status, hasOpenAttempt, isPast }) => ({
    location: { id: 'loc_1', name: 'Downtown' },
    transaction: null,
    ...{ attempts: [], refunds: [], disputes: [], reversals: [] },
    link: {
      ...{ id: 'plink_1', practiceId: 'prac_1', locationId: 'loc_1', test: false, token: 'token', source: 'api' },
      ...{ amountCents: 12_550, currency: 'usd', description: 'Cleaning', externalReference: null, metadata: null },
      ...{ patientId: null, patientFirstName: 'Ada', patientLastName: 'Byron', patientPhone: null },
      ...{ patientEmail: null, patientExternalId: null, paidAt: null, createdAt: NOW, version: 1 },
      status,
      closedAt: status === 'active' ? null : NOW,
      closedBy: status === 'expired' ? 'system' : status === 'cancelled' ? 'api' : null,
      openAttemptId: hasOpenAttempt ? 'pat_1' : null,
      expiresAt: new Date(NOW.getTime() + (isPast ? -1 : 1)),
    },
  }));

function outcomeOf(decide: () => Decision): Decision | Error {
  try {
    return decide();
  } catch (error) {
    if (error instanceof ApiError || error instanceof BlockedByAttempt) return error;
    throw error;
  }
}

describe(`decisions about a link (FC_SEED=${seed})`, () => {
  it('decisions move a link by its table, or refuse, and never change the state that they are given', () => {
    const command = fc.constantFrom(...Object.keys(COMMANDS));
    fc.assert(
      fc.property(states, command, (state, name) => {
        const before = structuredClone(state);
        const { event, decide } = COMMANDS[name] ?? {};
        if (event === undefined || decide === undefined) throw new Error('every command has a decision');
        const outcome = outcomeOf(() => decide(state));
        expect(state).to.deep.equal(before);
        // The clock may expire what is overdue, and money counts whenever it comes. All others see it as expired.
        const isSeenAsExpired = event === 'update' || event === 'cancel';
        const from = isSeenAsExpired ? statusAt(state.link, NOW) : state.link.status;
        const to = transition(LINK, from, event);
        if (outcome instanceof BlockedByAttempt) expect(state.link.openAttemptId).to.equal(outcome.attemptId);
        else if (outcome instanceof Error) expect(to).to.equal(null);
        else expect(outcome.state.link.status).to.equal(to);
      }),
      { seed, numRuns: 500 },
    );
  });

  it('decisions have one event for each change of the status or the payment, with the state at that moment', () => {
    fc.assert(
      fc.property(states, fc.boolean(), (state, settles) => {
        fc.pre(state.link.status === 'active');
        const submitted = debitSubmitted(state, { type: 'us_bank_account', ...METHOD }, 'real', NOW);
        const { events } = followedBy(submitted, (after) =>
          settles ? debitSettled(after, 30, NOW) : debitReturned(after, 'account_closed'),
        );
        expect(
          events.map(({ event, state }) => [event.type, state.link.status, state.transaction?.status]),
        ).to.deep.equal([
          ['payment_link.processing', 'paid', 'pending'],
          settles ? ['payment_link.paid', 'paid', 'succeeded'] : ['payment_link.failed', 'paid', 'failed'],
        ]);
      }),
      { seed, numRuns: 50 },
    );
  });
});
