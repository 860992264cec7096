import Stripe from 'stripe';
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
import { ask, unlessLost, unlessMissing, unlessRefused } from './stripe-calls.ts';
import {
  disputeSnapshot,
  EXPAND,
  isDeclined,
  notificationOf,
  paymentSnapshot,
  refundSnapshot,
} from './stripe-snapshots.ts';

export interface StripeOptions {
  secretKey: string;
  publishableKey: string;
  /** Any of them may have signed a notification. */
  webhookSecrets: readonly string[];
  /** Null: Stripe's own. */
  apiBase: string | null;
}

/** One call's deadline; a charge that takes longer is looked up instead. */
const TIMEOUT_MS = 15_000;
/** Of calls whose connection failed; every call that changes something carries a key that makes it happen once. */
const RETRIES = 1;
/** Stripe's largest page of a list. */
const PAGE = 100;

/**
 * Stripe, by direct charges on the practices' own accounts. An attempt is a payment intent of its own, created first
 * and confirmed then: its id is known before anything is charged, and cancelling it shuts out a confirmation that is
 * still on its way. Keys are made from our ids, so that whatever is repeated happens once.
 */
export function createStripe(options: StripeOptions): Processor {
  const stripe = new Stripe(options.secretKey, clientOptions(options.apiBase));
  const livemode = /^[rs]k_live_/.test(options.secretKey);
  return {
    name: 'stripe',
    takesNotifications: options.webhookSecrets.length > 0,
    clientConfig: ({ id }) => ({ processor: 'stripe', publishableKey: options.publishableKey, accountId: id }),
    confirm: (charge) => confirm(stripe, charge),
    retrieve: (account, reference) => retrieve(stripe, account, reference),
    async find(intent) {
      const id = await findId(stripe, intent);
      return id === null ? null : retrieve(stripe, intent.account, id);
    },
    async cancel(intent, reference) {
      const id = reference ?? (await findId(stripe, intent));
      return id === null ? neverCreated(intent, 'cancelled') : cancel(stripe, intent.account, id);
    },
    refund: (request) => refund(stripe, request),
    async retrieveRefunds({ id: stripeAccount }, reference) {
      const query = { payment_intent: reference, limit: PAGE };
      const refunds = await ask(() =>
        stripe.refunds.list(query, { stripeAccount }).autoPagingToArray({ limit: 10_000 }),
      );
      return refunds.map(refundSnapshot);
    },
    async retrieveDispute({ id: stripeAccount }, reference) {
      const dispute = await unlessMissing(() => stripe.disputes.retrieve(reference, {}, { stripeAccount }));
      return dispute === null ? null : disputeSnapshot(dispute);
    },
    async verifyNotification(raw, headers) {
      const event = verify(stripe, raw, headers['stripe-signature'], options.webhookSecrets);
      return event === null ? null : notificationOf(event, livemode);
    },
    accounts: accountsOf(stripe),
  };
}

function clientOptions(apiBase: string | null): Stripe.StripeConfig {
  const common = { timeout: TIMEOUT_MS, maxNetworkRetries: RETRIES, telemetry: false };
  if (apiBase === null) return common;
  const { hostname, port, protocol } = new URL(apiBase);
  const scheme = protocol === 'http:' ? 'http' : 'https';
  return {
    ...common,
    host: hostname,
    port: port === '' ? (scheme === 'http' ? 80 : 443) : Number(port),
    protocol: scheme,
  };
}

/** The attempt's payment intent, nothing submitted; null when Stripe refuses to make one for this account. */
async function create(stripe: Stripe, intent: PaymentIntention): Promise<Stripe.Response<Stripe.PaymentIntent> | null> {
  const { account, attemptId, paymentLinkId, amountCents, currency, methodType } = intent;
  const params: Stripe.PaymentIntentCreateParams = {
    amount: amountCents,
    currency,
    allowed_payment_method_types: [methodType],
    ...(methodType === 'us_bank_account'
      ? { payment_method_options: { us_bank_account: { verification_method: 'instant' } } }
      : {}),
    metadata: { attempt: attemptId, payment_link: paymentLinkId },
  };
  const options = { stripeAccount: account.id, idempotencyKey: `att:${attemptId}:create` };
  return unlessRefused(() => stripe.paymentIntents.create(params, options));
}

/**
 * The id of the attempt's payment intent, which is made if there is none. Its key finds it, but Stripe remembers keys
 * for a day only: one with which nothing was ever submitted may be new, and have an elder that its metadata finds.
 */
async function findId(stripe: Stripe, intent: PaymentIntention): Promise<string | null> {
  const created = await create(stripe, intent);
  if (created === null) return null;
  const options = { stripeAccount: intent.account.id };
  // What `create` answers may be the answer of long ago.
  if (wasSubmitted(await ask(() => stripe.paymentIntents.retrieve(created.id, {}, options)))) return created.id;
  const search = { query: `metadata['attempt']:'${intent.attemptId}'`, limit: PAGE };
  const { data } = await ask(() => stripe.paymentIntents.search(search, options));
  return data.find(wasSubmitted)?.id ?? created.id;
}

