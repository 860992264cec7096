import { expect } from 'chai';
import { document } from '../../src/contract/document.ts';
import { membersAt } from '../../src/contract/json-pointer.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { madeForEach, useReceiver, useService } from '../harness/fixtures.ts';
import { isSignedWith } from '../harness/receiver.ts';
import { outcome } from '../harness/refusal.ts';
import { createLink } from '../harness/service.ts';
import { createEndpoint, deliver, listDeliveries } from '../harness/webhooks.ts';

type Step = [path: 'simulate' | Helper, body?: object];
type Helper = 'refund' | 'dispute' | 'close-dispute' | 'reverse';

const CARD: Step = ['simulate', { outcome: 'paid' }];
const DEBIT: Step = ['simulate', { outcome: 'processing_then_paid' }];

/** Each state of a payment, the steps that lead to it, and the helpers that it allows. */
const STATES: [state: string, steps: Step[], allowed: Helper[]][] = [
  ['an active link', [], []],
  ['an expired link', [['simulate', { outcome: 'expired' }]], []],
  ['a pending debit', [['simulate', { outcome: 'processing' }]], []],
  ['a returned debit', [['simulate', { outcome: 'failed' }]], []],
  ['a card payment', [CARD], ['refund', 'dispute']],
  ['a card payment refunded in part', [CARD, ['refund', { amount: 0.01 }]], ['refund', 'dispute']],
  ['a card payment refunded in full', [CARD, ['refund']], ['dispute']],
  ['a card payment whose refund failed', [CARD, ['refund', { outcome: 'failed' }]], ['refund', 'dispute']],
  ['a card payment with an open dispute', [CARD, ['dispute']], ['refund', 'close-dispute']],
  ['a lost dispute', [CARD, ['dispute'], ['close-dispute', { outcome: 'lost' }]], []],
  [
    'a dispute lost in part',
    [CARD, ['dispute', { amount: 60 }], ['close-dispute', { outcome: 'lost' }]],
    ['refund', 'dispute'],
  ],
  ['a won dispute', [CARD, ['dispute'], ['close-dispute', { outcome: 'won' }]], ['refund', 'dispute']],
  ['a settled debit', [DEBIT], ['refund', 'dispute', 'reverse']],
  ['a disputed debit', [DEBIT, ['dispute']], ['refund', 'close-dispute', 'reverse']],
  ['a reversed debit', [DEBIT, ['reverse']], []],
];

const HELPERS = ['refund', 'dispute', 'close-dispute', 'reverse'] as const;

const BODIES: Record<Helper, object | undefined> = {
  refund: undefined,
  dispute: undefined,
  'close-dispute': { outcome: 'won' },
  reverse: undefined,
};

