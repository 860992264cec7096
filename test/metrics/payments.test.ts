import { expect } from 'chai';
import { PaymentAttempt } from '../../src/payment-links/model/payment-attempt.entity.ts';
import { createRefund } from '../../src/payment-links/payments/create-refund.ts';
import { syncAttempt } from '../../src/payment-links/payments/sync.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { AccountLost, type Processor, ProcessorUnavailable } from '../../src/processors/processor.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { type PayableLink, Payments, SETTLE_SECONDS } from '../harness/payments.ts';
import { createLink } from '../harness/service.ts';
import { Counters, type Values } from './counters.ts';

describe('metrics of payments', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  const payments = new Payments(service);
  let counters: Counters;

  before(() => {
    counters = new Counters('worker');
  });

  const statuses = (action: () => Promise<unknown>): Promise<Values> =>
    counters.growth(['paylinks_payment_status_changes_total'], action);
  const closed = (action: () => Promise<unknown>): Promise<Values> =>
    counters.growth(['paylinks_payment_attempts_closed_total'], action);
  const findings = (action: () => Promise<unknown>): Promise<Values> =>
    counters.growth(['paylinks_reconciliation_findings_total'], action);
  const inMode = (mode: string, names: string[]): Values =>
    Object.fromEntries(names.map((name) => [`status="${name}",mode="${mode}"`, 1]));
  const live = (...names: string[]) => inMode('live', names);
  const test = (...names: string[]) => inMode('test', names);
  const processor = (overrides: Partial<Processor>): Processor => ({ ...payments.sandbox, ...overrides });
  const away = async () => {
    throw new ProcessorUnavailable(new Error('away'));
  };

  async function paid(method = 'card_success'): Promise<PayableLink> {
    const link = await payments.link(practice);
    await payments.pay(link, method);
    return link;
  }

  /** Returns a debit that has settled. */
  async function settled(): Promise<PayableLink> {
    const link = await paid('bank_settles');
    await later(SETTLE_SECONDS);
    return link;
  }

  /** Lets the bank take a debit back. */
  async function reverse(link: PayableLink): Promise<void> {
    const { reference } = await payments.payment(link);
    const reversal = { reason: 'insufficient_funds', amountCents: link.amountCents, evidenceDueBy: null };
    await payments.sandbox.bank.openDispute(reference, reversal);
  }

  const refund = (link: PayableLink, amountCents: number | null, by: Processor = payments.sandbox) =>
    createRefund({ ...service.scope(), processor: by, ...separately }, { linkId: link.id, amountCents });

  /** Lets the time pass, and runs the recurring jobs once. */
  async function later(seconds: number, by?: Processor): Promise<void> {
    service.clock.advance({ seconds });
    await payments.sweep(by);
  }

  describe('payments by status', () => {
    it('a card payment is counted once, as succeeded', async () => {
      const link = await payments.link(practice);
      expect(await statuses(() => payments.pay(link, 'card_success'))).to.deep.equal(live('succeeded'));
    });

    it('a bank debit is counted as pending, and later as succeeded or failed', async () => {
      const link = await payments.link(practice);
      expect(await statuses(() => payments.pay(link, 'bank_settles'))).to.deep.equal(live('pending'));
      expect(await statuses(() => later(SETTLE_SECONDS))).to.deep.equal(live('succeeded'));
      const other = await payments.link(practice);
      expect(await statuses(() => payments.pay(other, 'bank_returns'))).to.deep.equal(live('pending'));
      expect(await statuses(() => later(SETTLE_SECONDS))).to.deep.equal(live('failed'));
    });

    it('a payment is counted as refunded by the refund that takes the rest, and as succeeded if a refund fails', async () => {
      const link = await paid();
      expect(await statuses(() => refund(link, 1))).to.deep.equal({});
      expect(await statuses(() => refund(link, null))).to.deep.equal(live('refunded'));
      const { reference } = await payments.payment(link);
      await payments.failRefunds(reference);
      // The second failure moves nothing.
      expect(await statuses(() => later(30 * 86_400))).to.deep.equal(live('succeeded'));
    });

    it('a refund that was made at the processor and a bank reversal are counted as refunded', async () => {
      const link = await paid();
      const { reference } = await payments.payment(link);
      await payments.refundAtSandbox(reference, link.amountCents);
      expect(await statuses(() => later(30 * 86_400))).to.deep.equal(live('refunded'));
      await reverse(await settled());
      expect(await statuses(() => later(30 * 86_400))).to.deep.equal(live('refunded'));
    });

    it('simulated payments and refunds are counted for the test mode, each step of a change by itself', async () => {
      const { id } = await createLink(practice.test);
      const step = (path: string, body?: object) => async () => {
        const { status } = await practice.test.post(path, body);
        expect(status).to.equal(200);
      };
      const simulate = step(`/api/v1/payment-links/${id}/simulate`, { outcome: 'processing_then_paid' });
      expect(await statuses(simulate)).to.deep.equal(test('pending', 'succeeded'));
      const fail = step(`/api/v1/test-helpers/payment-links/${id}/refund`, { outcome: 'failed' });
      expect(await statuses(fail)).to.deep.equal(test('refunded', 'succeeded'));
      const refundAll = step(`/api/v1/test-helpers/payment-links/${id}/refund`);
      expect(await statuses(refundAll)).to.deep.equal(test('refunded'));
    });

    it('a change that is rolled back at its commit counts nothing', async () => {
      const link = await payments.link(practice);
      const names = [
        'paylinks_payment_status_changes_total',
        'paylinks_payment_attempts_closed_total',
        'paylinks_events_published_total',
      ];
      await service.query(
        `create function refuse_payment() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
         create constraint trigger refuse_payment after insert on transactions deferrable initially deferred
           for each row execute function refuse_payment()`,
      );
      let error: unknown;
      const pay = async () => {
        error = await payments.pay(link, 'bank_settles').catch((error) => error);
      };
      expect(await counters.growth(names, pay)).to.deep.equal({});
      expect(error).to.be.instanceOf(Error);
      await service.query('drop trigger refuse_payment on transactions; drop function refuse_payment()');
      expect(await counters.growth(names, () => later(600))).to.deep.equal({
        ...live('pending'),
        'outcome="accepted"': 1,
        'type="payment_link.processing"': 1,
      });
    });
  });

  describe('payment attempts by outcome', () => {
    for (const [method, outcome] of [
      ['card_success', 'accepted'],
      ['bank_settles', 'accepted'],
      ['card_declined', 'failed'],
    ] as const) {
      it(`an attempt with ${method} is counted once, as ${outcome}`, async () => {
        const link = await payments.link(practice);
        expect(await closed(() => payments.pay(link, method))).to.deep.equal({ [`outcome="${outcome}"`]: 1 });
        expect(await closed(() => payments.sweep())).to.deep.equal({});
      });
    }

    it('an attempt whose payment could not begin, and one without an action of the patient, are counted as cancelled', async () => {
      const link = await payments.link(practice);
      const begin = () => payments.pay(link, 'card_success', processor({ begin: away }));
      expect(await closed(begin)).to.deep.equal({ 'outcome="cancelled"': 1 });
      expect(await closed(() => payments.pay(link, 'card_challenge'))).to.deep.equal({});
      expect(await closed(() => later(16 * 60))).to.deep.equal({ 'outcome="cancelled"': 1 });
    });
  });

  describe('findings of reconciliation', () => {
    const about = (subject: string, ...found: string[]): Values =>
      Object.fromEntries(found.map((finding) => [`subject="${subject}",finding="${finding}"`, 1]));

    beforeEach(async () => {
      // Payments of other tests are not asked about.
      await service.query('update transactions set reconcile_at = null; delete from processor_notifications');
    });

    const attempt = (finding: string) => about('attempt', finding);
    const payment = (...found: string[]) => about('payment', ...found);
    const lost = async () => {
      throw new AccountLost(new Error('gone'));
    };
    const broken = async () => {
      throw new TypeError('a mistake of ours');
    };
    const DAY = 86_400;

    /** Payments, and what the recurring jobs find of them so many seconds later each time, by a processor with these answers. */
    const CASES: [
      what: string,
      pay: () => Promise<unknown>,
      ...found: [seconds: number, expected: Values, answers?: Partial<Processor>][],
    ][] = [
      [
        'a charge whose answer was lost is found as accepted, and its payment is unchanged afterwards',
        () => paid('crash_after_charge').catch(() => undefined),
        [600, attempt('accepted')],
        [DAY, payment('unchanged')],
      ],
      [
        'an attempt stays undecided while the patient may act or the processor is silent, and is cancelled then',
        () => paid('card_challenge'),
        [300, attempt('undecided')],
        [900, attempt('unavailable'), { retrieve: away }],
        [3_600, attempt('cancelled')],
      ],
      [
        'an attempt of a disconnected account is found as such, and abandoned after a day',
        () => paid('card_challenge'),
        [300, attempt('disconnected'), { retrieve: lost }],
        [DAY, attempt('abandoned'), { retrieve: lost }],
        [3_600, attempt('disconnected'), { retrieve: lost }],
        [3_600, attempt('cancelled')],
      ],
      [
        'a debit that settled without a notification is found, after silence, a mistake of ours, and before silence',
        () => paid('bank_settles'),
        [6 * 3_600, payment('unavailable'), { retrieve: away }],
        [6 * 3_600, payment('error'), { retrieve: broken }],
        [SETTLE_SECONDS, payment('settled', 'unavailable'), { retrieveDisputes: away }],
      ],
      [
        'a debit that was returned without a notification is found',
        () => paid('bank_returns'),
        [SETTLE_SECONDS, payment('returned')],
      ],
      [
        'a bank reversal without a notification is found once',
        async () => reverse(await settled()),
        [7 * DAY, payment('bank_reversal')],
        [7 * DAY, payment('unchanged')],
      ],
      [
        'a refund whose answer was lost is another finding than one that the processor should have reported',
        async () => refund(await paid(), 1, processor({ refund: away })),
        [120, payment('repeated_refund')],
      ],
    ];
    for (const [what, pay, ...found] of CASES) {
      it(what, async () => {
        await pay();
        for (const [seconds, expected, answers = {}] of found) {
          expect(await findings(() => later(seconds, processor(answers)))).to.deep.equal(expected);
        }
      });
    }

    it('an attempt to which another process gave its outcome during the question is unchanged', async () => {
      const link = await payments.link(practice);
      await payments.pay(link, 'crash_after_charge').catch(() => undefined);
      const attempt = await service.scope().em.findOneOrFail(PaymentAttempt, { paymentLinkId: link.id });
      const overtaken = processor({
        async retrieve(account, reference) {
          await syncAttempt({ ...service.scope(), processor: payments.sandbox, ...separately }, attempt);
          return payments.sandbox.retrieve(account, reference);
        },
      });
      expect(await findings(() => later(600, overtaken))).to.deep.equal(about('attempt', 'unchanged'));
    });

    it('a debit that a notification has reported is no finding', async () => {
      const link = await paid('bank_settles');
      const { reference, account } = await payments.payment(link);
      service.clock.advance({ seconds: SETTLE_SECONDS });
      const notified = () => payments.notify(account, { kind: 'payment', reference });
      expect(await findings(notified)).to.deep.equal({});
      expect(await findings(() => later(7 * 86_400))).to.deep.equal(about('payment', 'unchanged'));
    });

    it('refunds and disputes without a notification are found, each once', async () => {
      const link = await paid();
      const { reference } = await payments.payment(link);
      await payments.refundAtSandbox(reference, 1);
      const dispute = { reason: 'fraudulent', amountCents: 2, evidenceDueBy: null };
      await payments.sandbox.bank.openDispute(reference, dispute);
      expect(await findings(() => later(86_400))).to.deep.equal(about('payment', 'refund', 'dispute'));
      expect(await findings(() => later(7 * 86_400))).to.deep.equal(about('payment', 'unchanged'));
      await payments.sandbox.bank.closeDispute(reference, 'won');
      expect(await findings(() => later(7 * 86_400))).to.deep.equal(about('payment', 'dispute'));
    });
  });
});
