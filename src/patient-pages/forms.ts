import type { LinkPage, PageService, Submission, SubmitResult } from '../payment-links/checkout/port.ts';
import { normalizeEmail } from '../platform/base/email.ts';
import { ApiError } from '../platform/base/errors.ts';
import { dayIn } from '../platform/base/time/zoned-time.ts';
import type { MethodType } from '../processors/processor.ts';
import type { Language } from '../web/language.ts';
import { formatAmount } from './texts/formats.ts';
import { TEXTS } from './texts/texts.ts';
import { bankAuthorisation } from './view/document.ts';
import { type Alert, offersReceipt } from './view/link-view.ts';

/** One day. A form is accepted on the day that its page names and on the next. */
const DAY_MS = 86_400_000;

/** Longest user agent on record, in characters. Browsers send less. */
const MAX_USER_AGENT_LENGTH = 500;

/** Id of a confirmation token of Stripe. */
const CONFIRMATION_TOKEN = /^ctoken_\w{1,200}$/;

/** Input of an action: the service, the form's fields, and the link's page as it was when the form arrived. */
interface ActionInput {
  service: PageService;
  page: LinkPage;
  fields: ReadonlyMap<string, string>;
  language: Language;
  now: Date;
  /** The sender of the form, for the record of the authorisation. */
  sender: { address: string; userAgent: string };
  /** Address of the client, as the limits count it. */
  limitAddress: string;
}

/** Outcome of a form. `wrong`: the page is shown again with the alert. `unknown`: the link has no such action. */
type ActionResult =
  | { kind: 'done'; result: SubmitResult }
  | { kind: 'wrong'; alert: Alert; typedEmail?: string }
  | { kind: 'receipt_queued' }
  | { kind: 'unknown' };

type SimulatedOutcome = Parameters<PageService['simulate']>[1];

const OUTCOMES: readonly SimulatedOutcome[] = ['paid', 'processing', 'processing_then_paid', 'failed', 'expired'];

/** The forms of a link's page, by the last part of their address. Errors of the service pass through. */
export const ACTIONS = {
  submit,
  /** “Check again”, which may cancel an attempt that was not charged. */
  resume: ({ service, page }: ActionInput) => finish(service.resume(page.token)),
  /** “Pay another way”, which cancels the attempt that waits for the patient. */
  another: ({ service, page }: ActionInput) => finish(service.cancelAttempt(page.token)),
  sandbox: answerSandbox,
  simulate,
  receipt: mailReceipt,
};

export type Action = keyof typeof ACTIONS;

export function isAction(name: string): name is Action {
  return Object.hasOwn(ACTIONS, name);
}

async function finish(result: Promise<SubmitResult>): Promise<ActionResult> {
  return { kind: 'done', result: await result };
}

async function mailReceipt({ service, page, fields, language, limitAddress }: ActionInput): Promise<ActionResult> {
  if (!offersReceipt(page)) return { kind: 'unknown' };
  const { heading, invalid, tooMany } = TEXTS[language].receiptMail;
  const typedEmail = fields.get('email') ?? '';
  const showFault = (text: string): ActionResult => {
    return { kind: 'wrong', alert: { heading, text, field: 'receipt-email' }, typedEmail };
  };
  const email = normalizeEmail(typedEmail);
  if (email === null) return showFault(invalid);
  const result = await service.requestReceipt(page.token, { email, language, limitAddress });
  return result === 'queued' ? { kind: 'receipt_queued' } : showFault(tooMany);
}

async function submit(input: ActionInput): Promise<ActionResult> {
  const { service, page } = input;
  // Another payment or a change came first. The page shows it.
  if (page.state !== 'payable') return { kind: 'done', result: 'not_payable' };
  const submission = readSubmission(input);
  if ('heading' in submission) return { kind: 'wrong', alert: submission };
  return { kind: 'done', result: await service.submit(page.token, submission) };
}

async function answerSandbox({ service, page, fields }: ActionInput): Promise<ActionResult> {
  const decision = fields.get('decision');
  if (decision !== 'approve' && decision !== 'refuse') return { kind: 'unknown' };
  return { kind: 'done', result: await service.answerInSandbox(page.token, decision === 'approve') };
}

async function simulate({ service, page, fields }: ActionInput): Promise<ActionResult> {
  const outcome = OUTCOMES.find((name) => name === fields.get('outcome'));
  if (!page.test || outcome === undefined) return { kind: 'unknown' };
  try {
    await service.simulate(page.token, outcome);
    return { kind: 'done', result: 'accepted' };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'link_not_active') return { kind: 'done', result: 'not_payable' };
    throw error;
  }
}

/**
 * Returns what the patient submits, or an alert that explains what is wrong. The patient must have
 * seen the amount and the day. The practice can change the amount while the page is open, and the authorisation names a day.
 */
function readSubmission({ page, fields, language, now, sender }: ActionInput): Submission | Alert {
  const t = TEXTS[language];
  const { alerts } = t;
  const makeAlert = (text: string, field: string | null): Alert => ({ heading: alerts.heading, text, field });
  const methodType = page.methods.find((type) => type === fields.get('method_type'));
  if (methodType === undefined) return makeAlert(alerts.choose_type, `method_type_${page.methods[0] ?? 'card'}`);
  if (fields.get('amount_cents') !== `${page.amountCents}`) {
    return makeAlert(alerts.amount_changed(formatAmount(t, page.amountCents)), null);
  }
  const shownAt = [now, new Date(now.getTime() - DAY_MS)].find(
    (moment) => dayIn(moment, page.location.timeZone) === fields.get('day'),
  );
  if (shownAt === undefined) return makeAlert(alerts.outdated, null);
  const methodToken = readMethodToken(page, methodType, fields);
  if (methodToken === null) {
    return page.client.collects === 'script'
      ? makeAlert(alerts.no_details, null)
      : makeAlert(alerts.choose_type, listTokens(methodType)[0] ?? null);
  }
  return {
    amountCents: page.amountCents,
    methodType,
    methodToken,
    locale: language,
    address: sender.address,
    userAgent: sender.userAgent.slice(0, MAX_USER_AGENT_LENGTH),
    authorisationText: methodType === 'us_bank_account' ? bankAuthorisation(page, t, shownAt) : null,
  };
}

function readMethodToken(page: LinkPage, type: MethodType, fields: ReadonlyMap<string, string>): string | null {
  if (page.client.collects === 'script') {
    const token = fields.get('confirmation_token') ?? '';
    return CONFIRMATION_TOKEN.test(token) ? token : null;
  }
  return listTokens(type).find((token) => token === fields.get(`${type}_method`)) ?? null;
}

/** Returns the tokens of the test methods that the page offers. */
function listTokens(type: MethodType): string[] {
  return Object.keys(TEXTS.en.testMethods[type]);
}
