import type { Logger } from 'pino';
import type { SubmitResult } from '../../src/payment-links/checkout/port.ts';
import { receiveNotification } from '../../src/payment-links/payments/notifications.ts';
import type { MethodType, Processor } from '../../src/processors/processor.ts';
import { createStripe } from '../../src/processors/stripe.ts';
import { SettableClock } from '../harness/clock.ts';
import { madeOnce } from '../harness/fixtures.ts';
import { type PayableLink, Payments } from '../harness/payments.ts';
import { TestService } from '../harness/service.ts';
import { FakeStripe } from '../processors/fake-stripe.ts';
import { type FakeEvent, TOKENS } from '../processors/fake-stripe-books.ts';

export type StripeService = Awaited<ReturnType<typeof startStripe>>;

/** Returns the service of a `describe`, with Stripe as its processor. It closes after the last test. */
export function useStripe(log?: Logger): StripeService {
  const stripe = madeOnce(() => startStripe(log));
  after(() => stripe.close());
  return stripe;
}

/** Starts the service with Stripe as its processor, and the fake in Stripe's place. */
export async function startStripe(log?: Logger) {
  const clock = new SettableClock();
  const stripe = await new FakeStripe(() => clock.now()).start();
  const env = {
    PROCESSOR: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_fake',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_fake',
    STRIPE_WEBHOOK_SECRETS: `whsec_other,${stripe.webhookSecret}`,
    STRIPE_API_BASE: stripe.url,
  };
  const service = await TestService.start({ clock, env, ...(log === undefined ? {} : { log }) });
  if (service.config.stripe === null) throw new Error('Stripe is configured');
  const practice = await service.practice();
  const { books } = stripe;
  const account = books.addAccount();
  await service.query('update practices set processor_account_id = $2 where id = $1', [practice.practiceId, account]);
  await practice.live.post('/api/v1/webhook-endpoints', { url: 'https://127.0.0.1/hook' });
  const processor = createStripe(service.config.stripe, service.scope().log);
  const payments = new Payments(service, processor);
  let tokens = 0;

  const link = (overrides: Record<string, unknown> = {}) => payments.link(practice, overrides);
  const pages = (by?: Processor) => payments.pages(by);
  const sweep = (by?: Processor) => payments.sweep(by);

  function pay(link: PayableLink, kind: keyof typeof TOKENS, by?: Processor): Promise<SubmitResult> {
    const methodType: MethodType = kind.startsWith('bank') ? 'us_bank_account' : 'card';
    return pages(by).submit(link.token, {
      amountCents: link.amountCents,
      methodType,
      methodToken: `${TOKENS[kind]}--${++tokens}`,
      locale: 'es',
      address: '203.0.113.7',
      userAgent: 'test',
      authorisationText: methodType === 'card' ? null : 'Autorizo este cargo, una vez.',
    });
  }

  /** Stripe's event arrives; what it is about is taken up by the next sweep. */
  function deliver(event: FakeEvent | object): Promise<boolean> {
    const { raw, headers } = stripe.sign(event);
    return receiveNotification(service.scope(), processor, raw, headers);
  }

  /** Returns the payment's id at Stripe; null while we don't know it. */
  async function reference(link: PayableLink): Promise<string | null> {
    const rows = await service.query<{ reference: string | null }>(
      `select processor_reference as reference from payment_attempts where payment_link_id = $1
       order by created_at desc, id desc limit 1`,
      [link.id],
    );
    return rows[0]?.reference ?? null;
  }

  return {
    ...{ stripe, service, processor, practice, account, books, link, pages, pay, sweep, deliver, reference },
    async close(): Promise<void> {
      await service.close();
      await stripe.close();
    },
    refund: (link: PayableLink, amountCents?: number | null, reason?: string) =>
      payments.refund(link, amountCents, reason),
    events: (link: PayableLink) => payments.events(link),
    /** Makes a link and submits a payment. Returns the result, and the payment's id at Stripe. */
    async submitted(kind: keyof typeof TOKENS, overrides: Record<string, unknown> = {}) {
      const made = await link(overrides);
      const result = await pay(made, kind);
      const begun = await reference(made);
      if (begun === null) throw new Error('the payment was begun');
      return { link: made, result, reference: begun };
    },
    /** Delivers all of Stripe's events, and sweeps. */
    async deliverAll(): Promise<void> {
      for (const event of books.events.splice(0)) await deliver(event);
      await sweep();
    },
    seen: async (link: PayableLink) => (await practice.live.get(`/api/v1/payment-links/${link.id}`)).body,
  };
}
