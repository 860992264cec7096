import type { StaffField } from '../../../payment-links/create/staff-input.ts';
import type { StaffStatus } from '../../../payment-links/model/staff-status.ts';
import type { CancelReason } from '../../../payment-links/staff-acts.ts';
import type { LinkRefusal } from '../../model/refusals.ts';

/** Texts of the front desk's pages. */
export interface LinkTexts {
  title: string;
  lead: string;
  statuses: Readonly<Record<StaffStatus | 'refunded', string>>;
  all: string;
  count: string;
  search: { title: string; label: string; hint: string; button: string; reset: string; more: string };
  filter: { status: string; amount: string; location: string; allLocations: string; from: string; until: string };
  table: { patient: string; amount: string; status: string; reference: string; location: string; created: string };
  noMatch: { title: string; text: string };
  empty: { title: string; text: string; steps: readonly string[] };
  isCut: string;
  newest: string;
  older: string;
  invalidAmount: string;
  create: {
    title: string;
    lead: string;
    button: string;
    optional: string;
    expires: string;
    noLocation: string;
  };
  fields: Readonly<Record<StaffField, string>>;
  hints: Readonly<Partial<Record<StaffField, string>>>;
  faults: Readonly<Record<StaffField, string>>;
  cardNumber: string;
  days: (days: number, day: string) => string;
  refusals: Readonly<Record<LinkRefusal, string>>;
  one: {
    title: (name: string) => string;
    next: Readonly<Record<StaffStatus, string>>;
    address: string;
    copy: string;
    copied: string;
    notCopied: string;
    code: string;
    codeText: string;
    facts: { expires: string; created: string; paid: string; source: string };
    sources: Readonly<Record<'api' | 'staff' | 'website', string>>;
    actions: string;
    slip: string;
    change: string;
    extend: string;
    cancel: string;
    send: string;
    again: string;
    payment: string;
    history: string;
    noHistory: string;
    back: string;
  };
  slip: {
    title: string;
    print: string;
    printHint: string;
    heading: string;
    amount: string;
    description: string;
    how: string;
    until: (day: string) => string;
    questions: (phone: string) => string;
    test: string;
    language: string;
    back: string;
  };
  change: { title: string; lead: string; underWay: string; button: string };
  cancel: {
    title: string;
    text: string;
    reason: string;
    reasons: Readonly<Record<CancelReason, string>>;
    confirm: string;
    button: string;
  };
  extend: { title: string; text: (day: string) => string; label: string; none: string; button: string };
  send: { title: string; text: (email: string) => string; language: string; noText: string; button: string };
  done: Readonly<Record<'created' | 'changed' | 'cancelled' | 'extended' | 'sent', string>>;
  /** `lookUp` is for people who do not create links. */
  home: { title: string; text: string; lookUp: string; search: string };
}
