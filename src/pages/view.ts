import { formatPhone } from '../base/phone.ts';
import type { LinkPage, PageState } from '../payment-links/page.ts';
import { bankAuthorisation } from './authorisation.ts';
import { formatAmount, formatDay, formatMethod, formatMoment, isoDay } from './formats.ts';
import type { Language } from './language.ts';
import type { Loads } from './security-headers.ts';
import { TEST_METHODS } from './test-methods.ts';
import { TEXTS } from './texts.ts';
import type { Facts, Texts, Wording } from './texts-en.ts';

/** A message above everything else; it gets the focus. */
export interface Alert {
  heading: string;
  /** Each with the field that it is about, if any. */
  lines: readonly { text: string; field: string | null }[];
}

/** Beyond the link itself, what decides how its page looks. */
export interface Occasion {
  language: Language;
  basePath: string;
  now: Date;
  /** The patient has just paid on this page, in contrast to one who finds it paid. */
  justPaid: boolean;
  /** What was wrong with the latest submission. */
  alert: Alert | null;
}

/** What the templates of links show; all texts are finished, and escaped where they are put in. */
export interface LinkView {
  template: PageState;
  loads: Loads;
  title: string;
  heading: string;
  first: string;
  second: string;
  test: boolean;
  alert: Alert | null;
  /** Present unless nothing can be paid with. */
  form: ReturnType<typeof formView> | null;
  simulate: readonly { value: string; label: string }[] | null;
  action: LinkPage['clientAction'];
  client: LinkPage['client'];
  receipt: readonly { label: string; value: string; isLong: boolean }[];
  link: {
    practice: string;
    place: string;
    whom: string;
    phone: { href: string; text: string } | null;
    description: string;
    amount: string;
    reference: string;
  };
  /** Addresses of this page and of what its forms do. */
  paths: Readonly<Record<'page' | 'submit' | 'resume' | 'another' | 'sandbox' | 'simulate', string>>;
}

/** Turns what is known of a link into what is shown of it. */
export function viewLink(page: LinkPage, occasion: Occasion): LinkView {
  const t = TEXTS[occasion.language];
  const form = formView(page, occasion, t);
  const template = stateOf(page, form !== null);
  const wording = wordingOf(template, occasion.justPaid, page);
  const facts = factsOf(page, wording, t);
  const words = t.states[wording];
  const alert = occasion.alert ?? (template === 'payable' ? declinedAlert(page, t) : null);
  const { clientAction } = page;
  return {
    template,
    loads: loadsOf(template, form, clientAction),
    title: alert === null || template !== 'payable' ? words.title : t.states.declined.title,
    heading: words.heading(facts),
    first: words.first(facts),
    second: words.second(facts),
    test: page.test,
    alert,
    form: template === 'payable' ? form : null,
    simulate: page.test && template === 'payable' ? outcomes(t) : null,
    action: template === 'requires_action' ? clientAction : null,
    client: page.client,
    receipt: receiptOf(page, template, t),
    link: {
      practice: page.practice.name,
      place: placeOf(page),
      whom: facts.whom,
      phone: page.phone === null ? null : { href: `tel:${page.phone}`, text: formatPhone(page.phone) },
      description: page.description,
      amount: facts.amount,
      reference: page.linkId,
    },
    paths: pathsOf(page.token, occasion.basePath),
  };
}

/** The addresses of a link's page. */
export function pathsOf(token: string, basePath: string): LinkView['paths'] {
  const page = `${basePath}/pay/${token}`;
  return {
    page,
    submit: `${page}/submit`,
    resume: `${page}/resume`,
    another: `${page}/another`,
    sandbox: `${page}/sandbox`,
    simulate: `${page}/simulate`,
  };
}

/** A page that says "payable" with nothing to pay with would be a dead end; test links still have their outcomes. */
function stateOf(page: LinkPage, canPay: boolean): PageState {
  return page.state === 'payable' && !canPay && !page.test ? 'unavailable' : page.state;
}

function wordingOf(state: PageState, justPaid: boolean, { payment }: LinkPage): Wording {
  if (state === 'refunded' && payment !== null && payment.refundingCents > 0) return 'refunding';
  return state === 'paid' && !justPaid ? 'already_paid' : state;
}

function loadsOf(state: PageState, form: LinkView['form'], action: LinkView['action']): Loads {
  const stripe =
    state === 'payable' ? form?.processor === 'stripe' : state === 'requires_action' && action?.kind === 'stripe';
  return stripe ? 'stripe' : 'own';
}

