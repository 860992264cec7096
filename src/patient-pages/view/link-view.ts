import type { LinkPage, PageState } from '../../payment-links/checkout/port.ts';
import { formatPhone } from '../../platform/base/phone.ts';
import { dayIn } from '../../platform/base/time/zoned-time.ts';
import type { Language } from '../../web/language.ts';
import type { Loads } from '../../web/security-headers.ts';
import { brandStyle } from '../browser/assets.ts';
import { declineWords } from '../texts/declines.ts';
import { formatAmount, formatDay, formatMoment, nextMinute } from '../texts/formats.ts';
import { type Facts, TEXTS, type Texts, type Wording } from '../texts/texts.ts';
import { bankAuthorisation, formatLocation, makeDocument, placeLine, STATES, textRows } from './document.ts';

/** A message at the top of the page. It gets the focus. */
export interface Alert {
  heading: string;
  text: string;
  /** Id of the field that is wrong; null for none. */
  field: string | null;
}

/** Circumstances of one request that change the page, beside the link itself. */
export interface ViewContext {
  language: Language;
  now: Date;
  /** True if the patient has just paid here; false if the link was paid before. */
  isJustPaid: boolean;
  /** Alert about the latest submission; null when nothing is wrong. */
  alert: Alert | null;
  /** Form for receipts by mail, with the address that was refused; null if this service sends no mails to patients. */
  receiptForm: { email: string; isSent: boolean } | null;
}

/** Returns true for a page with the receipt of real money. */
export function offersReceipt({ state, test }: LinkPage): boolean {
  return !test && (state === 'paid' || state === 'refunded');
}

export type LinkView = ReturnType<typeof viewLink>;

/** Converts a link's page into the values that it shows. All texts are complete. */
export function viewLink(page: LinkPage, context: ViewContext) {
  const t = TEXTS[context.language];
  const form = formView(page, context, t);
  const state = chooseState(page, form !== null);
  const isPayable = state === 'payable';
  const wording = chooseWording(state, context.isJustPaid, page);
  const facts = describeFacts(page, wording, t);
  const words = t.states[wording];
  const alert = context.alert ?? (isPayable ? declinedAlert(page, t) : null);
  const { brandColor } = page.practice;
  return {
    page,
    state,
    mood: STATES[state].mood,
    loads: chooseLoads(state, form !== null, page),
    title: alert === null || !isPayable ? words.title : t.declined.title,
    heading: words.heading(facts),
    first: words.first(facts),
    second: words.second(facts),
    ...(page.test && STATES[state].document !== null && describeTest(words.title, facts, t)),
    alert,
    /** Null when the page offers no way to pay. */
    form: isPayable ? form : null,
    simulate: page.test && isPayable ? Object.entries(t.test.outcomes) : null,
    summaryHeading: t.summary.headings[STATES[state].summary],
    /** Texts of the link, which a document has, too. */
    rows: textRows(page, t),
    document: makeDocument(page, t),
    receiptForm: offersReceipt(page) ? context.receiptForm : null,
    /** End of the time in which the page can be used; null unless the link is payable. */
    until: isPayable ? formatMoment(t, page.expiresAt, page.location.timeZone) : null,
    locationLine: formatLocation(page),
    whom: facts.whom,
    phone: page.phone === null ? null : formatPhone(page.phone),
    amount: facts.amount,
    brandStyle: brandColor === null ? null : brandStyle(brandColor),
    path: linkPath(page.token),
  };
}

/** Returns the path of a link's page. The paths of its forms begin with it. */
export function linkPath(token: string): string {
  return `/pay/${token}`;
}

function describeTest(state: string, facts: Facts, { testState }: Texts) {
  const { title, heading, first, second } = testState;
  return { title, heading: heading(state), first: first(facts), second };
}

/** A payable page without a way to pay is shown as unavailable. Test links still offer their simulated outcomes. */
function chooseState(page: LinkPage, canPay: boolean): PageState {
  return page.state === 'payable' && !canPay && !page.test ? 'unavailable' : page.state;
}

function chooseWording(state: PageState, isJustPaid: boolean, { payment }: LinkPage): Wording {
  const { refundedCents = 0, refundingCents = 0 } = payment ?? {};
  if (state === 'refunded') return refundingCents > 0 ? 'refunding' : 'refunded';
  if (state !== 'paid') return state;
  if (refundingCents > 0) return 'partly_refunding';
  if (refundedCents > 0) return 'partly_refunded';
  return isJustPaid ? 'paid' : 'already_paid';
}

function chooseLoads(state: PageState, hasForm: boolean, { client, offersWallets, clientAction }: LinkPage): Loads {
  if (state === 'in_progress') return 'itself';
  if (state === 'requires_action' && clientAction?.kind === 'script') return 'script';
  if (state !== 'payable' || !hasForm || client.collects !== 'script') return 'own';
  return offersWallets ? 'script_with_wallets' : 'script';
}

function describeFacts(page: LinkPage, wording: Wording, t: Texts): Facts {
  const { timeZone } = page.location;
  const paidAt = page.payment?.processedAt ?? page.paidAt;
  const wantsDeadline = wording === 'payable' || wording === 'expired' || paidAt === null;
  const { refundedCents = 0, refundingCents = 0, reversedCents = 0 } = page.payment ?? {};
  return {
    practice: page.practice.name,
    whom: placeLine(page),
    amount: formatAmount(t, page.amountCents),
    date: wantsDeadline ? formatMoment(t, page.expiresAt, timeZone) : formatDay(t, paidAt, timeZone),
    refunded: formatAmount(t, refundedCents),
    refunding: formatAmount(t, refundingCents),
    alreadyRefunded: refundedCents > 0 && refundingCents > 0 ? formatAmount(t, refundedCents) : null,
    reversed: formatAmount(t, reversedCents),
    until: page.throttledUntil === null ? '' : formatMoment(t, nextMinute(page.throttledUntil), timeZone),
  };
}

/** Returns the form; null when the page offers no way to pay. Test links never load a form of the processor. */
function formView(page: LinkPage, { now }: ViewContext, t: Texts) {
  if (page.state !== 'payable' || page.methods.length === 0) return null;
  if (page.test && page.client.collects !== 'choice') return null;
  return {
    /** Null if the patient cannot pay by bank debit. */
    authorisation: page.methods.includes('us_bank_account') ? bankAuthorisation(page, t, now) : null,
    day: dayIn(now, page.location.timeZone),
  };
}

/** Explains why the latest payment was declined; null when none was. */
function declinedAlert({ lastFailure }: LinkPage, t: Texts): Alert | null {
  if (lastFailure === null) return null;
  const { heading, second } = t.declined;
  return { heading, text: `${declineWords(t, lastFailure).patient} ${second}`, field: null };
}

/**
 * Explains the result of the form before, which the page's address names; null when there is nothing to explain. A
 * throttled page explains itself. A payable page took no money. On any other page, another payment or change came first.
 */
export function resultAlert(page: LinkPage, result: string | null, language: Language): Alert | null {
  const { alerts } = TEXTS[language];
  const refusals = new Map([
    ['not_payable', alerts.cancelled],
    ['cancelled', alerts.cancelled],
    ['amount_changed', alerts.amount_changed(formatAmount(TEXTS[language], page.amountCents))],
    ['try_later', alerts.try_later],
  ]);
  const text = refusals.get(result ?? '');
  if (text === undefined || page.state === 'throttled') return null;
  const isOpen = page.state === 'payable' || (page.state === 'requires_action' && result === 'try_later');
  return { ...(isOpen ? { heading: alerts.heading, text } : alerts[STATES[page.state].cameFirst]), field: null };
}
