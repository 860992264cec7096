import type {
  DisputeSnapshot,
  MethodType,
  PaymentSnapshot,
  PaymentState,
  RefundSnapshot,
} from '../../src/processors/processor.ts';

/** A payment at the simulated processor, with its refunds and disputes. */
export interface BankPayment {
  snapshot: PaymentSnapshot;
  refunds: RefundSnapshot[];
  disputes: DisputeSnapshot[];
}

/** A processor in memory that keeps the promises of the port, and no rule of links. */
export class Bank {
  readonly payments: BankPayment[] = [];

  /** Begins a payment and returns its reference. Nothing is charged. */
  begin(attemptId: string, amountCents: number, type: MethodType): string {
    const reference = `pay_${this.payments.length + 1}`;
    const method = { type, brand: null, last4: null };
    const unknown = { feeCents: null, statementDescriptor: null, failureReason: null, clientAction: null };
    const snapshot = { reference, attemptId, state: 'created' as const, wasProcessing: false, amountCents, method };
    this.payments.push({ snapshot: { ...snapshot, currency: 'usd', ...unknown }, refunds: [], disputes: [] });
    return reference;
  }

  /** Returns the payment of a reference. */
  of(reference: string): BankPayment {
    const payment = this.payments.find(({ snapshot }) => snapshot.reference === reference);
    if (payment === undefined) throw new Error(`the processor has no payment ${reference}`);
    return payment;
  }

  /** Charges a payment that was begun. A second call changes nothing. */
  confirm(reference: string, outcome: 'succeed' | 'challenge' | 'fail'): PaymentSnapshot {
    const payment = this.of(reference);
    if (payment.snapshot.state !== 'created') return payment.snapshot;
    const isDebit = payment.snapshot.method?.type === 'us_bank_account';
    const taken: PaymentState = isDebit ? 'processing' : 'succeeded';
    return this.#move(
      payment,
      { succeed: taken, challenge: 'requires_action' as const, fail: 'failed' as const }[outcome],
    );
  }

  /** The patient passes the question of the bank or not; a debit settles or is returned. */
  resolve(payment: BankPayment, isGood: boolean): void {
    const { state } = payment.snapshot;
    if (state !== 'requires_action' && state !== 'processing') return;
    this.#move(payment, isGood ? 'succeeded' : 'failed', state === 'processing');
  }

  /** Cancels a payment that is not final. A pending debit stays. */
  cancel(reference: string): PaymentSnapshot {
    const payment = this.of(reference);
    const { state } = payment.snapshot;
    return state === 'created' || state === 'requires_action' ? this.#move(payment, 'cancelled') : payment.snapshot;
  }

  /** Gives money back, once for an id. A refund of more than is left is refused. */
  refund(payment: BankPayment, refundId: string | null, amountCents: number, state: RefundSnapshot['state']) {
    const known = payment.refunds.find((refund) => refundId !== null && refund.refundId === refundId);
    if (known !== undefined) return known;
    const isRefused = amountCents > this.leftOf(payment);
    const reference = isRefused ? null : `${payment.snapshot.reference}_refund_${payment.refunds.length}`;
    const paymentReference = payment.snapshot.reference;
    const refund = { reference, refundId, paymentReference, amountCents, currency: 'usd' };
    const made: RefundSnapshot = { ...refund, state: isRefused ? 'failed' : state };
    payment.refunds.push(made);
    return made;
  }

  /** Returns the cents that were neither given back nor are on their way. */
  leftOf({ snapshot, refunds }: BankPayment): number {
    const given = refunds.filter(({ state }) => state !== 'failed');
    return snapshot.amountCents - given.reduce((sum, { amountCents }) => sum + amountCents, 0);
  }

  /** Opens a dispute, or takes a settled debit back. */
  dispute(payment: BankPayment, isBankReversal: boolean, amountCents: number): void {
    const { reference } = payment.snapshot;
    const facts = { reason: 'fraudulent', state: 'open' as const, evidenceDueBy: null, currency: 'usd' };
    const id = `${reference}_dispute_${payment.disputes.length}`;
    payment.disputes.push({ reference: id, paymentReference: reference, amountCents, ...facts, isBankReversal });
  }

  #move(payment: BankPayment, state: PaymentState, wasProcessing = false): PaymentSnapshot {
    const feeCents = state === 'succeeded' ? 30 : null;
    payment.snapshot = { ...payment.snapshot, state, wasProcessing, feeCents };
    return payment.snapshot;
  }
}
