import { expect } from 'chai';
import fc from 'fast-check';
import type { Exchange } from '../harness/client.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { createLink } from '../harness/service.ts';
import { createEndpoint, getDelivery, listDeliveries } from '../harness/webhooks.ts';

type Step =
  | { helper: 'refund'; body: { amount?: number | undefined; outcome?: 'succeeded' | 'failed' | undefined } }
  | { helper: 'dispute'; body: { amount?: number | undefined } }
  | { helper: 'close-dispute'; body: { outcome: 'won' | 'lost' } }
  | { helper: 'reverse'; body: object };

/** The amount of every link in cents; small, so that refunds often meet its limit. */
const PAID_CENTS = 100;

const amounts = fc.option(
  fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constantFrom(PAID_CENTS, PAID_CENTS + 1)).map((cents) => cents / 100),
  { nil: undefined, freq: 4 },
);
const endings = fc.constantFrom('succeeded' as const, 'failed' as const, undefined);
const refunds = fc.record({ amount: amounts, outcome: endings }).map((body): Step => ({ helper: 'refund', body }));
const disputes = fc.record({ amount: amounts }).map((body): Step => ({ helper: 'dispute', body }));
const closings = fc.record({ outcome: fc.constantFrom('won' as const, 'lost' as const) });
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: refunds },
  { weight: 2, arbitrary: disputes },
  { weight: 2, arbitrary: closings.map((body): Step => ({ helper: 'close-dispute', body })) },
  { weight: 2, arbitrary: fc.constant<Step>({ helper: 'reverse', body: {} }) },
);
const scenarios = fc.record({ isDebit: fc.boolean(), steps: fc.array(steps, { minLength: 2, maxLength: 8 }) });

/** A payment as the guides describe it. It says what each step does, without a look at the service. */
class Model {
  readonly isDebit: boolean;
  readonly refunds: { cents: number; status: string; reason: string | null }[] = [];
  readonly events: string[];
  isDisputed = false;

  constructor(isDebit: boolean) {
    this.isDebit = isDebit;
    this.events = isDebit ? ['processing', 'paid'] : ['paid'];
  }

  get leftCents(): number {
    const refunded = this.refunds.filter(({ status }) => status === 'succeeded');
    return PAID_CENTS - refunded.reduce((sum, { cents }) => sum + cents, 0);
  }

  /** Takes the step. Returns the status of the answer. */
  take(step: Step): number {
    switch (step.helper) {
      case 'refund': {
        const { amount, outcome: status = 'succeeded' } = step.body;
        if (this.leftCents === 0) return 409;
        const cents = amount === undefined ? this.leftCents : Math.round(amount * 100);
        if (cents > this.leftCents) return 400;
        this.refunds.push({ cents, status, reason: null });
        if (status === 'succeeded') this.events.push('refunded');
        return 200;
      }
      case 'dispute':
        if (this.isDisputed) return 409;
        if ((step.body.amount ?? 0) * 100 > PAID_CENTS) return 400;
        this.isDisputed = true;
        this.events.push('disputed');
        return 200;
      case 'close-dispute':
        if (!this.isDisputed) return 409;
        this.isDisputed = false;
        this.events.push('dispute_closed');
        return 200;
      case 'reverse':
        if (!this.isDebit || this.leftCents === 0) return 409;
        this.refunds.push({ cents: this.leftCents, status: 'succeeded', reason: 'bank_reversal' });
        this.events.push('refunded');
        return 200;
      default:
        step satisfies never;
        throw new Error('a step has an unknown helper');
    }
  }
}

const seed = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);
const RUNS = Number(process.env.FC_RUNS ?? 12);

describe(`steps after the payment of a test link (FC_SEED=${seed})`, function () {
  this.timeout(300_000);
  const service = useService();
  const practice = madeOnce(() => service.practice());

  before(async () => {
    await createEndpoint(practice.test, 'http://127.0.0.1:9/hook');
  });

  async function paidLink(isDebit: boolean): Promise<string> {
    const { id } = await createLink(practice.test, { amount: PAID_CENTS / 100 });
    const outcome = isDebit ? 'processing_then_paid' : 'paid';
    await practice.test.post(`/api/v1/payment-links/${id}/simulate`, { outcome });
    return id;
  }

  const send = (id: string, { helper, body }: Step): Promise<Exchange> =>
    practice.test.post(`/api/v1/test-helpers/payment-links/${id}/${helper}`, body);

  /** The refunds and the types of the link's events, and the transaction's status in the last of them. */
  async function seen(id: string) {
    const deliveries = await listDeliveries(practice.test, `paymentLinkId=${id}`);
    const events = deliveries.map(({ type }) => type.slice('payment_link.'.length));
    const { payload } = await getDelivery(practice.test, deliveries.at(-1)?.id ?? '');
    const { refunds } = (await practice.test.get(`/api/v1/payment-links/${id}`)).body;
    const shown = refunds.map(({ amount, status, reason }: { amount: number; status: string; reason: string }) => ({
      cents: Math.round(amount * 100),
      status,
      reason,
    }));
    return { events, refunds: shown, lastStatus: JSON.parse(payload).data.paymentLink.transaction.status };
  }

  it('steps in any order are answered, recorded and sent as the guides say', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async ({ isDebit, steps }) => {
        const id = await paidLink(isDebit);
        const model = new Model(isDebit);
        for (const step of steps) {
          service.clock.advance({ ms: 1 });
          expect((await send(id, step)).status, JSON.stringify(step)).to.equal(model.take(step));
        }
        const { events, refunds } = await seen(id);
        expect({ events, refunds }).to.deep.equal({ events: model.events, refunds: model.refunds });
      }),
      { numRuns: RUNS, seed },
    );
  });

  it('steps that meet never refund more than was paid, and send exactly the events of those that succeeded', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async ({ isDebit, steps }) => {
        const id = await paidLink(isDebit);
        const replies = await Promise.all(steps.map(async (step) => ({ step, reply: await send(id, step) })));
        const done = replies.filter(({ reply }) => reply.status === 200).map(({ step }) => step);
        const { events, refunds, lastStatus } = await seen(id);
        const failed = done.filter(({ helper, body }) => helper === 'refund' && body.outcome === 'failed');
        expect(events).to.have.length((isDebit ? 2 : 1) + done.length - failed.length);
        const model = new Model(isDebit);
        model.refunds.push(...refunds);
        expect(model.leftCents).to.be.at.least(0);
        expect(refunds).to.have.length(done.filter(({ helper }) => helper === 'refund' || helper === 'reverse').length);
        expect(lastStatus).to.equal(model.leftCents === 0 ? 'refunded' : 'succeeded');
      }),
      { numRuns: RUNS, seed },
    );
  });
});