function wasSubmitted({ latest_charge, status }: Stripe.PaymentIntent): boolean {
  return latest_charge !== null || (status !== 'requires_payment_method' && status !== 'canceled');
}

async function confirm(stripe: Stripe, charge: Charge): Promise<PaymentSnapshot> {
  const created = await create(stripe, charge);
  if (created === null) return neverCreated(charge, 'failed');
  const { account, attemptId, methodType } = charge;
  const params: Stripe.PaymentIntentConfirmParams = {
    confirmation_token: charge.methodToken,
    return_url: charge.returnUrl,
    expand: EXPAND,
    ...(methodType === 'us_bank_account' ? { mandate_data: mandateOf(charge) } : {}),
  };
  const options = { stripeAccount: account.id, idempotencyKey: `att:${attemptId}:confirm` };
  const confirmed = await unlessRefused(() => stripe.paymentIntents.confirm(created.id, params, options));
  if (confirmed !== null && !isDeclined(confirmed)) return paymentSnapshot(confirmed);
  // Declined, or never could be: read what it is now, and shut it, before we say that it failed.
  const now = await retrieve(stripe, account, created.id);
  if (now === null) throw new ProcessorUnavailable(new Error('the payment intent is gone'));
  if (now.state !== 'created') return now;
  const closed = await cancel(stripe, account, created.id);
  return closed.state === 'cancelled'
    ? { ...closed, state: 'failed', failureReason: 'invalid_payment_method' }
    : closed;
}

function mandateOf(charge: Charge): Stripe.PaymentIntentConfirmParams.MandateData {
  const online = { ip_address: charge.customerAddress, user_agent: charge.customerUserAgent };
  return { customer_acceptance: { type: 'online', online } };
}

/** A payment that was declined is shut on the way: only then is it final. */
async function retrieve(stripe: Stripe, account: Account, id: string): Promise<PaymentSnapshot | null> {
  const options = { stripeAccount: account.id };
  const intent = await unlessMissing(() => stripe.paymentIntents.retrieve(id, { expand: EXPAND }, options));
  if (intent === null) return null;
  const { attempt } = intent.metadata;
  // A practice's own payments are none of our business.
  if (attempt !== undefined && isDeclined(intent)) return cancel(stripe, account, id);
  return paymentSnapshot(intent);
}

/**
 * Without a key of ours: Stripe remembers refusals by their key, and a debit that could not be cancelled while it was
 * under way must be cancelled once it was returned. Cancelling twice does no harm.
 */
async function cancel(stripe: Stripe, account: Account, id: string): Promise<PaymentSnapshot> {
  const options = { stripeAccount: account.id };
  // Refused when it is final, or a debit under way.
  await unlessRefused(() => stripe.paymentIntents.cancel(id, {}, options));
  const intent = await ask(() => stripe.paymentIntents.retrieve(id, { expand: EXPAND }, options));
  return paymentSnapshot(intent);
}

async function refund(stripe: Stripe, request: RefundRequest): Promise<RefundSnapshot> {
  const { account, paymentReference, refundId, amountCents } = request;
  const params = { payment_intent: paymentReference, amount: amountCents, metadata: { refund: refundId } };
  const options = { stripeAccount: account.id, idempotencyKey: `ref:${refundId}` };
  // An account that is not ours any more gives nothing back.
  const made = await unlessLost(() => unlessRefused(() => stripe.refunds.create(params, options)));
  if (made !== null) return refundSnapshot(made);
  return { reference: null, refundId, paymentReference, amountCents, state: 'failed' };
}

function accountsOf(stripe: Stripe): Processor['accounts'] {
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
      const account = await ask(() => stripe.accounts.create(params, { idempotencyKey: `prac:${id}:account` }));
      return { id: account.id };
    },
    async onboardingLink({ id }, returnUrl) {
      const account = await ask(() => stripe.accounts.retrieve(id));
      if (account.details_submitted && account.charges_enabled) return null;
      const params = {
        account: id,
        type: 'account_onboarding' as const,
        return_url: returnUrl,
        refresh_url: returnUrl,
      };
      return (await ask(() => stripe.accountLinks.create(params))).url;
    },
    async retrieve({ id }) {
      const account = await unlessLost(() => ask(() => stripe.accounts.retrieve(id)));
      return {
        paymentsEnabled: account?.charges_enabled ?? false,
        bankDebitsEnabled: account?.capabilities?.us_bank_account_ach_payments === 'active',
      };
    },
  };
}

function neverCreated(intent: PaymentIntention, state: 'failed' | 'cancelled'): PaymentSnapshot {
  return {
    reference: null,
    attemptId: intent.attemptId,
    state,
    wasProcessing: false,
    amountCents: intent.amountCents,
    currency: intent.currency,
    method: null,
    feeCents: null,
    failureReason: state === 'failed' ? 'not_accepted' : null,
    clientAction: null,
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
      // Not by this secret, too old, or no event at all: the next secret decides.
    }
  }
  return null;
}
