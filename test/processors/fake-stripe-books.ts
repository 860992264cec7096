import type Stripe from 'stripe';

type Intent = Partial<Stripe.PaymentIntent> &
  Pick<Stripe.PaymentIntent, 'id' | 'amount' | 'currency' | 'status' | 'created'> & {
    latest_charge: string | null;
    payment_method: string | null;
    statement_descriptor_suffix: string | null;
  };
type Booking = Pick<Stripe.BalanceTransaction, 'id' | 'object' | 'fee'>;
type Charge = Pick<
  Stripe.Charge,
  'id' | 'object' | 'amount' | 'status' | 'failure_code' | 'calculated_statement_descriptor'
> & {
  outcome: Pick<Stripe.Charge.Outcome, 'network_status' | 'type'>;
  payment_intent: string;
  balance_transaction: Booking | null;
  payment_method_details: object;
};
type Refund = Pick<Stripe.Refund, 'id' | 'object' | 'amount' | 'currency' | 'status' | 'metadata'> & {
  payment_intent: string;
};
type Dispute = Pick<Stripe.Dispute, 'id' | 'object' | 'amount' | 'currency' | 'status' | 'reason'> & {
  payment_intent: string;
  evidence_details: { due_by: number | null };
};
type Account = Pick<Stripe.Account, 'id' | 'object' | 'charges_enabled' | 'details_submitted' | 'metadata'> & {
  capabilities: { us_bank_account_ach_payments?: 'active' | 'inactive' };
};
export type FakeEvent = Pick<Stripe.Event, 'id' | 'object' | 'type' | 'account' | 'livemode' | 'created'> & {
  data: { object: object };
};

/** Objects of one account. Other accounts cannot see them. */
interface AccountObjects {
  account: Account;
  intents: Map<string, Intent>;
  charges: Map<string, Charge>;
  refunds: Map<string, Refund>;
  disputes: Map<string, Dispute>;
  connected: boolean;
}

/** An error answer of Stripe. */
export class Refusal extends Error {
  readonly status: number;
  readonly error: object;

  constructor(status: number, type: string, message: string, code?: string, more: object = {}) {
    super(message);
    this.status = status;
    this.error = { type, message, code, ...more };
  }

  reply() {
    return { status: this.status, body: { error: this.error } };
  }
}

/** Name of the account on statements, and its shortened form before an addition. */
export const DESCRIPTOR = 'ELM STREET DENTAL';
const PREFIX = 'ELM STREET';

/** Addition to the name that keeps the rules, and that Stripe refuses all the same. */
export const REFUSED_SUFFIX = 'STRIPE';

/** Confirmation tokens by outcome. A suffix after `--` makes a token unique. */
export const TOKENS = {
  success: 'ctoken_success',
  declined: 'ctoken_declined',
  challenge: 'ctoken_challenge',
  refundLater: 'ctoken_refund_later',
  refundFails: 'ctoken_refund_fails',
  bankSettles: 'ctoken_bank_settles',
  bankRefused: 'ctoken_bank_refused',
} as const;

