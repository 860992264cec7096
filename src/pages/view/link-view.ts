import { formatPhone } from '../../base/phone.ts';
import { slotTextOf } from '../../base/slot.ts';
import { dayIn } from '../../base/time/zoned-time.ts';
import type { LinkPage, PageState } from '../../payment-links/checkout/port.ts';
import { fileQuery } from '../browser/assets.ts';
import { brandStyle, logoPath } from '../browser/brand.ts';
import type { Loads } from '../browser/security-headers.ts';
import { formatAmount, formatDay, formatMoment, nextMinute } from '../texts/formats.ts';
import type { Language } from '../texts/language.ts';
import type { Facts, Texts, Wording } from '../texts/texts.ts';
import { TEXTS } from '../texts/texts.ts';
import { type Alert, declinedAlert } from './alerts.ts';
import { bankAuthorisation, documentOf, placeLine, placeOf, textRows } from './document.ts';
import { STATES } from './states.ts';
import { TEST_METHODS } from './test-methods.ts';

/** Circumstances of one request that change the page, beside the link itself. */
export interface ViewContext {
  language: Language;
  basePath: string;
  now: Date;
  /** True if the patient has just paid here; false if the link was paid before. */
  justPaid: boolean;
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

/** Converts a link's page into the values that its templates show. All texts are complete; the templates escape them. */
export function viewLink(page: LinkPage, context: ViewContext) {
  const t = TEXTS[context.language];
  const form = formView(page, context, t);
  const state = stateOf(page, form !== null);
  const isPayable = state === 'payable';
  const wording = wordingOf(state, context.justPaid, page);
  const facts = factsOf(page, wording, t);
  const words = wordsOf(wording, page, t);
  const alert = context.alert ?? (isPayable ? declinedAlert(page, t) : null);
  return {
    state,
    mood: STATES[state].mood,
    loads: loadsOf(state, form !== null, page),
    title: alert === null || !isPayable ? words.title : t.states.declined.title,
    heading: words.heading(facts),
    first: words.first(facts),
    second: words.second(facts),
    test: page.test,
    alert,
    /** Null when the page offers no way to pay. */
    form: isPayable ? form : null,
    simulate: page.test && isPayable ? Object.entries(t.test.outcomes) : null,
    action: state === 'requires_action' ? page.clientAction : null,
    client: page.client,
    summaryHeading: t.summary.headings[STATES[state].summary],
    /** Texts of the link, which a document has, too. */
    rows: textRows(page, t),
    hasDocument: STATES[state].document !== null,
    document: documentOf(page, state, t),
    receiptForm: offersReceipt(page) ? context.receiptForm : null,
    /** End of the time in which the page can be used; null unless the link is payable. */
    until: isPayable ? formatMoment(t, page.expiresAt, page.location.timeZone) : null,
    link: {
      practice: page.practice.name,
      place: placeOf(page),
      whom: facts.whom,
      phone: page.phone === null ? null : { href: `tel:${page.phone}`, text: formatPhone(page.phone) },
      amount: facts.amount,
      reference: page.linkId,
    },
    brand: brandOf(page, context.basePath, fileQuery(slotTextOf(page.token))),
    paths: pathsOf(page.token, context.basePath),
  };
}

function brandOf({ brand: { color, logo } }: LinkPage, basePath: string, query: string) {
  const style = color === null ? null : brandStyle(color);
  return {
    style: style && { href: `${basePath}${style.path}${query}`, integrity: style.integrity },
    logo: logo && { href: `${basePath}${logoPath(logo.hash)}${query}`, width: logo.width, height: logo.height },
  };
}

export function pathsOf(token: string, basePath: string) {
  const page = `${basePath}/pay/${token}`;
  return {
    page,
    submit: `${page}/submit`,
    resume: `${page}/resume`,
    another: `${page}/another`,
    sandbox: `${page}/sandbox`,
    simulate: `${page}/simulate`,
    receipt: `${page}/receipt`,
  };
}

/** A payable page without a way to pay is shown as unavailable. Test links still offer their simulated outcomes. */
function stateOf(page: LinkPage, canPay: boolean): PageState {
  return page.state === 'payable' && !canPay && !page.test ? 'unavailable' : page.state;
}

function wordingOf(state: PageState, justPaid: boolean, { payment }: LinkPage): Wording {
  const { refundedCents = 0, refundingCents = 0 } = payment ?? {};
  if (state === 'refunded') return refundingCents > 0 ? 'refunding' : 'refunded';
  if (state !== 'paid') return state;
  if (refundingCents > 0) return 'partly_refunding';
  if (refundedCents > 0) return 'partly_refunded';
  return justPaid ? 'paid' : 'already_paid';
}

/** Returns the texts of a state. Test links have their own, which must not say that money was taken. */
function wordsOf(wording: Wording, { test }: LinkPage, t: Texts): Texts['states'][Wording] {
  const testStates: Readonly<Partial<Record<Wording, Texts['states'][Wording]>>> = {
    ...t.testStates,
    already_paid: t.testStates.paid,
  };
  return (test ? testStates[wording] : undefined) ?? t.states[wording];
}

function loadsOf(state: PageState, hasForm: boolean, { client, wallets, clientAction }: LinkPage): Loads {
  if (state === 'in_progress') return 'itself';
  if (state === 'requires_action' && clientAction?.kind === 'script') return 'script';
  if (state !== 'payable' || !hasForm || client.collects !== 'script') return 'own';
  return wallets ? 'script_with_wallets' : 'script';
}

function factsOf(page: LinkPage, wording: Wording, t: Texts): Facts {
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

/** Names only. The logos belong to the card networks. */
const ACCEPTED_CARDS = ['Visa', 'Mastercard', 'American Express', 'Discover'];

/** Returns the form; null when the page offers no way to pay. Test links never load a form of the processor. */
function formView(page: LinkPage, { now }: ViewContext, t: Texts) {
  if (page.state !== 'payable' || page.methods.length === 0) return null;
  if (page.test && page.client.collects !== 'choice') return null;
  return {
    wallets: page.wallets,
    amountCents: page.amountCents,
    amount: formatAmount(t, page.amountCents),
    authorisation: bankAuthorisation(page, t, now),
    day: dayIn(now, page.location.timeZone),
    cards: ACCEPTED_CARDS,
    methods: page.methods.map((type) => ({
      type,
      label: t.form[type],
      hint: t.form[`${type}_hint`],
      testLegend: t.form.testMethods[type],
      testMethods: TEST_METHODS[type].map((token) => ({ token, label: t.testMethods[token] })),
    })),
  };
}