describe('test helpers', () => {
  const captured = new CapturedLog('error');
  const service = useService({ log: captured.log });
  const receiver = useReceiver();
  const practice = madeForEach(() => service.practice());
  const endpoint = madeForEach(() => createEndpoint(practice.test, receiver.url));

  afterEach(() => {
    // A simulation is no reason for an operator to act.
    expect(captured.lines).to.deep.equal([]);
  });

  function send(id: string, [step, body]: Step, client = practice.test) {
    const root = step === 'simulate' ? '/api/v1/payment-links' : '/api/v1/test-helpers/payment-links';
    return client.post(`${root}/${id}/${step}`, body);
  }

  /** Creates a test link of 100 dollars and takes the steps. */
  async function linkAfter(...steps: Step[]): Promise<string> {
    const { id } = await createLink(practice.test, { amount: 100 });
    for (const step of steps) expect((await send(id, step)).status, step.join(' ')).to.equal(200);
    return id;
  }

  async function stateOf(id: string) {
    const { body: link } = await practice.test.get(`/api/v1/payment-links/${id}`);
    return { link, events: await listDeliveries(practice.test, `paymentLinkId=${id}`) };
  }

  /** Delivers, and returns the type without its prefix, the context and the link of each event of the last step. */
  async function arrivals() {
    receiver.received.length = 0;
    await deliver(service.deliverer(), endpoint.id);
    expect(receiver.received.every((received) => isSignedWith(endpoint.secret, received))).to.equal(true);
    return receiver.received.map(({ type, event }) => ({
      type: type.slice('payment_link.'.length),
      context: event.data.context,
      link: event.data.paymentLink,
    }));
  }

  for (const [state, steps, allowed] of STATES) {
    it(`${state} allows ${allowed.join(', ') || 'no helper'}; any other changes nothing`, async () => {
      const id = await linkAfter(...steps);
      const before = await stateOf(id);
      for (const helper of HELPERS) {
        if (allowed.includes(helper)) continue;
        expect(outcome(await send(id, [helper, BODIES[helper]])), helper).to.equal('409 payment_state_conflict');
      }
      expect(await stateOf(id)).to.deep.equal(before);
      for (const helper of allowed) {
        const other = await linkAfter(...steps);
        const reply = await send(other, [helper, BODIES[helper]]);
        const { link, events } = await stateOf(other);
        expect([outcome(reply), events.length], helper).to.deep.equal(['200', before.events.length + 1]);
        expect(reply.body).to.deep.equal(link);
        expect(link.transaction, 'a simulated transaction is seen in events only').to.equal(null);
      }
    });
  }

  it('a cancelled link has no payment that could be refunded', async () => {
    const id = await linkAfter();
    await practice.test.post(`/api/v1/payment-links/${id}/cancel`);
    expect(outcome(await send(id, ['refund']))).to.equal('409 payment_state_conflict');
  });

  it('a 409 says which step is missing', async () => {
    const MISSING: [steps: Step[], helper: Helper, message: RegExp][] = [
      [[], 'refund', /has no payment. Simulate one first/],
      [
        [['simulate', { outcome: 'processing' }]],
        'dispute',
        /has not settled yet. Simulate the outcome processing_then_p/,
      ],
      [[['simulate', { outcome: 'failed' }]], 'refund', /The bank returned the debit/],
      [[CARD], 'reverse', /Banks reverse debits only. Simulate the outcome processing_then_paid/],
      [[CARD], 'close-dispute', /no open dispute/],
      [[CARD, ['dispute']], 'dispute', /is open already. Close it first/],
      [[CARD, ['refund']], 'refund', /refunded in full/],
      [
        [CARD, ['dispute'], ['close-dispute', { outcome: 'lost' }]],
        'refund',
        /took 100 dollars back by a lost dispute/,
      ],
      [
        [CARD, ['dispute'], ['close-dispute', { outcome: 'lost' }]],
        'dispute',
        /took 100 dollars back by a lost dispute/,
      ],
      [[DEBIT, ['reverse']], 'refund', /took 100 dollars back by a bank reversal/],
    ];
    for (const [steps, helper, message] of MISSING) {
      const reply = await send(await linkAfter(...steps), [helper, BODIES[helper]]);
      expect([reply.status, reply.body.error.code]).to.deep.equal([409, 'payment_state_conflict']);
      expect(reply.body.error.message).to.match(message);
    }
  });

  it('a debit that is reversed after a dispute lost in part is refunded, because the bank took all of it', async () => {
    const id = await linkAfter(DEBIT);
    await send(id, ['dispute', { amount: 40 }]);
    await send(id, ['close-dispute', { outcome: 'lost' }]);
    await arrivals();
    await send(id, ['reverse', undefined]);
    const events = await arrivals();
    expect(events.map(({ link }) => [link.transaction.status, link.refunds.length])).to.deep.equal([['refunded', 1]]);
  });

  describe('refunds', () => {
    it('refunds in parts make the transaction refunded when they add up, with one simulated event each', async () => {
      const id = await linkAfter(CARD);
      await arrivals();
      const part = await send(id, ['refund', { amount: 30.1 }]);
      expect(part.body.refunds).to.have.length(1);
      expect(part.body.refunds[0]).to.include({ object: 'refund', amount: 30.1, status: 'succeeded', reason: null });
      await send(id, ['refund', {}]);
      const events = await arrivals();
      expect(events.map(({ type, context }) => [type, context])).to.deep.equal([
        ['refunded', { refundAmount: 30.1, triggeredBy: 'simulated' }],
        ['refunded', { refundAmount: 69.9, triggeredBy: 'simulated' }],
      ]);
      expect(events.map(({ link }) => [link.status, link.transaction.status, link.refunds.length])).to.deep.equal([
        ['paid', 'succeeded', 1],
        ['paid', 'refunded', 2],
      ]);
    });

    it('a refund that fails is listed without an event, and its amount can be refunded again', async () => {
      const id = await linkAfter(CARD);
      await arrivals();
      const failed = await send(id, ['refund', { outcome: 'failed' }]);
      expect(failed.body.refunds[0]).to.include({ amount: 100, status: 'failed' });
      expect(await arrivals()).to.deep.equal([]);
      expect((await send(id, ['refund', { amount: 100, outcome: 'succeeded' }])).status).to.equal(200);
      const [event] = await arrivals();
      expect(event?.link.transaction.status).to.equal('refunded');
      expect(event?.link.refunds.map(({ status }: { status: string }) => status)).to.deep.equal([
        'failed',
        'succeeded',
      ]);
    });

    it('a test link has at most 100 refunds, failed ones included, because every event lists them', async () => {
      const id = await linkAfter(CARD);
      await send(id, ['refund', { amount: 1, outcome: 'failed' }]);
      await service.scope().em.execute(
        `insert into refunds (id, practice_id, payment_link_id, transaction_id, amount_cents, status, created_at)
         select id || n, practice_id, payment_link_id, transaction_id, amount_cents, status, created_at
         from refunds, generate_series(1, 98) as n where payment_link_id = ?`,
        [id],
      );
      expect((await send(id, ['refund', { amount: 1 }])).body.refunds).to.have.length(100);
      const reply = await send(id, ['refund', { amount: 1 }]);
      expect(outcome(reply)).to.equal('409 payment_state_conflict');
      expect(reply.body.error.message).to.equal('A test link can have at most 100 refunds.');
    });
  });

  describe('disputes', () => {
    for (const decision of ['won', 'lost']) {
      it(`a dispute that is opened and ${decision} sends both events and leaves the payment as it is`, async () => {
        const id = await linkAfter(CARD);
        await arrivals();
        const opened = await send(id, ['dispute', { amount: 40.5, reason: 'product_not_received' }]);
        const closed = await send(id, ['close-dispute', { outcome: decision }]);
        expect([opened.body.status, closed.body.status, closed.body.refunds]).to.deep.equal(['paid', 'paid', []]);
        const evidenceDueBy = new Date(service.clock.now().getTime() + 21 * 86_400_000).toISOString();
        const events = await arrivals();
        expect(events.map(({ type, context }) => [type, context])).to.deep.equal([
          [
            'disputed',
            { disputeReason: 'product_not_received', disputeAmount: 40.5, evidenceDueBy, triggeredBy: 'simulated' },
          ],
          ['dispute_closed', { disputeOutcome: decision, triggeredBy: 'simulated' }],
        ]);
        expect(events.map(({ link }) => link.transaction.status)).to.deep.equal(['succeeded', 'succeeded']);
      });
    }

    it('a dispute without amount and reason is fraudulent and over the whole payment, refunds included', async () => {
      const id = await linkAfter(CARD, ['refund', { amount: 60 }]);
      await arrivals();
      await send(id, ['dispute']);
      const [event] = await arrivals();
      expect(event?.context).to.include({ disputeReason: 'fraudulent', disputeAmount: 100 });
    });

    it('null means absent in the body of a refund or dispute', async () => {
      const id = await linkAfter(CARD);
      await send(id, ['dispute', { amount: null, reason: null }]);
      const refunded = await send(id, ['refund', { amount: null, outcome: null }]);
      expect(refunded.body.refunds).to.have.length(1);
      expect(refunded.body.refunds[0]).to.include({ amount: 100, status: 'succeeded' });
      const [, dispute] = await arrivals();
      expect(dispute?.context).to.include({ disputeReason: 'fraudulent', disputeAmount: 100 });
    });

    it('disputes that meet open one', async () => {
      const id = await linkAfter(CARD);
      const replies = await Promise.all(Array.from({ length: 6 }, () => send(id, ['dispute'])));
      expect(replies.map(outcome).toSorted()).to.deep.equal(['200', ...Array(5).fill('409 payment_state_conflict')]);
    });
  });

  describe('bank reversals', () => {
    it('a reversal takes back what was not refunded before, as a refund with its own reason', async () => {
      const id = await linkAfter(DEBIT, ['refund', { amount: 30 }]);
      await arrivals();
      const reply = await send(id, ['reverse', {}]);
      expect(reply.body.refunds[1]).to.include({ amount: 70, status: 'succeeded', reason: 'bank_reversal' });
      const [event, ...more] = await arrivals();
      expect(more).to.deep.equal([]);
      expect([event?.type, event?.context]).to.deep.equal(['refunded', { refundAmount: 70, triggeredBy: 'simulated' }]);
      expect(event?.link.transaction.status).to.equal('refunded');
    });
  });

  describe('bodies', () => {
    const FAULTY: [helper: Helper, body: object, expected: string][] = [
      ...(['refund', 'dispute'] as const).flatMap((helper): [Helper, object, string][] => [
        [helper, { amount: 0 }, '400 validation_error amount'],
        [helper, { amount: -1 }, '400 validation_error amount'],
        [helper, { amount: 0.001 }, '400 validation_error amount'],
        [helper, { amount: 12.345 }, '400 validation_error amount'],
        [helper, { amount: 100.01 }, '400 validation_error amount'],
        [helper, { amount: 1e9 }, '400 validation_error amount'],
        [helper, { amount: '5' }, '400 validation_error amount'],
        [helper, { amuont: 5 }, '400 unknown_parameter amuont'],
      ]),
      ['refund', { outcome: 'pending' }, '400 validation_error outcome'],
      ['refund', { reason: 'goodwill' }, '400 unknown_parameter reason'],
      ['dispute', { reason: 'Not mine' }, '400 validation_error reason'],
      ['dispute', { reason: 'x'.repeat(101) }, '400 validation_error reason'],
      ['dispute', { reason: 'fraudulent\n' }, '400 validation_error reason'],
      ['close-dispute', {}, '400 validation_error outcome'],
      ['close-dispute', { outcome: 'withdrawn' }, '400 validation_error outcome'],
      ['reverse', { amount: 5 }, '400 unknown_parameter amount'],
    ];

    it('a faulty body changes nothing, and the error names the field', async () => {
      const id = await linkAfter(CARD);
      for (const [helper, body, expected] of FAULTY) {
        expect(outcome(await send(id, [helper, body])), `${helper} ${JSON.stringify(body)}`).to.equal(expected);
      }
      expect((await arrivals()).map(({ type }) => type)).to.deep.equal(['paid']);
    });

    it('an amount that is too large is answered with the amount that is left', async () => {
      const id = await linkAfter(CARD, ['refund', { amount: 30.5 }]);
      const refused = await send(id, ['refund', { amount: 69.51 }]);
      expect(refused.body.error.message).to.equal('At most 69.5 dollars are left to refund.');
      const disputed = await send(id, ['dispute', { amount: 100.01 }]);
      expect(disputed.body.error.message).to.equal('At most 100 dollars can be disputed.');
      expect((await send(id, ['refund', { amount: 69.5 }])).status).to.equal(200);
    });

    it('after a dispute that was lost in part, only the rest can be refunded or disputed, and the error says why', async () => {
      const id = await linkAfter(CARD, ['dispute', { amount: 60 }], ['close-dispute', { outcome: 'lost' }]);
      const taken = 'The patient’s bank took 60 dollars back by a lost dispute.';
      const refused = await send(id, ['refund', { amount: 40.01 }]);
      expect(refused.body.error.message).to.equal(`At most 40 dollars are left to refund. ${taken}`);
      const disputed = await send(id, ['dispute', { amount: 40.01 }]);
      expect(disputed.body.error.message).to.equal(`At most 40 dollars can be disputed. ${taken}`);
      expect((await send(id, ['refund'])).body.refunds[0].amount).to.equal(40);
    });
  });

  it('a test key alone produces events of every type of the contract', async () => {
    await linkAfter(DEBIT, ['refund', { amount: 1 }], ['reverse']);
    await linkAfter(['simulate', { outcome: 'failed' }]);
    await linkAfter(['simulate', { outcome: 'expired' }]);
    await linkAfter(CARD, ['dispute'], ['close-dispute', { outcome: 'won' }]);
    await practice.test.post(`/api/v1/payment-links/${await linkAfter()}/cancel`);
    await practice.test.post(`/api/v1/webhook-endpoints/${endpoint.id}/test`);
    await deliver(service.deliverer(), endpoint.id);
    expect([...new Set(receiver.types)]).to.have.members(Object.keys(membersAt(document, '#/webhooks')));
    expect(receiver.received.every(({ event }) => event.test)).to.equal(true);
  });

  it('simulations leave the lists, totals and events of live links alone, and queue no mail', async () => {
    await createEndpoint(practice.live, receiver.url);
    await linkAfter(
      DEBIT,
      ['refund', { outcome: 'failed' }],
      ['dispute', { amount: 40 }],
      ['close-dispute', { outcome: 'lost' }],
      ['reverse'],
    );
    expect((await practice.live.get('/api/v1/payment-links?status=paid')).body.totalCount).to.equal(0);
    expect(await listDeliveries(practice.live)).to.deep.equal([]);
    const mails = await service.scope().em.execute('select 1 from payment_admin_mails');
    expect(mails).to.deep.equal([]);
  });
});
