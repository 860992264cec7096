import {
  type Account,
  AccountLost,
  type DisputeSnapshot,
  type NotificationSubject,
  type PaymentIntention,
  type PaymentSnapshot,
  type PaymentState,
  type Processor,
  ProcessorUnavailable,
  type RefundSnapshot,
} from '../../src/processors/processor.ts';

import type { Pause } from './faults.ts';

/** A payment at the simulated processor, with its refunds and disputes. */
export interface BankPayment {
  account: string;
  linkId: string;
  snapshot: PaymentSnapshot;
  refunds: RefundSnapshot[];
  disputes: DisputeSnapshot[];
  /** False for a forged payment that names our attempt. */
  isOurs: boolean;
}

/** A notification of the processor. It names an object of an account. */
export interface Message {
  account: Account;
  subject: Exclude<NotificationSubject, { kind: 'account' | 'ignored' }>;
}

/** The calls that the simulated actors make. */
export type BankPort = Pick<
  Processor,
  | ('name' | 'begin' | 'confirm' | 'retrieve' | 'cancel' | 'refund')
  | ('retrieveRefunds' | 'retrieveDispute' | 'retrieveDisputes')
>;

/** Answers of the patient's bank to a charge. */
const CHARGES = ['taken', 'taken', 'taken', 'taken', 'requires_action', 'declined', 'failed', 'created'] as const;

const REFUNDS: readonly RefundSnapshot['state'][] = ['pending', 'succeeded', 'succeeded', 'failed'];

const DISPUTES: readonly DisputeSnapshot['state'][] = ['won', 'lost', 'withdrawn'];

/** A processor in memory. It keeps the promises of the port and its own books, and knows no rule of links. */
export class Bank {
  readonly payments: BankPayment[] = [];
  /** Messages that wait to be delivered, in any order. */
  readonly messages: Message[] = [];
  /** Requests that arrive after the timeout of their caller. */
  readonly late: (() => unknown)[] = [];
  isConnected = true;
  /** Called for the link whose payment has changed. */
  readonly onChange: (linkId: string) => void;

  constructor(onChange: (linkId: string) => void) {
    this.onChange = onChange;
  }

