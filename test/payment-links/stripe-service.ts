import type { Logger } from 'pino';
import type { SubmitResult } from '../../src/payment-links/checkout/port.ts';
import { receiveNotification } from '../../src/payment-links/reconcile/notifications.ts';
import type { MethodType, Processor } from '../../src/processors/processor.ts';
import { createStripe } from '../../src/processors/stripe.ts';
import { SettableClock } from '../harness/clock.ts';
import { type PayableLink, Payments } from '../harness/payments.ts';
import { type TestPractice, TestService } from '../harness/service.ts';
import { FakeStripe } from '../processors/fake-stripe.ts';
import { type FakeEvent, TOKENS } from '../processors/fake-stripe-books.ts';

/** The service with Stripe as its processor, and the fake in Stripe's place. */
export class StripeService {
  readonly stripe: FakeStripe;
  readonly practice: TestPractice;
  /** The practice's account. */
  readonly account: string;
  readonly #payments: Payments;
  #tokens = 0;

  private constructor(stripe: FakeStripe, payments: Payments, practice: TestPractice, account: string) {
    this.stripe = stripe;
    this.practice = practice;
    this.account = account;
    this.#payments = payments;
  }

  static async start(log?: Logger): Promise<StripeService> {
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
    const account = stripe.books.addAccount();
    await service.query('update practices set processor_account_id = $2 where id = $1', [practice.practiceId, account]);
    await practice.live.post('/api/v1/webhook-endpoints', { url: 'https://127.0.0.1/hook' });
    const processor = createStripe(service.config.stripe, service.scope().log);
    return new StripeService(stripe, new Payments(service, processor), practice, account);
  }

  get service() {
    return this.#payments.service;
  }

  get processor() {
    return this.#payments.processor;
  }

  get books() {
    return this.stripe.books;
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.stripe.close();
  }

  link(overrides: Record<string, unknown> = {}): Promise<PayableLink> {
    return this.#payments.link(this.practice, overrides);
  }

  pages(processor?: Processor) {
    return this.#payments.pages(processor);
  }

  pay(link: PayableLink, kind: keyof typeof TOKENS, processor?: Processor): Promise<SubmitResult> {
    const methodType: MethodType = kind.startsWith('bank') ? 'us_bank_account' : 'card';
    return this.pages(processor).submit(link.token, {
      amountCents: link.amountCents,
      methodType,
      methodToken: `${TOKENS[kind]}--${++this.#tokens}`,
      locale: 'es',
      address: '203.0.113.7',
      userAgent: 'test',
      authorisationText: methodType === 'card' ? null : 'Autorizo este cargo, una vez.',
    });
  }

  refund(link: PayableLink, amountCents?: number | null, reason?: string) {
    return this.#payments.refund(link, amountCents, reason);
  }

  /** Makes a link and submits a payment. Returns the result, and the payment's id at Stripe. */
  async submitted(kind: keyof typeof TOKENS, overrides: Record<string, unknown> = {}) {
    const link = await this.link(overrides);
    const result = await this.pay(link, kind);
    const reference = await this.reference(link);
    if (reference === null) throw new Error('the payment was begun');
    return { link, result, reference };
  }

  /** Delivers all of Stripe's events, and sweeps. */
  async deliverAll(): Promise<void> {
    for (const event of this.books.events.splice(0)) await this.deliver(event);
    await this.sweep();
  }

  /** Stripe's event arrives; what it is about is taken up by the next sweep. */
  async deliver(event: FakeEvent | object): Promise<boolean> {
    const { raw, headers } = this.stripe.sign(event);
    return receiveNotification(this.service.scope(), this.processor, raw, headers);
  }

  sweep(processor?: Processor): Promise<void> {
    return this.#payments.sweep(processor);
  }

  /** The payment's id at Stripe; null while we don't know it. */
  async reference(link: PayableLink): Promise<string | null> {
    const rows = await this.service.query<{ reference: string | null }>(
      `select processor_reference as reference from payment_attempts where payment_link_id = $1
       order by created_at desc, id desc limit 1`,
      [link.id],
    );
    return rows[0]?.reference ?? null;
  }

  events(link: PayableLink): Promise<string[]> {
    return this.#payments.events(link);
  }

  async seen(link: PayableLink) {
    return (await this.practice.live.get(`/api/v1/payment-links/${link.id}`)).body;
  }
}
