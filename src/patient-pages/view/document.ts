import type { LinkPage, PageState } from '../../payment-links/checkout/port.ts';
import { HOSTED_TEXTS, LINK_FIELDS } from '../../payment-links/state/fields.ts';
import { formatPhone } from '../../platform/base/phone.ts';
import { formatAmount, formatDay, formatMethod, formatMoment, formatPaymentNumber } from '../texts/formats.ts';
import type { Texts } from '../texts/texts.ts';

type DocumentKind = keyof Texts['documents'];

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

/** Returns the document about the page's payment; null if the state has none. Only the office's has the patient's name: anyone may open the page. */
export function makeDocument(page: LinkPage, t: Texts, patient: string | null = null) {
  const { document } = STATES[page.state];
  if (document === null || page.payment === null) return null;
  const kind = page.test ? 'test' : document;
  const { authorisation, location } = page;
  return {
    heading: t.documents[kind],
    rows: listRows(page, page.payment, { kind, patient }, t),
    authorisation: authorisation && {
      text: authorisation.text,
      lang: authorisation.locale,
      given: t.authorisation.given(formatMoment(t, authorisation.at, location.timeZone)),
    },
  };
}

/** `isLong`: text of the practice, with its line breaks. `isPrivate`: it may be about the treatment, and stays out of mails. */
interface Row {
  label: string;
  value: string;
  isLong: boolean;
  isPrivate: boolean;
}

function listRows(
  page: LinkPage,
  payment: NonNullable<LinkPage['payment']>,
  { kind, patient }: { kind: DocumentKind; patient: string | null },
  t: Texts,
): Row[] {
  const { receipt } = t;
  const isReceipt = kind === 'receipt';
  const isUnpaid = kind === 'debit' || kind === 'returned_debit';
  const sumLabel = kind === 'test' ? receipt.test : isReceipt ? receipt.paid : receipt.debit;
  const at = payment.processedAt ?? page.paidAt;
  const amount = (cents: number) => (cents > 0 ? formatAmount(t, cents) : null);
  const number = payment.paymentNumber && formatPaymentNumber(payment.paymentNumber);
  return [
    ...row(sumLabel, formatAmount(t, page.amountCents)),
    ...row(receipt.refunded, amount(payment.refundedCents)),
    ...row(receipt.refunding, amount(payment.refundingCents)),
    ...row(receipt.reversed, amount(payment.reversedCents)),
    ...row(isReceipt ? receipt.receiptNumber : receipt.paymentNumber, number),
    ...row(isUnpaid ? receipt.submitted : receipt.date, at && formatMoment(t, at, page.location.timeZone)),
    ...row(receipt.patient, patient, { isPrivate: true }),
    ...textRows(page, t),
    ...row(receipt.to, placeLine(page)),
    ...row(receipt.address, page.practice.postalAddress, { isLong: true }),
    ...row(isReceipt ? receipt.paidWith : receipt.method, formatMethod(t, payment)),
    ...row(receipt.statement, payment.statementDescriptor),
  ];
}

/** Returns the texts that the practice wrote into the link. */
export function textRows(page: LinkPage, t: Texts): Row[] {
  return HOSTED_TEXTS.flatMap((name) => {
    const isLong = LINK_FIELDS[name].schema['x-multiline'] === true;
    return row(t.fields[name], page[name], { isLong, isPrivate: true });
  });
}

function row(label: string, value: string | null, { isLong = false, isPrivate = false } = {}): Row[] {
  return value === null ? [] : [{ label, value, isLong, isPrivate }];
}

/** Returns practice and location, as a patient would look them up. */
export function placeLine(page: LinkPage): string {
  return `${page.practice.name}, ${formatLocation(page)}`;
}

/** Returns the location, as it stands below the practice's name. */
export function formatLocation({ location }: Pick<LinkPage, 'location'>): string {
  return `${location.name} (${location.city}, ${location.state})`;
}

/** Returns the text by which a patient authorises a bank debit on a day. It stands above the button, and the attempt records it. */
export function bankAuthorisation(page: LinkPage, t: Texts, now: Date): string {
  const { practice, location, phone } = page;
  const whom = placeLine(page);
  return t.authorisation.text({
    practice: practice.name,
    whom,
    reach: phone === null ? whom : t.authorisation.byPhone(whom, formatPhone(phone)),
    amount: formatAmount(t, page.amountCents),
    date: formatDay(t, now, location.timeZone),
  });
}
