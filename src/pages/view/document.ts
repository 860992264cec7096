import type { LinkPage, PageState } from '../../payment-links/page.ts';
import type { Texts } from '../texts/en.ts';
import { formatAmount, formatMethod, formatMoment, formatPaymentNumber } from '../texts/formats.ts';

/** The document that a page shows of a payment: by its name, and printed under it. */
export interface Document {
  heading: string;
  /** What the button says that prints it. */
  print: string;
  rows: readonly Row[];
  authorisation: { text: string; lang: string; given: string } | null;
}

interface Row {
  label: string;
  value: string;
  /** Written by people, with line breaks. */
  isLong: boolean;
}

type Kind = keyof Texts['documents'];

/** A receipt is the document of money that was taken, and stays one when it is refunded. All else has a name of its own. */
const KINDS: Readonly<Partial<Record<PageState, Exclude<Kind, 'test'>>>> = {
  paid: 'receipt',
  refunded: 'receipt',
  bank_pending: 'debit',
  bank_failed: 'returned_debit',
  bank_reversed: 'reversed_debit',
};

/** The document of the page's payment; null while there is none. */
export function documentOf(page: LinkPage, state: PageState, t: Texts): Document | null {
  const kind = KINDS[state];
  if (kind === undefined || page.payment === null) return null;
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
  const row = (label: string, value: string | null, isLong = false) =>
    value === null ? [] : [{ label, value, isLong }];
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
    ...row(receipt.for, page.description, true),
    ...row(receipt.to, placeLine(page)),
    ...row(isReceipt ? receipt.paidWith : receipt.method, formatMethod(t, payment)),
    ...row(receipt.statement, payment.statementDescriptor),
  ];
}

function amountLabel(kind: Kind, { receipt }: Texts): string {
  if (kind === 'test') return receipt.test;
  return kind === 'receipt' ? receipt.paid : receipt.debit;
}

/** The practice with its location, as one would look it up. */
export function placeLine(page: LinkPage): string {
  return `${page.practice.name}, ${placeOf(page)}`;
}

/** The location as it stands below the practice's name. */
export function placeOf({ location }: Pick<LinkPage, 'location'>): string {
  return `${location.name} (${location.city}, ${location.state})`;
}
