import type { Submission, SubmitResult } from '../../src/payment-links/checkout/port.ts';
import { createPageService } from '../../src/payment-links/checkout/service.ts';
import { expireDueLinks } from '../../src/payment-links/expire-links.ts';
import { handleDueNotifications, receiveNotification } from '../../src/payment-links/reconcile/notifications.ts';
import { reconcileAttempts, reconcileTransactions } from '../../src/payment-links/reconcile/reconcile.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { createSandbox, type Sandbox } from '../../src/processors/sandbox.ts';
import type { SandboxMessage } from '../../src/processors/sandbox-ledger.ts';
import { SANDBOX_METHODS } from '../../src/processors/sandbox-methods.ts';
import { query } from './database.ts';
import { createLink, type TestPractice, type TestService } from './service.ts';

/** How long a bank debit is under way in tests. */
export const SETTLE_SECONDS = 3 * 86_400;

/** A live link whose token tests need, and the ids around it. */
export interface PayableLink {
  id: string;
  token: string;
  amountCents: number;
}

/** What tests of payments do with a service: pay as patients, tell as processors, look as operators. */
export class Payments {
  readonly service: TestService;
  readonly sandbox: Sandbox;

  constructor(service: TestService) {
    this.service = service;
    this.sandbox = createSandbox({ newScope: () => service.scope(), settleSeconds: SETTLE_SECONDS });
  }

  /** A live link of the practice. */
  async link(practice: TestPractice, overrides: Record<string, unknown> = {}): Promise<PayableLink> {
    const { id, url, amount } = await createLink(practice.live, overrides);
    return { id, token: url.slice(url.lastIndexOf('/') + 1), amountCents: Math.round(amount * 100) };
  }

  /** The pages' service on another processor than the sandbox, if need be. */
  pages(processor: Processor = this.sandbox) {
    return createPageService(this.service.scope(), processor);
  }

  /** Submits a link's page with a test method. */
  pay(link: PayableLink, methodToken: string, processor?: Processor): Promise<SubmitResult> {
    return this.pages(processor).submit(link.token, submission(link, methodToken));
  }

  /** What the worker's sweeps do, all at once. */
  async sweep(processor: Processor = this.sandbox): Promise<void> {
    const newScope = () => this.service.scope();
    await reconcileAttempts(newScope, processor);
    await reconcileTransactions(newScope, processor);
    await handleDueNotifications(newScope, processor);
    await expireDueLinks(newScope);
  }

  /** The sandbox tells of a payment, refund or dispute, and we take it up. */
  async tell(accountId: string, subject: SandboxMessage['subject'], id = `msg_${Math.random()}`): Promise<boolean> {
    const { raw, headers } = await this.sandbox.signed({ id, accountId, subject });
    const taken = await receiveNotification(this.service.scope(), this.sandbox, raw, headers);
    await handleDueNotifications(() => this.service.scope(), this.sandbox);
    return taken;
  }

  /** The payment's reference and account, once there is one. */
  async payment(link: PayableLink): Promise<{ reference: string; account: string; attemptId: string }> {
    const [row] = await this.rows<{ reference: string; account: string; attemptId: string }>(
      `select processor_reference as reference, processor_account_id as account, id as "attemptId"
       from payment_attempts where payment_link_id = $1 order by created_at desc limit 1`,
      [link.id],
    );
    if (row === undefined) throw new Error('no attempt');
    return row;
  }

  /** Types of the events of a link, in their order, as one listening endpoint gets them. */
  async events(link: PayableLink): Promise<string[]> {
    const rows = await this.rows<{ type: string }>(
      'select type from webhook_deliveries where payment_link_id = $1 order by id',
      [link.id],
    );
    return rows.map(({ type }) => type.replace('payment_link.', ''));
  }

  /** How often the sandbox took money for the link's attempts. */
  async charges(link: PayableLink): Promise<number> {
    const rows = await this.rows(
      `select 1 from sandbox.payments p join payment_attempts a on a.id = p.attempt
       where a.payment_link_id = $1 and p.state in ('succeeded', 'processing')`,
      [link.id],
    );
    return rows.length;
  }

  rows<Row extends Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row[]> {
    return query<Row>(this.service.config.databaseUrl, text, values);
  }
}

/** A submission of the link's page. */
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