/** Parameters of each call, as patterns of their flattened names. */
const PARAMETERS: Readonly<Record<string, RegExp>> = {
  'POST /v1/payment_intents':
    /^(amount|currency|allowed_payment_method_types\[\d\]|statement_descriptor_suffix|metadata\[\w+\]|payment_method_options\[us_bank_account\]\[verification_method\])$/,
  'GET /v1/payment_intents': /^(created\[gte\]|limit|starting_after)$/,
  'GET /v1/payment_intents/:id': /^expand\[\d\]$/,
  'POST /v1/payment_intents/:id/confirm':
    /^(confirmation_token|return_url|expand\[\d\]|mandate_data\[customer_acceptance\](\[type\]|\[online\]\[(ip_address|user_agent)\]))$/,
  'POST /v1/payment_intents/:id/cancel': /^(cancellation_reason|expand\[\d\])$/,
  'POST /v1/refunds': /^(payment_intent|amount|metadata\[\w+\])$/,
  'GET /v1/refunds': /^(payment_intent|limit|starting_after)$/,
  'GET /v1/disputes': /^(payment_intent|limit|starting_after)$/,
  'GET /v1/disputes/:id': /^$/,
  'POST /v1/accounts': /^(country|email|business_profile\[name\]|controller\[.+|capabilities\[.+|metadata\[\w+\])$/,
  'GET /v1/accounts/:id': /^$/,
  'POST /v1/account_links': /^(account|type|return_url|refresh_url)$/,
};

/** The objects of the fake, with the actions of API calls, patients, banks and Stripe's staff. */
export class FakeStripeBooks {
  /** Events that the test has not taken, oldest first. */
  readonly events: FakeEvent[] = [];
  readonly #accounts = new Map<string, AccountObjects>();
  readonly #usedTokens = new Set<string>();
  readonly #now: () => Date;
  #count = 0;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Adds an account with all abilities, or with none. */
  addAccount(enabled = true, metadata: Record<string, string> = {}): string {
    const id = this.#id('acct');
    const account: Account = {
      id,
      object: 'account',
      charges_enabled: enabled,
      details_submitted: enabled,
      capabilities: { us_bank_account_ach_payments: enabled ? 'active' : 'inactive' },
      metadata,
    };
    const maps = { intents: new Map(), charges: new Map(), refunds: new Map(), disputes: new Map() };
    this.#accounts.set(id, { account, ...maps, connected: true });
    return id;
  }

  /** The practice completes onboarding. */
  enable(id: string): void {
    const { account } = this.#of(id);
    account.charges_enabled = true;
    account.details_submitted = true;
    account.capabilities.us_bank_account_ach_payments = 'active';
    this.#emit(id, 'account.updated', account);
  }

  /** The practice disconnects its account. */
  disconnect(id: string): void {
    this.#of(id).connected = false;
    this.#emit(id, 'account.application.deauthorized', { id: 'ca_fake', object: 'application' });
  }

  /** The practice connects its account again. */
  reconnect(id: string): void {
    const at = this.#of(id);
    at.connected = true;
    this.#emit(id, 'account.updated', at.account);
  }

  /** Counts the payments of an account that took money or are pending. */
  charged(id: string): number {
    const { intents } = this.#of(id);
    return [...intents.values()].filter(({ status }) => status === 'succeeded' || status === 'processing').length;
  }

  /** Answers a call. @throws Refusal */
  call(call: string, accountId: string | null, params: Map<string, string>): object {
    const [, method = '', collection = '', id = '', verb = ''] = /^(\w+) \/v1\/(\w+)\/?(\w*)\/?(\w*)$/.exec(call) ?? [];
    const shape = `${method} /v1/${collection}${id && '/:id'}${verb && `/${verb}`}`;
    const known = PARAMETERS[shape];
    if (known === undefined) throw new Refusal(404, 'invalid_request_error', `Unrecognized request URL (${call})`);
    for (const name of params.keys()) {
      if (!known.test(name)) {
        throw new Refusal(400, 'invalid_request_error', `Received unknown parameter: ${name}`, 'parameter_unknown');
      }
    }
    if (collection === 'accounts' || collection === 'account_links') return this.#platform(shape, id, params);
    const at = this.#connected(accountId);
    switch (shape) {
      case 'POST /v1/payment_intents':
        return this.#createIntent(at, params);
      case 'GET /v1/payment_intents':
        return listPage([...at.intents.values()], params);
      case 'GET /v1/payment_intents/:id':
        return expanded(at, find(at.intents, id), params);
      case 'POST /v1/payment_intents/:id/confirm':
        return expanded(at, this.#confirm(at, find(at.intents, id), params), params);
      case 'POST /v1/payment_intents/:id/cancel':
        return expanded(at, this.#cancel(at, find(at.intents, id), params), params);
      case 'POST /v1/refunds':
        return this.#refund(at, params);
      case 'GET /v1/refunds':
        return list([...at.refunds.values()].filter((one) => one.payment_intent === params.get('payment_intent')));
      case 'GET /v1/disputes':
        return list([...at.disputes.values()].filter((one) => one.payment_intent === params.get('payment_intent')));
      default:
        return find(at.disputes, id);
    }
  }

  /** The patient passes or fails 3-D Secure. */
  finishAction(accountId: string, intentId: string, passes: boolean): void {
    const at = this.#of(accountId);
    const intent = find(at.intents, intentId);
    if (intent.status !== 'requires_action') return;
    if (passes) this.#succeed(at, intent);
    else this.#decline(at, intent, { code: 'payment_intent_authentication_failure' });
  }

  /** Stripe keeps processing a card payment that waited for the patient. */
  keepProcessing(accountId: string, intentId: string): void {
    const intent = find(this.#of(accountId).intents, intentId);
    if (intent.status === 'requires_action') intent.status = 'processing';
    this.#emit(accountId, 'payment_intent.processing', intent);
  }

  /** A pending payment succeeds or fails: a bank debit, or a card that Stripe kept processing. */
  finishDebit(accountId: string, intentId: string, settles: boolean): void {
    const at = this.#of(accountId);
    const intent = find(at.intents, intentId);
    if (intent.status !== 'processing') return;
    if (settles) this.#succeed(at, intent);
    else this.#decline(at, intent, { code: 'insufficient_funds' });
  }

  /** Stripe books the charge, and its fee is known. */
  book(accountId: string, intentId: string, fee: number): void {
    const at = this.#of(accountId);
    const charge = find(at.charges, find(at.intents, intentId).latest_charge ?? '');
    charge.balance_transaction = { id: this.#id('txn'), object: 'balance_transaction', fee };
    this.#emit(accountId, 'charge.updated', charge);
  }

  /** The practice refunds in Stripe's dashboard. */
  refundInDashboard(accountId: string, intentId: string, amount: number): void {
    this.#refund(this.#of(accountId), new Map(Object.entries({ payment_intent: intentId, amount: `${amount}` })));
  }

  /** Pending refunds succeed or fail, as the payment's method token says. */
  finishRefunds(accountId: string, intentId: string): void {
    const at = this.#of(accountId);
    const fails = find(at.intents, intentId).payment_method === `pm_${TOKENS.refundFails}`;
    for (const refund of at.refunds.values()) {
      if (refund.payment_intent !== intentId || refund.status !== 'pending') continue;
      refund.status = fails ? 'failed' : 'succeeded';
      this.#emit(accountId, fails ? 'refund.failed' : 'refund.updated', refund);
    }
  }

  /** All refunds of a payment fail, also completed ones. */
  failRefunds(accountId: string, intentId: string): void {
    for (const refund of this.#of(accountId).refunds.values()) {
      if (refund.payment_intent !== intentId) continue;
      refund.status = 'failed';
      this.#emit(accountId, 'refund.failed', refund);
    }
  }

  /** @returns the dispute's id */
  openDispute(
    accountId: string,
    intentId: string,
    dispute: { amount: number; reason: string; status?: string },
  ): string {
    const at = this.#of(accountId);
    const opened: Dispute = {
      id: this.#id('du'),
      object: 'dispute',
      amount: dispute.amount,
      currency: 'usd',
      reason: dispute.reason,
      status: dispute.status ?? 'needs_response',
      payment_intent: intentId,
      evidence_details: { due_by: Math.floor(this.#now().getTime() / 1000) + 86_400 },
    };
    at.disputes.set(opened.id, opened);
    this.#emit(accountId, 'charge.dispute.created', opened);
    return opened.id;
  }

  /** Changes the status of a dispute, such as an inquiry that becomes a dispute. */
  moveDispute(accountId: string, disputeId: string, status: string): void {
    const dispute = find(this.#of(accountId).disputes, disputeId);
    dispute.status = status;
    this.#emit(accountId, 'charge.dispute.updated', dispute);
  }

  closeDispute(accountId: string, disputeId: string, outcome: 'won' | 'lost' | 'prevented' | 'warning_closed'): void {
    const dispute = find(this.#of(accountId).disputes, disputeId);
    dispute.status = outcome;
    this.#emit(accountId, 'charge.dispute.closed', dispute);
  }

  #platform(shape: string, id: string, params: Map<string, string>): object {
    if (shape === 'POST /v1/accounts') {
      return this.#of(this.addAccount(false, { practice: params.get('metadata[practice]') ?? '' })).account;
    }
    if (shape === 'GET /v1/accounts/:id') return this.#connected(id).account;
    return { object: 'account_link', url: `https://connect.stripe.example/${params.get('account')}` };
  }

  #createIntent(at: AccountObjects, params: Map<string, string>): Intent {
    if (!at.account.charges_enabled) throw new Refusal(400, 'invalid_request_error', 'charges are not enabled');
    const amount = Number(params.get('amount'));
    if (amount < 50) throw new Refusal(400, 'invalid_request_error', 'too small', 'amount_too_small');
    const suffix = params.get('statement_descriptor_suffix') ?? null;
    if (suffix !== null && !isSuffix(suffix)) {
      const param = 'statement_descriptor_suffix';
      throw new Refusal(400, 'invalid_request_error', 'not allowed', undefined, { param });
    }
    const id = this.#id('pi');
    const intent: Intent = {
      id,
      object: 'payment_intent',
      amount,
      currency: params.get('currency') ?? '',
      status: 'requires_payment_method',
      metadata: metadataOf(params),
      allowed_payment_method_types: [params.get('allowed_payment_method_types[0]') ?? ''],
      client_secret: `${id}_secret_fake`,
      last_payment_error: null,
      cancellation_reason: null,
      latest_charge: null,
      payment_method: null,
      statement_descriptor_suffix: suffix,
      livemode: false,
      created: Math.floor(this.#now().getTime() / 1000),
    };
    at.intents.set(id, intent);
    return intent;
  }

  #confirm(at: AccountObjects, intent: Intent, params: Map<string, string>): Intent {
    if (intent.status !== 'requires_payment_method') throw unexpectedState(intent);
    const token = params.get('confirmation_token') ?? '';
    if (this.#usedTokens.has(token)) throw new Refusal(400, 'invalid_request_error', 'used', 'token_already_used');
    const [kind] = token.split('--');
    const isBank = kind === TOKENS.bankSettles || kind === TOKENS.bankRefused;
    const known: readonly string[] = Object.values(TOKENS);
    if (!known.includes(kind ?? '') || isBank !== intent.allowed_payment_method_types?.includes('us_bank_account')) {
      throw new Refusal(400, 'invalid_request_error', 'No such confirmation token', 'resource_missing', {
        param: 'confirmation_token',
      });
    }
    this.#usedTokens.add(token);
    intent.payment_method = `pm_${kind}`;
    if (isBank && !params.has('mandate_data[customer_acceptance][online][ip_address]')) {
      throw new Refusal(400, 'invalid_request_error', 'A mandate is required', 'payment_intent_mandate_invalid');
    }
    if (kind === TOKENS.challenge) intent.status = 'requires_action';
    else if (kind === TOKENS.bankRefused) throw this.#refuseDebit(at, intent);
    else if (isBank) this.#process(at, intent);
    else if (kind === TOKENS.success || kind?.startsWith('ctoken_refund')) this.#succeed(at, intent);
    else {
      this.#decline(at, intent, { code: 'card_declined', decline_code: 'insufficient_funds' });
      const error = { code: 'card_declined', decline_code: 'insufficient_funds', payment_intent: intent };
      throw new Refusal(402, 'card_error', 'Your card was declined.', 'card_declined', error);
    }
    if (kind === TOKENS.challenge) this.#emit(at.account.id, 'payment_intent.requires_action', intent);
    return intent;
  }

  /** Stripe refuses a debit. Its charge exists, but was never sent to a bank. */
  #refuseDebit(at: AccountObjects, intent: Intent): Refusal {
    this.#decline(at, intent, { code: 'account_closed' });
    const charge = find(at.charges, intent.latest_charge ?? '');
    charge.outcome = { network_status: 'not_sent_to_network', type: 'blocked' };
    return new Refusal(402, 'card_error', 'The debit was refused.', 'account_closed', { payment_intent: intent });
  }

  #cancel(at: AccountObjects, intent: Intent, params: Map<string, string>): Intent {
    const cancellable = ['requires_payment_method', 'requires_action', 'requires_confirmation'];
    if (!cancellable.includes(intent.status)) throw unexpectedState(intent);
    const reason = params.get('cancellation_reason') ?? null;
    if (reason !== null && reason !== 'abandoned' && reason !== 'requested_by_customer') {
      throw new Refusal(400, 'invalid_request_error', 'Invalid cancellation_reason');
    }
    intent.status = 'canceled';
    intent.cancellation_reason = reason;
    // Stripe does not guarantee that the error stays.
    intent.last_payment_error = null;
    this.#emit(at.account.id, 'payment_intent.canceled', intent);
    return intent;
  }

  #refund(at: AccountObjects, params: Map<string, string>): Refund {
    const intent = find(at.intents, params.get('payment_intent') ?? '');
    const earlier = [...at.refunds.values()].filter(
      (one) => one.payment_intent === intent.id && one.status !== 'failed',
    );
    const amount = Number(params.get('amount'));
    const lost = [...at.disputes.values()].filter((one) => one.payment_intent === intent.id && one.status === 'lost');
    const left = intent.amount - [...earlier, ...lost].reduce((sum, one) => sum + one.amount, 0);
    if (intent.status !== 'succeeded' || amount > left) {
      throw new Refusal(400, 'invalid_request_error', 'Refund amount is greater than what is left');
    }
    const metadata = metadataOf(params);
    const refund: Refund = {
      id: this.#id('re'),
      object: 'refund',
      amount,
      currency: intent.currency,
      status: intent.payment_method?.startsWith('pm_ctoken_refund') ? 'pending' : 'succeeded',
      metadata,
      payment_intent: intent.id,
    };
    at.refunds.set(refund.id, refund);
    this.#emit(at.account.id, 'refund.created', refund);
    this.#emit(at.account.id, 'charge.refunded', find(at.charges, intent.latest_charge ?? ''));
    return refund;
  }

  #process(at: AccountObjects, intent: Intent): void {
    this.#charge(at, intent, 'pending');
    intent.status = 'processing';
    this.#emit(at.account.id, 'payment_intent.processing', intent);
  }

  #succeed(at: AccountObjects, intent: Intent): void {
    this.#charge(at, intent, 'succeeded');
    intent.status = 'succeeded';
    this.#emit(at.account.id, 'payment_intent.succeeded', intent);
  }

  #decline(at: AccountObjects, intent: Intent, error: { code: string; decline_code?: string }): void {
    const charge = this.#charge(at, intent, 'failed');
    charge.failure_code = error.code;
    intent.status = 'requires_payment_method';
    // Our code reads no other field of an error.
    intent.last_payment_error = error as Stripe.PaymentIntent['last_payment_error'];
    this.#emit(at.account.id, 'payment_intent.payment_failed', intent);
  }

  #charge(at: AccountObjects, intent: Intent, status: Charge['status']): Charge {
    const isBank = intent.allowed_payment_method_types?.includes('us_bank_account');
    const known = intent.latest_charge === null ? undefined : at.charges.get(intent.latest_charge);
    const charge: Charge = known ?? {
      id: this.#id('ch'),
      object: 'charge',
      amount: intent.amount,
      status,
      failure_code: null,
      outcome: { network_status: 'approved_by_network', type: 'authorized' },
      payment_intent: intent.id,
      calculated_statement_descriptor: null,
      balance_transaction: null,
      payment_method_details: isBank
        ? { type: 'us_bank_account', us_bank_account: { last4: '6789' } }
        : { type: 'card', card: { brand: 'visa', last4: '4242' } },
    };
    charge.status = status;
    if (status === 'succeeded') {
      const suffix = isBank ? null : intent.statement_descriptor_suffix;
      charge.calculated_statement_descriptor = suffix === null ? DESCRIPTOR : `${PREFIX}* ${suffix}`;
    }
    at.charges.set(charge.id, charge);
    intent.latest_charge = charge.id;
    return charge;
  }

  #emit(account: string, type: string, object: object): void {
    this.events.push({
      id: this.#id('evt'),
      object: 'event',
      // All callers pass event types of Stripe.
      type: type as Stripe.Event['type'],
      account,
      livemode: false,
      created: Math.floor(this.#now().getTime() / 1000),
      data: { object: structuredClone(object) },
    });
  }

  #connected(accountId: string | null): AccountObjects {
    const at = accountId === null ? undefined : this.#accounts.get(accountId);
    if (at?.connected) return at;
    const message = 'The provided key does not have access to that account';
    throw new Refusal(403, 'invalid_request_error', message, 'account_invalid');
  }

  #of(accountId: string): AccountObjects {
    const at = this.#accounts.get(accountId);
    if (at === undefined) throw new Error(`no account ${accountId}`);
    return at;
  }

  #id(prefix: string): string {
    return `${prefix}_fake${++this.#count}`;
  }
}

