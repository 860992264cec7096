import type { LinkPage } from '../../payment-links/checkout/port.ts';
import * as ui from '../../web/blocks.ts';
import { type Attributes, type Content, element, hiddenField, mark, own } from '../../web/html.ts';
import { STRIPE_SCRIPT } from '../../web/security-headers.ts';
import type { Texts } from '../texts/texts.ts';
import type { Alert, LinkView } from '../view/link-view.ts';

/** Signs above the heading, by mood. */
const SIGNS = { good: 'M14 25l7 7 13-15', wait: 'M24 12v12l8 5', stop: 'M24 13v14M24 33v1.5' };

export function stateBlock({ mood, heading, first, second }: Pick<LinkView, 'mood' | 'heading' | 'first' | 'second'>) {
  const size = { viewBox: '0 0 48 48', width: 48, height: 48, 'aria-hidden': 'true', focusable: 'false' };
  const lines = (d: string) => [element('circle', { cx: 24, cy: 24, r: 22 }, ''), element('path', { d }, '')];
  const sign = mood !== 'plain' && element('svg', { class: `mark ${mood}`, ...size }, lines(SIGNS[mood]));
  const words = [mark('h1', own(heading)), mark('p', own(first)), mark('p', mark('strong', own(second)))];
  return mark('div', [sign, words], 'state');
}

export function alertBlock({ heading, text, field }: Alert): Content {
  const id = 'alert-heading';
  return element(
    'div',
    { class: 'alert', role: 'alert', tabindex: -1, autofocus: true, 'aria-labelledby': id, 'data-alert': true },
    element('h2', { id }, heading),
    mark('p', field === null ? text : element('a', { href: `#${field}` }, text)),
  );
}

/** Returns the parts of a link's page below its alert. */
export function linkBlocks(t: Texts, view: LinkView): Content {
  const { state, form, path, simulate, receiptForm } = view;
  const waits = view.page.clientAction?.kind === 'choice' ? sandboxChoice : bankForms;
  const parts = [
    stateBlock(view),
    view.document === null ? summaryBlock(t, view) : documentBlock(t, view, view.document),
    form && payForm(t, view, form),
    state === 'requires_action' && waits(t, view),
    state === 'in_progress' && checkAgain(t, view, 'primary'),
  ];
  const outcomes = simulate?.map(([value, label]) => button(label, { name: 'outcome', value }));
  return [
    mark('div', parts, 'card'),
    outcomes !== undefined &&
      section('simulate', t.test.heading, [
        mark('p', t.test.hint, 'hint'),
        postForm(t, `${path}/simulate`, {}, outcomes),
      ]),
    receiptForm && receiptMail(t, `${path}/receipt`, receiptForm),
  ];
}

/** Returns a part of the page with a heading, which names it for screen readers. */
export function section(name: string, title: string, content: Content, className = 'card'): Content {
  const id = `${name}-heading`;
  return element('section', { class: className, 'aria-labelledby': id }, element('h2', { id }, title), content);
}

/** Returns a form that the script sends once. */
function postForm({ language }: Texts, action: string, attributes: Attributes, content: Content): Content {
  const form = { method: 'post', action, 'data-once': true, ...attributes };
  return element('form', form, hiddenField('lang', language.code), content);
}

function button(label: string, attributes: Attributes): Content {
  return element('button', { type: 'submit', ...attributes }, label);
}

/** Returns a form of one button, whose label changes while the answer is on its way. */
function buttonForm(t: Texts, action: string, label: string, field: Attributes, attributes: Attributes = {}): Content {
  return postForm(t, action, attributes, button(label, { 'data-working': t.form.working, ...field }));
}

/** The script sends this form when the patient returns from the bank. */
function checkAgain(t: Texts, { path }: LinkView, look?: 'primary'): Content {
  return buttonForm(t, `${path}/resume`, t.action.checkAgain, { class: look }, { 'data-return': true });
}

function sandboxChoice(t: Texts, { path }: LinkView): Content {
  const { sandbox, approve, refuse, another } = t.action;
  const decide = (label: string, value: string, look?: 'primary') =>
    buttonForm(t, `${path}/sandbox`, label, { class: look, name: 'decision', value });
  return [
    mark('p', sandbox, 'hint'),
    decide(approve, 'approve', 'primary'),
    decide(refuse, 'refuse'),
    buttonForm(t, `${path}/another`, another, {}),
  ];
}

/** Returns the forms with which a patient goes to the bank, or comes back from it. */
function bankForms(t: Texts, view: LinkView): Content {
  const { path, page } = view;
  const { client, clientAction: action } = page;
  const isScript = action?.kind === 'script' && client.collects === 'script';
  return [
    isScript &&
      postForm(t, `${path}/resume`, { ...stripeData('action', client), 'data-secret': action.clientSecret }, [
        scriptAlerts(t),
        button(t.action.continue, { class: 'primary', 'data-working': t.form.working, disabled: true }),
      ]),
    checkAgain(t, view, action === null ? 'primary' : undefined),
    buttonForm(t, `${path}/another`, t.action.another, {}),
  ];
}

type StripeClient = Extract<LinkPage['client'], { collects: 'script' }>;

function stripeData(step: 'pay' | 'action', { publishableKey, accountId }: StripeClient): Attributes {
  const account = { 'data-key': publishableKey, 'data-account': accountId };
  return { 'data-stripe': step, 'data-stripe-script': STRIPE_SCRIPT, ...account };
}

