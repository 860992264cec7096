import { formatPhone } from '../../base/phone.ts';
import type { LinkPage, PageState } from '../../payment-links/page.ts';
import type { Loads } from '../browser/security-headers.ts';
import type { Facts, Texts, Wording } from '../texts/en.ts';
import { formatAmount, formatDay, formatMoment, isoDay, nextMinute } from '../texts/formats.ts';
import type { Language } from '../texts/language.ts';
import { TEXTS } from '../texts/texts.ts';
import { type Alert, declinedAlert } from './alerts.ts';
import { bankAuthorisation } from './authorisation.ts';
import { type Document, documentOf, placeLine, placeOf } from './document.ts';
import { TEST_METHODS } from './test-methods.ts';

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
  document: Document | null;
  /** Until when the page can be used; null unless it can be paid on. */
  until: string | null;
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
  const words = wordsOf(wording, page, t);
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
    document: documentOf(page, template, t),
    until: template === 'payable' ? formatMoment(t, page.expiresAt, page.location.timeZone) : null,
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
  const { refundedCents = 0, refundingCents = 0 } = payment ?? {};
  if (state === 'refunded') return refundingCents > 0 ? 'refunding' : 'refunded';
  if (state !== 'paid') return state;
  if (refundingCents > 0) return 'partly_refunding';
  if (refundedCents > 0) return 'partly_refunded';
  return justPaid ? 'paid' : 'already_paid';
}

/** The texts of a state. Payments of test links have their own: they must not say that money was taken. */
function wordsOf(wording: Wording, { test }: LinkPage, t: Texts): Texts['states'][Wording] {
  const testStates: Readonly<Partial<Record<Wording, Texts['states'][Wording]>>> = {
    ...t.testStates,
    already_paid: t.testStates.paid,
  };
  return (test ? testStates[wording] : undefined) ?? t.states[wording];
}

function loadsOf(state: PageState, form: LinkView['form'], action: LinkView['action']): Loads {
  if (state === 'in_progress') return 'itself';
  const stripe =
    state === 'payable' ? form?.processor === 'stripe' : state === 'requires_action' && action?.kind === 'stripe';
  return stripe ? 'stripe' : 'own';
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

/** By their names alone: the marks themselves are their owners'. */
const ACCEPTED_CARDS = ['Visa', 'Mastercard', 'American Express', 'Discover'];

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

function outcomes(t: Texts): LinkView['simulate'] {
  return Object.entries(t.test.outcomes).map(([value, label]) => ({ value, label }));
}
