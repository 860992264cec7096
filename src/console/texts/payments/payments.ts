import type { Totals } from '../../../payment-links/billing/daily-totals.ts';
import type { ActReason } from '../../../payment-links/billing/list-to-act-on.ts';
import type { FigureFilter, PaymentState } from '../../../payment-links/billing/payment-filter.ts';
import { payment } from './payment.ts';

export const payments = {
  title: 'Payments',
  lead: 'Paid links, newest first.',
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
    from: 'From',
    to: 'To',
  },
  open: (patient: string, amount: string) => `Open the payment of ${patient}, ${amount}`,
  empty: {
    title: 'No payment yet',
    text: 'A payment appears here as soon as a patient pays a link. Refunds start from its page.',
  },
  examined: (day: string) => `Searched back to ${day}. Older payments may match, too.`,
  exported: 'Download these payments (CSV)',
  exportHelp: 'Without days: the last 365 days.',
  exportTooLong: 'A file has at most 366 days.',
  dailyTotalsLink: 'Totals by day, location and method',
  toActOn: {
    title: 'To act on',
    help: 'Open disputes, and what failed or was returned in the last 60 days.',
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
    dueBy: (moment: string) => `Evidence due ${moment}`,
    noDeadline: 'The bank named no deadline.',
    overdue: 'The deadline has passed.',
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
  evidence: {
    title: 'Evidence sheet',
    lead: 'Print this sheet, or save it as PDF, and send it to the processor before the deadline.',
    receipt: 'Receipt',
    printed: 'Printed on',
  },
  dailyTotals: {
    title: 'Reconciliation',
    lead: 'What came in and went out, by day.',
    button: 'Show',
    previous: 'Previous month',
    following: 'Next month',
    tooLong: 'Choose two days, the first before the last, with at most 92 days.',
    byDay: 'By day',
    byLocation: 'By location',
    byMethod: 'By method',
    total: 'Total',
    chart: 'Received, and refunded or taken back, by day',
    chartHelp: 'The table below has the same figures.',
    returned: 'Refunds and amounts taken back',
    columns: {
      payments: 'Payments',
      receivedCents: 'Received',
      processingCents: 'Processing',
      refundedCents: 'Refunds',
      takenBackCents: 'Taken back',
      feeCents: 'Fees',
      netCents: 'Net',
    } satisfies Record<Exclude<keyof Totals, 'unknownFees'>, string>,
    unknownFees: (count: number) => `The fee of ${count} payments is not known yet. Net is without it.`,
    empty: 'Nothing was paid or refunded in these days.',
    help:
      'Payments count on the day when the patient paid. Refunds, and amounts that banks took back, count on their own day. ' +
      'Net is what was received, without refunds, amounts taken back, and fees.',
  },
  csv: {
    paidUtc: 'Paid (UTC)',
    settledUtc: 'Settled (UTC)',
    mode: 'Mode',
    modes: { live: 'live', test: 'test' },
    amount: 'Amount (USD)',
    received: 'Received (USD)',
    fee: 'Fee (USD)',
    net: 'Net (USD)',
    refunded: 'Refunded (USD)',
    takenBack: 'Taken back (USD)',
    brand: 'Brand',
    last4: 'Last four digits',
  },
};

/** Reasons why a refund form is refused. */
export type RefundFault = keyof typeof payments.refund.faults;