  /** Returns the calls of one actor. Each waits by `pause` for its request and for its answer, and may lose either. */
  portOf(pause: Pause): BankPort {
    const ask = async <T>(call: string, work: (luck: number) => T): Promise<T> => {
      const luck = await pause(call);
      if (!this.isConnected) throw new AccountLost(new Error('disconnected'));
      if (luck % 16 === 0) throw new ProcessorUnavailable(new Error('the request is lost'));
      if (luck % 16 === 1) this.late.push(() => work(luck >> 4));
      if (luck % 16 === 1) throw new ProcessorUnavailable(new Error('the request is late'));
      const answer = work(luck >> 4);
      if ((await pause(`answer to ${call}`)) % 16 === 0)
        throw new ProcessorUnavailable(new Error('the answer is lost'));
      return answer;
    };
    return {
      name: 'sandbox',
      begin: (intent) => ask('begin', (luck) => (luck % 16 === 0 ? null : this.begin(intent))),
      confirm: (_, reference) => ask('confirm', (luck) => ({ ...this.confirm(this.of(reference), luck) })),
      retrieve: (account, reference) => ask('retrieve', () => this.#seen(account, reference)),
      cancel: (_, reference) => ask('cancel', () => ({ ...this.cancel(this.of(reference)) })),
      refund: ({ paymentReference, refundId, amountCents }) =>
        ask('refund', (luck) => ({ ...this.refund(this.of(paymentReference), refundId, amountCents, luck) })),
      retrieveRefunds: (_, reference) =>
        ask('retrieveRefunds', () => this.of(reference).refunds.map((refund) => ({ ...refund }))),
      retrieveDispute: (_, reference) =>
        ask('retrieveDispute', () => this.#disputes(({ reference: own }) => own === reference)[0] ?? null),
      retrieveDisputes: (_, reference) =>
        ask('retrieveDisputes', () => this.of(reference).disputes.map((dispute) => ({ ...dispute }))),
    };
  }

  /** Begins a payment and returns its reference. Nothing is charged. */
  begin({ account, attemptId, paymentLinkId, amountCents, methodType }: PaymentIntention): string {
    const reference = `pay_${this.payments.length + 1}_${attemptId}`;
    const method = { type: methodType, brand: null, last4: null };
    const unknown = { feeCents: null, statementDescriptor: null, failureReason: null, clientAction: null };
    const snapshot = { reference, attemptId, state: 'created' as const, wasProcessing: false, amountCents, method };
    this.payments.push({
      ...{ account: account.id, linkId: paymentLinkId, isOurs: true, refunds: [], disputes: [] },
      snapshot: { ...snapshot, currency: 'usd', ...unknown },
    });
    return reference;
  }

  /** Returns the payment of a reference. */
  of(reference: string): BankPayment {
    const payment = this.payments.find(({ snapshot }) => snapshot.reference === reference);
    if (payment === undefined) throw new Error(`the processor has no payment ${reference}`);
    return payment;
  }

  /** Charges a payment that was begun. A second call changes nothing. */
  confirm(payment: BankPayment, luck: number): PaymentSnapshot {
    if (payment.snapshot.state !== 'created') return payment.snapshot;
    const outcome = CHARGES[luck % CHARGES.length] ?? 'taken';
    if (outcome !== 'taken') return this.#move(payment, outcome);
    return this.#move(payment, payment.snapshot.method?.type === 'us_bank_account' ? 'processing' : 'succeeded');
  }

  /** Moves a payment on: the patient answers the bank's question, a debit settles or is returned, or the fee becomes known. */
  goOn(payment: BankPayment, luck: number): void {
    const { state, feeCents } = payment.snapshot;
    const isDebit = payment.snapshot.method?.type === 'us_bank_account';
    const isGood = luck % 4 > 0;
    if (state === 'requires_action') this.#move(payment, isGood ? (isDebit ? 'processing' : 'succeeded') : 'declined');
    else if (state === 'processing') this.#move(payment, isGood ? 'succeeded' : 'failed', true);
    else if (state === 'succeeded' && feeCents === null) {
      payment.snapshot = { ...payment.snapshot, feeCents: 30, statementDescriptor: 'DENTIST' };
      this.#announce(payment);
    }
  }

  /** Cancels a payment that is not final. A pending debit stays. */
  cancel(payment: BankPayment): PaymentSnapshot {
    const { state } = payment.snapshot;
    if (state === 'declined') return this.#move(payment, 'failed');
    return state === 'created' || state === 'requires_action' ? this.#move(payment, 'cancelled') : payment.snapshot;
  }

  /** Refunds money, once for each id. A refund of more than can still be refunded fails. */
  refund(payment: BankPayment, refundId: string | null, amountCents: number, luck: number): RefundSnapshot {
    const known = payment.refunds.find((refund) => refundId !== null && refund.refundId === refundId);
    if (known !== undefined) return known;
    const isRefused = payment.snapshot.state !== 'succeeded' || amountCents > leftOf(payment);
    const paymentReference = payment.snapshot.reference;
    const reference = isRefused ? null : `${paymentReference}_refund_${payment.refunds.length}`;
    const state = isRefused ? 'failed' : (REFUNDS[luck % REFUNDS.length] ?? 'pending');
    const made = { reference, refundId, paymentReference, amountCents, currency: 'usd', state };
    payment.refunds.push(made);
    this.#announce(payment);
    return made;
  }

  /** Moves a refund: it succeeds or fails. Even a refund that succeeded may fail later. */
  moveRefund(payment: BankPayment, luck: number): void {
    const index = luck % Math.max(1, payment.refunds.length);
    const refund = payment.refunds[index];
    if (refund === undefined || refund.state === 'failed') return;
    const isGood = refund.state === 'pending' && luck % 3 > 0;
    payment.refunds[index] = { ...refund, state: isGood ? 'succeeded' : 'failed' };
    this.#announce(payment);
  }

  /** Opens a dispute, or reverses a settled debit. */
  dispute(payment: BankPayment, luck: number): void {
    const { reference: paymentReference, method, amountCents } = payment.snapshot;
    const isBankReversal = method?.type === 'us_bank_account' && luck % 2 === 0;
    const reference = `${paymentReference}_dispute_${payment.disputes.length}`;
    const facts = { reason: 'fraudulent', state: 'open' as const, evidenceDueBy: null, currency: 'usd' };
    const disputed = { reference, paymentReference, amountCents: 1 + (luck % amountCents), ...facts, isBankReversal };
    payment.disputes.push(disputed);
    this.#announce(payment, reference);
  }

  /** The patient's bank decides a dispute. */
  closeDispute(payment: BankPayment, luck: number): void {
    const index = luck % Math.max(1, payment.disputes.length);
    const dispute = payment.disputes[index];
    if (dispute?.state !== 'open' || dispute.isBankReversal) return;
    payment.disputes[index] = { ...dispute, state: DISPUTES[luck % DISPUTES.length] ?? 'won' };
    this.#announce(payment, dispute.reference);
  }

  /** Makes a payment that names our attempt, but belongs to another account, or is another payment of the same account. */
  forge(attemptId: string, linkId: string, amountCents: number, account: Account): void {
    const methodType = 'card';
    const intent = { account, attemptId, paymentLinkId: linkId, amountCents, currency: 'usd' as const, methodType };
    const forged = this.of(this.begin({ ...intent, methodType, statementDescriptorSuffix: null }));
    forged.isOurs = false;
    this.#move(forged, 'succeeded');
  }

  /** Ends everything that is in progress: late requests arrive, payments and refunds become final. */
  finish(): void {
    this.isConnected = true;
    for (const request of this.late.splice(0)) request();
    for (const payment of this.payments) {
      for (let move = 0; move < 3; move++) this.goOn(payment, 1);
      for (const [index, refund] of payment.refunds.entries())
        if (refund.state === 'pending') payment.refunds[index] = { ...refund, state: 'succeeded' };
    }
  }

  #seen(account: Account, reference: string): PaymentSnapshot | null {
    const payment = this.payments.find(({ snapshot }) => snapshot.reference === reference);
    return payment === undefined || payment.account !== account.id ? null : { ...payment.snapshot };
  }

  #disputes(isMeant: (dispute: DisputeSnapshot) => boolean): DisputeSnapshot[] {
    return this.payments.flatMap(({ disputes }) => disputes.filter(isMeant)).map((dispute) => ({ ...dispute }));
  }

  #move(payment: BankPayment, state: PaymentState, wasProcessing = false): PaymentSnapshot {
    payment.snapshot = { ...payment.snapshot, state, wasProcessing };
    this.#announce(payment);
    return payment.snapshot;
  }

  #announce({ account, snapshot: { reference }, linkId }: BankPayment, dispute: string | null = null): void {
    const subject =
      dispute === null ? { kind: 'payment' as const, reference } : { kind: 'dispute' as const, reference: dispute };
    this.messages.push({ account: { id: account }, subject });
    this.onChange(linkId);
  }
}

/** Returns the cents of a payment that can still be refunded: not those of pending refunds, lost disputes and reversals. */
function leftOf({ snapshot, refunds, disputes }: BankPayment): number {
  let cents = snapshot.amountCents;
  for (const { state, amountCents } of refunds) if (state !== 'failed') cents -= amountCents;
  for (const { state, isBankReversal, amountCents } of disputes)
    if (state === 'lost' || isBankReversal) cents -= amountCents;
  return cents;
}
