import type { Logger } from 'pino';
import Stripe from 'stripe';
import { CURRENCY } from '../platform/base/money.ts';
import {
  type Account,
  type Charge,
  type PaymentIntention,
  type PaymentSnapshot,
  type Processor,
  ProcessorUnavailable,
  type RefundRequest,
  type RefundSnapshot,
} from './processor.ts';
import {
  CALL_TIMEOUT_MS,
  callStripe,
  createTimedHttpClient,
  type Refusal,
  unlessLost,
  unlessMissing,
  unlessRefused,
} from './stripe-calls.ts';
import {
  CLOSED_AS_DECLINED,
  disputeSnapshot,
  EXPAND,
  isDeclined,
  listedPayment,
  paymentSnapshot,
  refundSnapshot,
  toNotification,
} from './stripe-snapshots.ts';

export interface StripeOptions {
  secretKey: string;
  publishableKey: string;
  /** Any of them may have signed a notification. */
  webhookSecrets: readonly string[];
  /** Address of the API; null for Stripe's own. */
  apiBase: string | null;
}

type ReportRefusal = (refusal: Refusal) => void;

/** Largest list page that Stripe allows. */
const LIST_PAGE_SIZE = 100;

/**
 * Creates the processor Stripe, with direct charges on the practices' own accounts. Each attempt has its own payment
 * intent, and cancelling it blocks a confirmation that is still in flight. Idempotency keys contain our ids, so a repeated
 * call happens once. No call uses a key to look something up: Stripe forgets keys after a day.
 */
export function createStripe(options: StripeOptions, log: Logger): Processor {
  const stripe = new Stripe(options.secretKey, clientOptions(options.apiBase));
  const livemode = /^[rs]k_live_/.test(options.secretKey);
  const report = (call: string, id: string) => (refusal: Refusal) => {
    log.warn({ call, id, ...refusal }, 'Stripe refused a call');
  };
  return {
    name: 'stripe',
    takesNotifications: options.webhookSecrets.length > 0,
    offersWallets: true,
    clientConfig: ({ id }) => ({ collects: 'script', publishableKey: options.publishableKey, accountId: id }),
    begin: (intent) => create(stripe, intent, report('begin', intent.attemptId)),
    confirm: (charge, reference) => confirm(stripe, charge, reference, report('confirm', charge.attemptId)),
    async retrieve(account, reference) {
      const intent = await retrieve(stripe, account, reference);
      return intent === null ? null : paymentSnapshot(intent);
    },
    listPayments: (account, since) => listPayments(stripe, account, since),
    cancel: (account, reference) => cancel(stripe, account, reference),
    refund: (request) => refund(stripe, request, report('refund', request.refundId)),
    async retrieveRefunds({ id: stripeAccount }, reference) {
      const query = { payment_intent: reference, limit: LIST_PAGE_SIZE };
      const refunds = await callStripe(() =>
        stripe.refunds.list(query, { stripeAccount }).autoPagingToArray({ limit: 10_000 }),
      );
      return refunds.map(refundSnapshot).reverse();
    },
    async retrieveDispute({ id: stripeAccount }, reference) {
      const dispute = await unlessMissing(() => stripe.disputes.retrieve(reference, {}, { stripeAccount }));
      return dispute === null ? null : disputeSnapshot(dispute);
    },
    async retrieveDisputes({ id: stripeAccount }, reference) {
      const query = { payment_intent: reference, limit: LIST_PAGE_SIZE };
      const disputes = await callStripe(() =>
        stripe.disputes.list(query, { stripeAccount }).autoPagingToArray({ limit: 1000 }),
      );
      return disputes.map(disputeSnapshot).filter((dispute) => dispute !== null);
    },
    async verifyNotification(raw, headers) {
      const event = verify(stripe, raw, headers['stripe-signature'], options.webhookSecrets);
      return event === null ? null : toNotification(event, livemode);
    },
    accounts: makeAccounts(stripe),
  };
}

function clientOptions(apiBase: string | null): Stripe.StripeConfig {
  const common = {
    timeout: CALL_TIMEOUT_MS,
    // A key makes every call that changes something happen once.
    maxNetworkRetries: 1,
    telemetry: false,
    httpClient: createTimedHttpClient(),
  };
  if (apiBase === null) return common;
  const { hostname: host, port, protocol } = new URL(apiBase);
  if (protocol === 'http:') return { ...common, host, port: port || 80, protocol: 'http' };
  return { ...common, host, port: port || 443, protocol: 'https' };
}

