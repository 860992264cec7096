import type { LinkPage, PageState } from '../../payment-links/checkout/port.ts';
import type { Texts } from '../texts/en.ts';
import { formatAmount, formatMethod, formatMoment, formatPaymentNumber } from '../texts/formats.ts';

/** The document about a payment that a page shows and prints. */
export interface Document {
  heading: string;
  /** Label of the button that prints it. */
  print: string;
  rows: readonly Row[];
  authorisation: { text: string; lang: string; given: string } | null;
}

interface Row {
  label: string;
  value: string;
  /** Text of the practice, with its line breaks. */
  isLong: boolean;
  /** True if the text may be about the treatment. It stays out of mails. */
  isPrivate: boolean;
}

type Kind = keyof Texts['documents'];

/** Names the document of a state. A receipt is the document of money that was taken, also after a refund. */
function kindOf(state: PageState): Exclude<Kind, 'test'> | null {
  switch (state) {
    case 'paid':
    case 'refunded':
      return 'receipt';
    case 'bank_pending':
      return 'debit';
    case 'bank_failed':
      return 'returned_debit';
    case 'bank_reversed':
      return 'reversed_debit';
    case 'payable':
    case 'requires_action':
    case 'in_progress':
    case 'throttled':
    case 'expired':
    case 'cancelled':
    case 'unavailable':
      return null;
    default:
      return state satisfies never;
  }
}

/** Returns the document about the page's payment; null without a payment, or if the state has no document. */
export function documentOf(page: LinkPage, state: PageState, t: Texts): Document | null {
  const kind = kindOf(state);
  if (kind === null || page.payment === null) return null;
  const { authorisation, location } = page;
  return {
    ...t.documents[page.test ? 'test' : kind],
    rows: rowsOf(page, page.payment, page.test ? 'test' : kind, t),
    authorisation:
      authorisation === null
        ? null
        : {
            text: authorisation.text,
            lang: authorisation.locale,
            given: t.authorisation.given(formatMoment(t, authorisation.at, location.timeZone)),
          },
  };
}

function rowsOf(page: LinkPage, payment: NonNullable<LinkPage['payment']>, kind: Kind, t: Texts): Row[] {
  const { receipt } = t;
  const isReceipt = kind === 'receipt';
  const at = payment.processedAt ?? page.paidAt;
  const amount = (cents: number) => (cents > 0 ? formatAmount(t, cents) : null);
  const row = (label: string, value: string | null, { isLong = false, isPrivate = false } = {}) =>
    value === null ? [] : [{ label, value, isLong, isPrivate }];
  return [
    ...row(amountLabel(kind, t), formatAmount(t, page.amountCents)),
    ...row(receipt.refunded, amount(payment.refundedCents)),
    ...row(receipt.refunding, amount(payment.refundingCents)),
    ...row(receipt.reversed, amount(payment.reversedCents)),
    ...row(
      isReceipt ? receipt.receiptNumber : receipt.paymentNumber,
      payment.number === null ? null : formatPaymentNumber(payment.number),
    ),
    ...row(
      kind === 'debit' || kind === 'returned_debit' ? receipt.submitted : receipt.date,
      at === null ? null : formatMoment(t, at, page.location.timeZone),
    ),
    ...row(receipt.for, page.description, { isLong: true, isPrivate: true }),
    ...row(receipt.to, placeLine(page)),
    ...row(receipt.address, page.postalAddress, { isLong: true }),
    ...row(isReceipt ? receipt.paidWith : receipt.method, formatMethod(t, payment)),
    ...row(receipt.statement, payment.statementDescriptor),
  ];
}

function amountLabel(kind: Kind, { receipt }: Texts): string {
  if (kind === 'test') return receipt.test;
  return kind === 'receipt' ? receipt.paid : receipt.debit;
}

/** Returns practice and location, as a patient would look them up. */
export function placeLine(page: LinkPage): string {
  return `${page.practice.name}, ${placeOf(page)}`;
}

/** Returns the location, as it stands below the practice's name. */
export function placeOf({ location }: Pick<LinkPage, 'location'>): string {
  return `${location.name} (${location.city}, ${location.state})`;
}
