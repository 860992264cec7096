import type { Submission, SubmitResult } from '../../src/payment-links/checkout/port.ts';
import { createPageService } from '../../src/payment-links/checkout/service.ts';
import { createRefund } from '../../src/payment-links/payments/create-refund.ts';
import { handleDueNotifications, receiveNotification } from '../../src/payment-links/payments/notifications.ts';
import { reconcileAttempts, reconcileTransactions } from '../../src/payment-links/payments/reconcile.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { expireDueLinks } from '../../src/payment-links/upkeep/expire-links.ts';
import { type Processor, ProcessorUnavailable } from '../../src/processors/processor.ts';
import { createSandbox, type Sandbox } from '../../src/processors/sandbox.ts';
import {
  findPayment,
  notify,
  runStatement,
  type SandboxMessage,
  sandboxReference,
} from '../../src/processors/sandbox-ledger.ts';
import { SANDBOX_METHODS } from '../../src/processors/sandbox-methods.ts';
import { madeOnce, useService } from './fixtures.ts';
import { createLink, type ServiceOptions, type TestPractice, type TestService } from './service.ts';

/** Time until a bank debit settles in tests. */
export const SETTLE_SECONDS = 3 * 86_400;

export interface PayableLink {
  id: string;
  token: string;
  amountCents: number;
}

/** Returns the service of a `describe`, a practice with an endpoint for the events of live links, and actions for its payments. */
export function usePayments(options: ServiceOptions = {}) {
  const service = useService(options);
  const practice = madeOnce(() => service.practice());
  before(async () => {
    await practice.live.post('/api/v1/webhook-endpoints', { url: 'https://127.0.0.1/hook' });
  });
  return { service, practice, payments: new Payments(service) };
}

/** Stands for a call to a processor that is out of reach. */
export async function noAnswer(): Promise<never> {
  throw new ProcessorUnavailable(new Error('away'));
}

/** Actions of patients, processors and operators for tests of payments. */
export class Payments {
  readonly service: TestService;
  readonly sandbox: Sandbox;
  readonly #processor: Processor | undefined;

  /** @param processor by default the sandbox */
  constructor(service: TestService, processor?: Processor) {
    this.service = service;
    this.#processor = processor;
    this.sandbox = createSandbox({ newScope: () => service.scope(), settleSeconds: SETTLE_SECONDS });
  }

  async link(practice: TestPractice, overrides: Record<string, unknown> = {}): Promise<PayableLink> {
    const { id, url, amount } = await createLink(practice.live, overrides);
    return { id, token: url.slice(url.lastIndexOf('/') + 1), amountCents: Math.round(amount * 100) };
  }

  get processor(): Processor {
    return this.#processor ?? this.sandbox;
  }

  /** Returns the service of the hosted pages. */
  pages(processor: Processor = this.processor) {
    return createPageService(this.service.scope(), processor, separately);
  }

  pay(link: PayableLink, methodToken: string, processor?: Processor): Promise<SubmitResult> {
    return this.pages(processor).submit(link.token, submission(link, methodToken));
  }

  /** Refunds the link's payment, in full or in part. */
  refund({ id: linkId }: { id: string }, amountCents?: number | null, reason?: string, processor = this.processor) {
    return createRefund({ ...this.service.scope(), processor, ...separately }, { linkId, amountCents, reason });
  }

  async sweep(processor: Processor = this.processor): Promise<void> {
    const newScope = () => this.service.scope();
    await handleDueNotifications(() => ({ ...newScope(), processor, ...separately }));
    await reconcileAttempts(() => ({ ...newScope(), processor, ...separately }));
    await reconcileTransactions(() => ({ ...newScope(), processor, ...separately }));
    await expireDueLinks(newScope);
  }

  /** Lets the time pass after which pending bank debits settle or are returned, and runs all sweeps. */
  async settle(): Promise<void> {
    this.service.clock.advance({ seconds: SETTLE_SECONDS });
    await this.sweep();
  }

  /** Sends a notification of the sandbox and processes it. Returns false if it is refused. */
  async notify(accountId: string, subject: SandboxMessage['subject'], id = `msg_${Math.random()}`): Promise<boolean> {
    const { raw, headers } = await this.sandbox.signed({ id, accountId, subject });
    const accepted = await receiveNotification(this.service.scope(), this.sandbox, raw, headers);
    await handleDueNotifications(() => ({ ...this.service.scope(), processor: this.sandbox, ...separately }));
    return accepted;
  }

  /** Returns reference, account and attempt of the link's latest payment. @throws if there is none */
  async payment(link: PayableLink): Promise<{ reference: string; account: string; attemptId: string }> {
    const [row] = await this.service.query<{ reference: string; account: string; attemptId: string }>(
      `select processor_reference as reference, processor_account_id as account, id as "attemptId"
       from payment_attempts where payment_link_id = $1 order by created_at desc limit 1`,
      [link.id],
    );
    if (row === undefined) throw new Error('no attempt');
    return row;
  }

  /** Returns reference and account of a charge that the sandbox has made, also if the service has not heard of it. */
  async charge(link: PayableLink): Promise<{ reference: string; account: string }> {
    const [row] = await this.service.query<{ reference: string; account: string }>(
      'select reference, account from sandbox.payments where attempt = $1',
      [(await this.payment(link)).attemptId],
    );
    if (row === undefined) throw new Error('the sandbox has no charge of this link');
    return row;
  }

  /** The practice refunds a payment at the sandbox itself. */
  async refundAtSandbox(reference: string, amountCents: number): Promise<void> {
    await this.#changeRefunds(
      reference,
      `insert into sandbox.refunds (payment, reference, amount_cents, state) values ($1, $2, $3, 'succeeded')`,
      [sandboxReference('ref'), amountCents],
    );
  }

  /** All refunds of a payment fail, also complete ones. */
  async failRefunds(reference: string): Promise<void> {
    await this.#changeRefunds(reference, `update sandbox.refunds set state = 'failed' where payment = $1`, []);
  }

  async #changeRefunds(reference: string, text: string, values: readonly (string | number)[]): Promise<void> {
    await runStatement(this.service.scope(), text, [reference, ...values]);
    const payment = await findPayment(this.service.scope(), 'reference', reference);
    if (payment === null) throw new Error('the sandbox has no payment of this reference');
    await notify(this.service.scope(), payment.account, { kind: 'payment', reference });
  }

  /** Returns the types of the link's events, in order, as one subscribed endpoint gets them. */
  async events(link: PayableLink): Promise<string[]> {
    const rows = await this.service.query<{ type: string }>(
      'select type from webhook_deliveries where payment_link_id = $1 order by id',
      [link.id],
    );
    return rows.map(({ type }) => type.replace('payment_link.', ''));
  }

  /** Returns the number of charges of the sandbox for the link's attempts. */
  async charges(link: Pick<PayableLink, 'id'>): Promise<number> {
    const rows = await this.service.query(
      `select 1 from sandbox.payments p join payment_attempts a on a.id = p.attempt
       where a.payment_link_id = $1 and p.state in ('succeeded', 'processing')`,
      [link.id],
    );
    return rows.length;
  }
}

export function submission(link: PayableLink, methodToken: string): Submission {
  const methodType = SANDBOX_METHODS[methodToken]?.type ?? 'card';
  return {
    amountCents: link.amountCents,
    methodType,
    methodToken,
    locale: 'en',
    address: '203.0.113.7',
    userAgent: 'test',
    authorisationText: methodType === 'card' ? null : 'I authorise this debit, once.',
  };
}