/** Creates the payment intent of an attempt. If Stripe refuses the addition to the name on statements, the patient pays without it. */
async function create(stripe: Stripe, intent: PaymentIntention, report: ReportRefusal): Promise<string | null> {
  const { account, attemptId, paymentLinkId, amountCents, currency, methodType } = intent;
  // Stripe adds it to cards only. For other methods a text would replace the whole name of the account.
  const suffix = methodType === 'card' ? intent.statementDescriptorSuffix : null;
  const params: Stripe.PaymentIntentCreateParams = {
    amount: amountCents,
    currency,
    allowed_payment_method_types: [methodType],
    ...(methodType === 'us_bank_account' && {
      payment_method_options: { us_bank_account: { verification_method: 'instant' } },
    }),
    metadata: { attempt: attemptId, payment_link: paymentLinkId },
  };
  const idempotencyKey = `att:${attemptId}:create`;
  const options = { stripeAccount: account.id, idempotencyKey };
  let isSuffixRefused = false;
  const withSuffix = suffix === null ? params : { ...params, statement_descriptor_suffix: suffix };
  const reportParam: ReportRefusal = (refusal) => {
    isSuffixRefused = refusal.param === 'statement_descriptor_suffix';
    report(refusal);
  };
  const newIntent = await unlessRefused(() => stripe.paymentIntents.create(withSuffix, options), reportParam);
  if (newIntent !== null || !isSuffixRefused) return newIntent?.id ?? null;
  // Another request needs another key.
  const plainOptions = { ...options, idempotencyKey: `${idempotencyKey}:plain` };
  return (await unlessRefused(() => stripe.paymentIntents.create(params, plainOptions), report))?.id ?? null;
}

async function confirm(stripe: Stripe, charge: Charge, id: string, report: ReportRefusal): Promise<PaymentSnapshot> {
  const { account, attemptId, methodType } = charge;
  const online = { ip_address: charge.customerAddress, user_agent: charge.customerUserAgent };
  const params: Stripe.PaymentIntentConfirmParams = {
    confirmation_token: charge.methodToken,
    return_url: charge.returnUrl,
    expand: EXPAND,
    ...(methodType === 'us_bank_account' ? { mandate_data: { customer_acceptance: { type: 'online', online } } } : {}),
  };
  const options = { stripeAccount: account.id, idempotencyKey: `att:${attemptId}:confirm` };
  const confirmedIntent = await unlessRefused(() => stripe.paymentIntents.confirm(id, params, options), report);
  if (confirmedIntent !== null && !isDeclined(confirmedIntent)) return paymentSnapshot(confirmedIntent);
  // Declined or refused. Reads the present state and cancels the intent before we report that it failed.
  const intent = await retrieve(stripe, account, id);
  if (intent === null) throw new ProcessorUnavailable(new Error('the account has no such payment intent any more'));
  const isOpen = isDeclined(intent) || paymentSnapshot(intent).state === 'created';
  const snapshot = isOpen
    ? await cancelIntent(stripe, account, intent, 'invalid_payment_method')
    : paymentSnapshot(intent);
  // This call was refused, so the debit was never pending.
  return { ...snapshot, wasProcessing: false };
}

function retrieve(stripe: Stripe, { id: stripeAccount }: Account, id: string): Promise<Stripe.PaymentIntent | null> {
  return unlessMissing(() => stripe.paymentIntents.retrieve(id, { expand: EXPAND }, { stripeAccount }));
}

/** Each list page is a call with its own deadline. */
async function* listPayments(stripe: Stripe, { id: stripeAccount }: Account, since: Date) {
  const query = { created: { gte: Math.floor(since.getTime() / 1_000) }, limit: LIST_PAGE_SIZE };
  let cursor: { starting_after?: string } | null = {};
  while (cursor !== null) {
    const params: Stripe.PaymentIntentListParams = { ...query, ...cursor };
    const { data, has_more: hasMore } = await callStripe(() => stripe.paymentIntents.list(params, { stripeAccount }));
    yield data.map(listedPayment);
    const lastId = data.at(-1)?.id;
    cursor = hasMore && lastId !== undefined ? { starting_after: lastId } : null;
  }
}

