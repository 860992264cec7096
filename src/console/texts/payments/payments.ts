import type { Totals } from '../../../payment-links/billing/daily-totals.ts';
import type { ActReason } from '../../../payment-links/billing/list-to-act-on.ts';
import type { FigureFilter, PaymentState } from '../../../payment-links/billing/payment-filter.ts';
import { payment } from './payment.ts';

export const payments = {
  states: {
    paid: 'Paid',
    processing: 'Processing',
    partly_refunded: 'Partly refunded',
    refunded: 'Refunded',
    disputed: 'Disputed',
    dispute_lost: 'Dispute lost',
    returned: 'Returned',
  } satisfies Record<PaymentState, string>,
  methods: { card: 'Card', us_bank_account: 'Bank debit' },
  filter: {
    figures: {
      received: 'Received',
      refunded_then: 'Refunded in these days',
      taken_back_then: 'Taken back in these days',
      open_dispute: 'Open dispute',
      returned_debit: 'Debit returned, last 60 days',
      failed_refund: 'Refund failed, last 60 days',
    } satisfies Record<FigureFilter, string>,
  },
  toActOn: {
    none: 'Nothing to act on: no open dispute, failed refund or returned debit.',
    reasons: {
      failed_refund: {
        title: 'Refund failed',
        text: 'The patient has not received this money. Refund again, or pay another way.',
      },
      returned_debit: {
        title: 'Debit returned',
        text: 'Send the patient a new link.',
      },
      open_dispute: {
        title: 'Dispute',
        text: 'Send evidence to the processor in time.',
      },
    } satisfies Record<ActReason, { title: string; text: string }>,
  },
  payment,
  refund: {
    title: 'Refund',
    left: (amount: string, paid: string) => `Of the ${paid} paid, ${amount} can still be refunded.`,
    none: 'Nothing can be refunded at the moment.',
    full: (amount: string) => `All that is left: ${amount}`,
    part: 'A part',
    amount: 'Amount of the part, in dollars',
    amountHelp: 'For example 25.00',
    reason: 'Reason (optional)',
    reasonHelp: 'The API shows it. Write nothing about health.',
    next: 'Continue',
    cancel: 'Do not refund',
    disputed: 'A dispute is open. If you refund now and lose it, you pay twice.',
    faults: {
      no_amount: 'Enter an amount such as 25.00.',
      two_amounts: 'You chose all that is left, and entered a part. Choose one of the two.',
      too_much: 'This is more than can be refunded.',
      taken_back: 'The bank took the payment back.',
      not_settled: 'Not settled, or nothing is left to refund.',
      other_processor: 'Refund it at the other processor.',
      id_taken: 'This form was used. Begin a new refund.',
      reason_invalid:
        'A reason has at most 500 characters, without control characters and invisible marks of direction.',
    },
    tooMuch: (amount: string) => `At most ${amount} can be refunded.`,
    takenBack: (taken: string, left: string) =>
      `The patient’s bank took ${taken} of this payment back, so at most ${left} can be refunded.`,
    confirm: {
      title: 'Confirm the refund',
      text: (amount: string) => `You are about to refund ${amount}. A refund cannot be undone.`,
      left: (amount: string) => `${amount} is left after that.`,
      box: 'Yes, refund this amount',
      button: 'Refund now',
    },
  },
  dailyTotals: {
    columns: {
      payments: 'Payments',
      receivedCents: 'Received',
      processingCents: 'Processing',
      refundedCents: 'Refunds',
      takenBackCents: 'Taken back',
      feeCents: 'Fees',
      netCents: 'Net',
    } satisfies Record<Exclude<keyof Totals, 'unknownFees'>, string>,
  },
  csv: {
    modes: { live: 'live', test: 'test' },
  },
};

/** Reasons why a refund form is refused. */
export type RefundFault = keyof typeof payments.refund.faults;
