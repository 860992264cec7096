import type { PaymentState, StateFilter } from '../../../payment-links/billing/list-payments.ts';
import type { ActReason } from '../../../payment-links/billing/list-to-act-on.ts';
import type { Totals } from '../../../payment-links/billing/reconciliation.ts';
import type { TimelineActor, TimelineEntry } from '../../../payment-links/billing/timeline.ts';
import type { RefundStatus } from '../../../payment-links/model/transitions.ts';

/** Reasons why a refund form is refused. */
export type RefundFault =
  | 'no_amount'
  | 'two_amounts'
  | 'too_much'
  | 'not_settled'
  | 'other_processor'
  | 'id_taken'
  | 'reason_invalid'
  | 'not_confirmed';

/** Texts of the pages on payments in one language. */
export interface PaymentTexts {
  title: string;
  lead: (timeZone: string) => string;
  states: Readonly<Record<PaymentState, string>>;
  methods: Readonly<Record<string, string>>;
  filter: {
    title: string;
    state: string;
    states: Readonly<Record<StateFilter, string>>;
    from: string;
    to: string;
    location: string;
    method: string;
    all: string;
    button: string;
    reset: string;
  };
  table: {
    paid: string;
    patient: string;
    amount: string;
    state: string;
    method: string;
    location: string;
    description: string;
  };
  open: (patient: string, amount: string) => string;
  empty: { title: string; text: string };
  noMatch: string;
  examined: (day: string) => string;
  older: string;
  newest: string;
  exported: string;
  exportHelp: string;
  exportTooLong: string;
  reconciliationLink: string;
  toActOn: {
    title: string;
    help: string;
    none: string;
    reasons: Readonly<Record<ActReason, { title: string; text: string }>>;
    dueBy: (moment: string) => string;
    noDeadline: string;
    overdue: string;
  };
  payment: {
    title: (amount: string) => string;
    facts: {
      state: string;
      amount: string;
      fee: string;
      net: string;
      refunded: string;
      refundable: string;
      method: string;
      number: string;
      descriptor: string;
      paid: string;
      settled: string;
      patient: string;
      patientId: string;
      description: string;
      reference: string;
      location: string;
      link: string;
    };
    unknown: string;
    refundButton: string;
    back: string;
    done: string;
    refunds: { title: string; none: string; when: string; amount: string; status: string; reason: string };
    refundStatus: Readonly<Record<RefundStatus, string>>;
    bankReversal: string;
    disputes: {
      title: string;
      opened: string;
      amount: string;
      reason: string;
      status: string;
      due: string;
      sheet: string;
    };
    disputeStatus: Readonly<Record<'open' | 'won' | 'lost', string>>;
    authorisation: {
      title: string;
      given: (moment: string) => string;
      card: string;
      erased: string;
      address: string;
      language: string;
      text: string;
    };
    timeline: {
      title: string;
      noTime: string;
      by: string;
      from: string;
      what: Readonly<Record<Exclude<TimelineEntry['what'], 'act'>, string>>;
      actors: Readonly<Record<Exclude<TimelineActor['kind'], 'person'>, string>>;
    };
  };
  refund: {
    title: string;
    left: (amount: string) => string;
    none: string;
    full: (amount: string) => string;
    part: string;
    amount: string;
    amountHelp: string;
    reason: string;
    reasonHelp: string;
    next: string;
    cancel: string;
    disputed: string;
    faults: Readonly<Record<RefundFault, string>>;
    tooMuch: (amount: string) => string;
    confirm: {
      title: string;
      text: (amount: string) => string;
      left: (amount: string) => string;
      box: string;
      button: string;
    };
  };
  evidence: {
    title: string;
    lead: string;
    print: string;
    dispute: string;
    receipt: string;
    practice: string;
    printed: string;
  };
  reconciliation: {
    title: string;
    lead: (timeZone: string) => string;
    from: string;
    to: string;
    button: string;
    previous: string;
    following: string;
    tooLong: string;
    byDay: string;
    byLocation: string;
    byMethod: string;
    day: string;
    total: string;
    chart: string;
    chartHelp: string;
    received: string;
    returned: string;
    columns: Readonly<Record<Exclude<keyof Totals, 'unknownFees'>, string>>;
    unknownFees: (count: number) => string;
    empty: string;
    help: string;
  };
  csv: {
    paid: string;
    paidUtc: string;
    settled: string;
    settledUtc: string;
    link: string;
    number: string;
    mode: string;
    modes: Readonly<Record<'live' | 'test', string>>;
    state: string;
    amount: string;
    fee: string;
    net: string;
    refunded: string;
    method: string;
    brand: string;
    last4: string;
    location: string;
    patient: string;
    patientId: string;
    reference: string;
    description: string;
  };
}