async function cancel(stripe: Stripe, account: Account, id: string): Promise<PaymentSnapshot> {
  const intent = await retrieve(stripe, account, id);
  if (intent === null) throw new Error('the account has no such payment intent');
  return cancelIntent(stripe, account, intent, null);
}

/**
 * Cancels an intent, unless it is final or a pending debit. Uses no idempotency key, because Stripe replays a refusal
 * for its key, and a debit must be cancelled after it is returned. Cancelling twice is harmless.
 * @param intent the intent before. The reason of a decline may be gone after it is cancelled
 * @param refusal failure reason if nothing was declined; null to report the payment as cancelled
 */
async function cancelIntent(
  stripe: Stripe,
  account: Account,
  intent: Stripe.PaymentIntent,
  refusal: string | null,
): Promise<PaymentSnapshot> {
  const options = { stripeAccount: account.id };
  const before = paymentSnapshot(intent);
  const isRefused = before.state === 'declined' || refusal !== null;
  const params = isRefused ? { cancellation_reason: CLOSED_AS_DECLINED } : {};
  await unlessRefused(() => stripe.paymentIntents.cancel(intent.id, params, options));
  const after = paymentSnapshot(
    await callStripe(() => stripe.paymentIntents.retrieve(intent.id, { expand: EXPAND }, options)),
  );
  if (before.state === 'declined' && after.state === 'failed') return { ...before, state: 'failed' };
  return refusal !== null && after.state === 'failed' ? { ...after, failureReason: refusal } : after;
}

async function refund(stripe: Stripe, request: RefundRequest, report: ReportRefusal): Promise<RefundSnapshot> {
  const { account, paymentReference, refundId, amountCents } = request;
  const params = { payment_intent: paymentReference, amount: amountCents, metadata: { refund: refundId } };
  const options = { stripeAccount: account.id, idempotencyKey: `ref:${refundId}` };
  // A disconnected account cannot refund.
  const refund = await unlessLost(() => unlessRefused(() => stripe.refunds.create(params, options), report));
  if (refund !== null) return refundSnapshot(refund);
  return { reference: null, refundId, paymentReference, amountCents, currency: CURRENCY, state: 'failed' };
}

function makeAccounts(stripe: Stripe): Processor['accounts'] {
  return {
    implied: () => null,
    async create({ id, name, adminEmail }) {
      const params: Stripe.AccountCreateParams = {
        country: 'US',
        email: adminEmail,
        business_profile: { name },
        controller: {
          fees: { payer: 'account' },
          losses: { payments: 'stripe' },
          requirement_collection: 'stripe',
          stripe_dashboard: { type: 'full' },
        },
        capabilities: { card_payments: { requested: true }, us_bank_account_ach_payments: { requested: true } },
        metadata: { practice: id },
      };
      const account = await callStripe(() => stripe.accounts.create(params, { idempotencyKey: `prac:${id}:account` }));
      return { id: account.id };
    },
    async onboardingLink({ id }, returnUrl) {
      const account = await callStripe(() => stripe.accounts.retrieve(id));
      if (account.details_submitted && account.charges_enabled) return null;
      const addresses = { return_url: returnUrl, refresh_url: returnUrl };
      const params = { account: id, type: 'account_onboarding', ...addresses } as const;
      return (await callStripe(() => stripe.accountLinks.create(params))).url;
    },
    async retrieve({ id }) {
      const account = await unlessLost(() => callStripe(() => stripe.accounts.retrieve(id)));
      return {
        paymentsEnabled: account?.charges_enabled ?? false,
        bankDebitsEnabled: account?.capabilities?.us_bank_account_ach_payments === 'active',
      };
    },
  };
}

function verify(
  stripe: Stripe,
  raw: Buffer,
  signature: string | string[] | undefined,
  secrets: readonly string[],
): Stripe.Event | null {
  if (typeof signature !== 'string') return null;
  for (const secret of secrets) {
    try {
      return stripe.webhooks.constructEvent(raw, signature, secret);
    } catch {
      // Signed with another secret, too old, or not an event. Tries the next secret.
    }
  }
  return null;
}
