import type { PageState } from '../../payment-links/checkout/port.ts';
import type { Texts } from '../texts/texts.ts';

export type DocumentKind = keyof Texts['documents'];

interface StateRule {
  /** The sign above the heading; `plain` has none. */
  mood: 'plain' | 'good' | 'wait' | 'stop';
  /** The document of the payment. A receipt says that money was taken, also after a refund. */
  document: Exclude<DocumentKind, 'test'> | null;
  /** Heading of amount and description, on pages without a document. */
  summary: keyof Texts['summary']['headings'];
  /** Event before a submission that finds the link in this state. */
  cameFirst: 'already_paid' | 'already_debited' | 'under_way' | 'closed';
}

export const STATES: Readonly<Record<PageState, StateRule>> = {
  payable: { mood: 'plain', document: null, summary: 'asked', cameFirst: 'closed' },
  requires_action: { mood: 'wait', document: null, summary: 'begun', cameFirst: 'under_way' },
  in_progress: { mood: 'wait', document: null, summary: 'begun', cameFirst: 'under_way' },
  throttled: { mood: 'wait', document: null, summary: 'asked', cameFirst: 'closed' },
  bank_pending: { mood: 'wait', document: 'debit', summary: 'begun', cameFirst: 'already_debited' },
  paid: { mood: 'good', document: 'receipt', summary: 'begun', cameFirst: 'already_paid' },
  bank_failed: { mood: 'stop', document: 'returned_debit', summary: 'begun', cameFirst: 'already_debited' },
  refunded: { mood: 'good', document: 'receipt', summary: 'begun', cameFirst: 'already_paid' },
  bank_reversed: { mood: 'stop', document: 'reversed_debit', summary: 'begun', cameFirst: 'already_debited' },
  expired: { mood: 'stop', document: null, summary: 'closed', cameFirst: 'closed' },
  cancelled: { mood: 'stop', document: null, summary: 'closed', cameFirst: 'closed' },
  unavailable: { mood: 'stop', document: null, summary: 'asked', cameFirst: 'closed' },
};
