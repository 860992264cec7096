import { newId } from '../../src/platform/base/ids.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import type { Account, Charge, MethodType, Processor } from '../../src/processors/processor.ts';
import { createSandbox } from '../../src/processors/sandbox.ts';
import { createStripe } from '../../src/processors/stripe.ts';
import { Payments } from '../harness/payments.ts';
import { TestService } from '../harness/service.ts';
import { FakeStripe } from './fake-stripe.ts';
import { Refusal, TOKENS } from './fake-stripe-books.ts';

/** Scenarios that need control over banks, patients or the network. */
const CAPABILITIES = [
  ...(['actions', 'settledDebits', 'returnedDebits', 'failedRefunds', 'disputes', 'notifications'] as const),
  'lostAnswers',
] as const;

export type Capability = (typeof CAPABILITIES)[number];

const ALL: ReadonlySet<Capability> = new Set(CAPABILITIES);

/** A processor under test, with the actions of patients, banks and the network around it. */
export interface ProcessorFixture {
  processor: Processor;
  account: Account;
  otherAccount: Account;
  /** Scenarios that this processor supports. The suite skips others. */
  capabilities: ReadonlySet<Capability>;
  /** Returns a new method token by its outcome. Some tokens work only once. */
  token(kind: keyof typeof TOKENS): Promise<string>;
  finishAction(reference: string, passes: boolean): Promise<void>;
  finishDebit(reference: string, settles: boolean): Promise<void>;
  /** The browser confirms the same payment with another method, without our server. Ignores refusals. */
  payBehindOurBack(reference: string): Promise<void>;
  refundThere(reference: string, amountCents: number): Promise<void>;
  failRefunds(reference: string): Promise<void>;
  /** Pending refunds become final. */
  finishRefunds(reference: string): Promise<void>;
  /** @returns the dispute's reference */
  openDispute(reference: string, amountCents: number, reason: string): Promise<string>;
  closeDispute(reference: string, dispute: string, outcome: 'won' | 'lost'): Promise<void>;
  /** Counts the payments of the account that took money. */
  charged(): Promise<number>;
  /** Returns a signed notification. */
  notification(reference: string): Promise<{ raw: Buffer; headers: Record<string, string> }>;
  /** Returns a method token whose charge succeeds, and whose answer is lost. */
  loseNextAnswer(): Promise<string>;
  close(): Promise<void>;
}

/** Returns a charge of a new attempt. */
export function chargeOf(account: Account, methodToken: string, methodType: MethodType = 'card'): Charge {
  return {
    ...{ account, attemptId: newId('paymentAttempt', new Date()), paymentLinkId: 'plink_1', amountCents: 12_550 },
    ...{ currency: 'usd', methodType, statementDescriptorSuffix: null, methodToken },
    ...{ returnUrl: 'https://pay.example.com/pay/x', customerAddress: '203.0.113.7', customerUserAgent: 'test' },
  };
}

/** Begins a payment that the processor must not refuse. Returns its reference. */
export async function begun({ processor }: ProcessorFixture, charge: Charge): Promise<string> {
  const reference = await processor.begin(charge);
  if (reference === null) throw new Error('the processor has refused a payment');
  return reference;
}

/** Time in which a debit is pending in the sandbox. */
const SETTLE_SECONDS = 3600;