/** Returns the alerts that the script shows, and the one without scripts. */
function scriptAlerts({ script, alerts }: Texts): Content {
  const hidden = { class: 'alert', role: 'alert', tabindex: -1, hidden: true };
  const words = (title: string, text: Content) => [mark('h2', title), text];
  const fault = element('p', { 'data-fault-text': true }, '');
  return [
    mark('noscript', mark('div', words(script.noJsTitle, mark('p', script.noJs)), 'alert')),
    element('div', { ...hidden, 'data-blocked': true }, words(script.blockedTitle, mark('p', script.blocked))),
    element('div', { ...hidden, 'data-fault': true }, words(alerts.heading, fault)),
    element('p', { class: 'hint', 'data-loading': true }, script.loading),
  ];
}

function payForm(t: Texts, { page, path, amount }: LinkView, form: NonNullable<LinkView['form']>): Content {
  const { client, amountCents, offersWallets } = page;
  const usesScript = client.collects === 'script';
  const stripe = usesScript && {
    ...stripeData('pay', client),
    'data-amount': amountCents,
    'data-wallets': offersWallets,
  };
  return postForm(t, `${path}/submit`, { class: 'pay', ...stripe }, [
    hiddenField('amount_cents', `${amountCents}`),
    hiddenField('day', form.day),
    usesScript && hiddenField('confirmation_token', ''),
    methodChoice(t, page),
    usesScript ? stripeFields(t) : mark('p', t.form.noNumbers, 'hint'),
    form.authorisation !== null && authorisation(t, mark('p', own(form.authorisation))),
    button(t.form.pay(amount), { class: 'primary', 'data-working': t.form.working, disabled: usesScript }),
  ]);
}

/** Returns the choice of the method, and of the test method where no script asks for details. */
function methodChoice(t: Texts, { client, methods }: LinkPage): Content {
  const choices = methods.map((type, index) => {
    const attributes = { name: 'method_type', id: `method_type_${type}`, value: type, checked: index === 0 };
    const tokens = Object.entries(t.testMethods[type]).map(([id, label], at) =>
      radioButton({ name: `${type}_method`, id, value: id, checked: at === 0 }, label),
    );
    const look = { class: 'test-methods', 'data-type': type };
    return [
      radioButton(attributes, t.form[type], t.form[`${type}_hint`]),
      client.collects !== 'script' && element('fieldset', look, mark('legend', t.form.testMethods[type]), tokens),
    ];
  });
  return element('fieldset', { class: 'methods' }, mark('legend', mark('h2', t.form.heading)), choices);
}

function radioButton(input: { id: string; value: string } & Attributes, label: string, hint?: string): Content {
  const hintId = hint && `hint_${input.value}`;
  const attributes = { type: 'radio', ...input, 'aria-describedby': hintId };
  const help = hint !== undefined && element('span', { class: 'hint', id: hintId }, hint);
  return mark('div', [{ tag: 'input', attributes }, element('label', { for: input.id }, label), help], 'choice');
}

/** Returns the place of Stripe's fields, and what belongs to them. */
function stripeFields(t: Texts): Content {
  const { card, us_bank_account: account } = t.form.details;
  const names = { 'data-card': card, 'data-us_bank_account': account, 'aria-label': card };
  return [
    scriptAlerts(t),
    element('section', { class: 'details', 'data-details': true, ...names, hidden: true }, ''),
    mark('p', [
      mark('strong', t.form.paymentsBy('Stripe')),
      mark('span', `${t.form.cards} ${t.form.protected}`, 'hint'),
    ]),
  ];
}

function authorisation({ authorisation: t }: Texts, content: Content): Content {
  return section('authorisation', t.heading, content, 'summary authorisation');
}

function summaryBlock(t: Texts, { summaryHeading, amount, rows, until }: LinkView): Content {
  const sum = mark('div', [mark('dt', t.summary.amount, 'unseen'), mark('dd', amount, 'amount')]);
  const parts = [mark('dl', [sum, rowBlocks(rows)]), until !== null && mark('p', t.summary.until(until), 'hint')];
  return section('summary', summaryHeading, parts, 'summary');
}

function rowBlocks(rows: LinkView['rows']): Content {
  return rows.map(({ label, value, isLong }) =>
    mark('div', [mark('dt', label), mark('dd', own(value), isLong ? 'lines' : undefined)]),
  );
}

function documentBlock(t: Texts, { page }: LinkView, document: NonNullable<LinkView['document']>): Content {
  const parts = [documentParts(t, page, document), mark('p', ui.printButton(t.print))];
  return section('receipt', document.heading, parts, 'receipt');
}

/** Returns what stands below the heading of a document. */
export function documentParts(
  t: Texts,
  { test }: Pick<LinkView['page'], 'test'>,
  { rows, authorisation: consent }: NonNullable<LinkView['document']>,
): Content {
  return [
    mark('dl', rowBlocks(rows), 'facts'),
    test && mark('p', t.receipt.testNote, 'hint'),
    consent &&
      authorisation(t, [element('p', { lang: consent.lang }, own(consent.text)), mark('p', consent.given, 'hint')]),
  ];
}

function receiptMail(t: Texts, action: string, { email, isSent }: NonNullable<LinkView['receiptForm']>): Content {
  const { title, sent, label, help, button: send } = t.receiptMail;
  const id = 'receipt-email';
  const hints = { autocomplete: 'email', autocapitalize: 'none', spellcheck: 'false' };
  const field = { id, name: 'email', type: 'email', required: true, maxlength: 254, ...hints, value: email };
  const form = postForm(t, action, {}, [
    element('label', { for: id }, mark('strong', label)),
    { tag: 'input', attributes: { ...field, 'aria-describedby': `${id}-help` } },
    element('p', { class: 'hint', id: `${id}-help` }, help),
    button(send, { 'data-working': t.form.working }),
  ]);
  return section('receipt-mail', title, isSent ? element('p', { role: 'status' }, sent) : form);
}