function factsOf(page: LinkPage, wording: Wording, t: Texts): Facts {
  const { timeZone } = page.location;
  const paidAt = page.payment?.processedAt ?? page.paidAt;
  const wantsDeadline = wording === 'payable' || wording === 'expired' || paidAt === null;
  return {
    practice: page.practice.name,
    whom: `${page.practice.name}, ${placeOf(page)}`,
    amount: formatAmount(t, page.amountCents),
    date: wantsDeadline ? formatMoment(t, page.expiresAt, timeZone) : formatDay(t, paidAt, timeZone),
    refunded: formatAmount(t, page.payment?.refundedCents ?? 0),
    refunding: formatAmount(t, page.payment?.refundingCents ?? 0),
    reversed: formatAmount(t, page.payment?.reversedCents ?? 0),
  };
}

function placeOf({ location }: LinkPage): string {
  return `${location.name} (${location.city}, ${location.state})`;
}

function declinedAlert({ lastFailure }: LinkPage, t: Texts): Alert | null {
  if (lastFailure === null) return null;
  const { declined } = t.states;
  const known: Readonly<Record<string, string>> = t.failures;
  const reason = (Object.hasOwn(known, lastFailure) ? known[lastFailure] : undefined) ?? declined.first();
  return { heading: declined.heading(), lines: [{ text: `${reason} ${declined.second()}`, field: null }] };
}

/**
 * What the page has to say of the submission before it, which its address names. A resting page says itself why nothing
 * came of it. On a page that can be paid, no submission has taken money.
 */
export function noticeAlert(page: LinkPage, notice: string | null, language: Language): Alert | null {
  const t = TEXTS[language];
  const { notices } = t;
  if (page.state === 'resting' || !isRefusal(notice)) return null;
  const texts: Readonly<Record<Refusal, string>> = {
    not_payable: notices.called_off,
    called_off: notices.called_off,
    amount_changed: notices.amount_changed(formatAmount(t, page.amountCents)),
    try_later: notices.try_later,
  };
  const isOpen = page.state === 'payable' || (page.state === 'requires_action' && notice === 'try_later');
  const text = isOpen ? texts[notice] : notices.not_payable;
  return { heading: notices.heading, lines: [{ text, field: null }] };
}

const REFUSALS = ['not_payable', 'called_off', 'amount_changed', 'try_later'] as const;

type Refusal = (typeof REFUSALS)[number];

function isRefusal(notice: string | null): notice is Refusal {
  return REFUSALS.some((refusal) => refusal === notice);
}

/** What one pays with; null when there is nothing to pay with here. Test links never load a processor's own form. */
function formView(page: LinkPage, { now }: Occasion, t: Texts) {
  if (page.state !== 'payable' || page.methods.length === 0) return null;
  if (page.test && page.client.processor !== 'sandbox') return null;
  return {
    processor: page.client.processor,
    amountCents: page.amountCents,
    amount: formatAmount(t, page.amountCents),
    authorisation: bankAuthorisation(page, t, now),
    day: isoDay(now, page.location.timeZone),
    methods: page.methods.map((type) => ({
      type,
      label: t.form[type],
      hint: t.form[`${type}_hint`],
      testLegend: t.form.testMethods[type],
      testMethods: TEST_METHODS[type].map((token) => ({ token, label: t.testMethods[token] })),
    })),
  };
}

function outcomes(t: Texts): LinkView['simulate'] {
  return Object.entries(t.test.outcomes).map(([value, label]) => ({ value, label }));
}

/** States whose page is a receipt, or tells of a payment as one does. */
const WITH_RECEIPT: ReadonlySet<PageState> = new Set([
  'paid',
  'refunded',
  'bank_reversed',
  'bank_pending',
  'bank_failed',
]);

function receiptOf(page: LinkPage, state: PageState, t: Texts): LinkView['receipt'] {
  if (!WITH_RECEIPT.has(state)) return [];
  const { payment, location } = page;
  const isFinal = state === 'paid' || state === 'refunded' || state === 'bank_reversed';
  const at = payment?.processedAt ?? page.paidAt;
  const { refundedCents = 0, refundingCents = 0, reversedCents = 0 } = payment ?? {};
  const amount = (cents: number) => (cents > 0 ? formatAmount(t, cents) : null);
  const row = (label: string, value: string | null, isLong = false) =>
    value === null ? [] : [{ label, value, isLong }];
  return [
    ...row(isFinal ? t.receipt.paid : t.receipt.debit, formatAmount(t, page.amountCents)),
    ...row(t.receipt.refunded, amount(refundedCents)),
    ...row(t.receipt.refunding, amount(refundingCents)),
    ...row(t.receipt.reversed, amount(reversedCents)),
    ...row(t.receipt.for, page.description, true),
    ...row(t.receipt.to, `${page.practice.name}, ${placeOf(page)}`),
    ...row(isFinal ? t.receipt.date : t.receipt.submitted, at === null ? null : formatMoment(t, at, location.timeZone)),
    ...row(t.receipt.method, payment === null ? null : formatMethod(t, payment)),
    ...row(t.receipt.reference, page.linkId),
  ];
}