/** The embedded sandbox. */
export async function sandboxFixture(): Promise<ProcessorFixture> {
  const service = await TestService.start();
  const newScope = () => service.scope();
  const settling = createSandbox({ newScope, settleSeconds: SETTLE_SECONDS });
  const payments = new Payments(service, settling);
  const tokens = {
    success: 'card_success',
    declined: 'card_insufficient_funds',
    challenge: 'card_challenge',
    refundLater: 'card_refund_later',
    refundFails: 'card_refund_fails',
    bankSettles: 'bank_settles',
    bankRefused: 'bank_refused',
  };
  const run = (text: string, values: unknown[]) => service.scope().em.execute(text, values);
  return {
    processor: settling,
    account: { id: 'sandbox_a' },
    otherAccount: { id: 'sandbox_b' },
    capabilities: ALL,
    token: async (kind) => tokens[kind],
    finishAction: (reference, passes) => settling.bank.answerAction(reference, passes),
    async finishDebit(reference, settles) {
      const reason = settles ? null : 'insufficient_funds';
      await run('update sandbox.payments set failure_reason = ? where reference = ?', [reason, reference]);
      service.clock.advance({ seconds: SETTLE_SECONDS });
    },
    payBehindOurBack: (reference) => settling.bank.answerAction(reference, true),
    refundThere: (reference, amountCents) => payments.refundAtSandbox(reference, amountCents),
    finishRefunds: async () => service.clock.advance({ seconds: SETTLE_SECONDS }),
    failRefunds: (reference) => payments.failRefunds(reference),
    openDispute: (reference, amountCents, reason) =>
      settling.bank.openDispute(reference, { amountCents, reason, evidenceDueBy: null }),
    async closeDispute(reference, _, outcome) {
      await settling.bank.closeDispute(reference, outcome);
    },
    async charged() {
      const taken = await run(
        `select 1 from sandbox.payments where account = ? and state in ('succeeded', 'processing')`,
        ['sandbox_a'],
      );
      return taken.length;
    },
    notification: (reference) =>
      settling.signed({ id: `msg_${reference}`, accountId: 'sandbox_a', subject: { kind: 'payment', reference } }),
    loseNextAnswer: async () => 'processor_timeout',
    close: () => service.close(),
  };
}

/** Our Stripe processor against the fake Stripe. */
export async function stripeFixture(): Promise<ProcessorFixture & { stripe: FakeStripe }> {
  const stripe = await new FakeStripe(() => new Date()).start();
  const { books } = stripe;
  const processor = createStripe(
    {
      secretKey: 'sk_test_fake',
      publishableKey: 'pk_test_fake',
      webhookSecrets: ['whsec_old', stripe.webhookSecret],
      apiBase: stripe.url,
    },
    createLogger('silent'),
  );
  const account = books.addAccount();
  let tokens = 0;
  const token: ProcessorFixture['token'] = async (kind) => `${TOKENS[kind]}--${++tokens}`;
  return {
    stripe,
    processor,
    account: { id: account },
    otherAccount: { id: books.addAccount() },
    capabilities: ALL,
    token,
    finishAction: async (reference, passes) => books.finishAction(account, reference, passes),
    finishDebit: async (reference, settles) => books.finishDebit(account, reference, settles),
    async payBehindOurBack(reference) {
      for (const kind of ['success', 'bankSettles'] as const) {
        const mandate = ['mandate_data[customer_acceptance][online][ip_address]', '203.0.113.7'] as const;
        try {
          const params = new Map([['confirmation_token', await token(kind)], mandate]);
          books.call(`POST /v1/payment_intents/${reference}/confirm`, account, params);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
      }
    },
    refundThere: async (reference, amountCents) => books.refundInDashboard(account, reference, amountCents),
    finishRefunds: async (reference) => books.finishRefunds(account, reference),
    failRefunds: async (reference) => books.failRefunds(account, reference),
    openDispute: async (reference, amount, reason) => books.openDispute(account, reference, { amount, reason }),
    closeDispute: async (_, dispute, outcome) => books.closeDispute(account, dispute, outcome),
    charged: async () => books.charged(account),
    async notification(reference) {
      const event = books.events.findLast(({ data }) => 'id' in data.object && data.object.id === reference);
      return stripe.sign(event ?? {});
    },
    async loseNextAnswer() {
      // The SDK retries once.
      stripe.faults.push({ match: '/confirm', kind: 'lost', times: 2 });
      return token('success');
    },
    close: () => stripe.close(),
  };
}