function expanded(at: AccountObjects, intent: Intent, params: Map<string, string>): object {
  if (!params.has('expand[0]')) return intent;
  return { ...intent, latest_charge: intent.latest_charge === null ? null : at.charges.get(intent.latest_charge) };
}

function find<T>(objects: Map<string, T>, id: string): T {
  const object = objects.get(id);
  if (object === undefined)
    throw new Refusal(404, 'invalid_request_error', `No such object: ${id}`, 'resource_missing');
  return object;
}

function list(data: object[]) {
  return { object: 'list', data: data.reverse(), has_more: false, url: '/v1/refunds' };
}

/** Returns a list page of what was created at or after a moment, newest first. */
function listPage(data: readonly Intent[], params: Map<string, string>) {
  const since = Number(params.get('created[gte]') ?? 0);
  const newest = data.filter(({ created }) => created >= since).reverse();
  const begin = newest.findIndex(({ id }) => id === params.get('starting_after')) + 1;
  const end = begin + Number(params.get('limit') ?? 10);
  return { object: 'list', data: newest.slice(begin, end), has_more: end < newest.length, url: '/v1/payment_intents' };
}

function metadataOf(params: Map<string, string>): Record<string, string> {
  const entries = [...params].flatMap(([name, value]) => {
    const key = /^metadata\[(\w+)\]$/.exec(name)?.[1];
    return key === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(entries);
}

function unexpectedState(intent: Intent): Refusal {
  const code = 'payment_intent_unexpected_state';
  return new Refusal(400, 'invalid_request_error', `status ${intent.status}`, code, { payment_intent: intent });
}

function isSuffix(text: string): boolean {
  return text !== REFUSED_SUFFIX && `${PREFIX}* ${text}`.length <= 22 && /^(?=.*[A-Za-z])[^<>\\'"*]+$/.test(text);
}
