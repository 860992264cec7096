import type { LinkPage, PageService, SubmitResult } from '../../payment-links/checkout/port.ts';
import { normalizeEmail } from '../../platform/base/email.ts';
import { ApiError } from '../../platform/base/errors.ts';
import type { Language } from '../../web/language.ts';
import { TEXTS } from '../texts/texts.ts';
import { type Alert, offersReceipt } from '../view/link-view.ts';
import { readSubmission, type Sender } from './submission.ts';

/** Input of an action: the service, the form's fields, and the link's page as it was when the form arrived. */
interface ActionInput {
  service: PageService;
  page: LinkPage;
  fields: ReadonlyMap<string, string>;
  language: Language;
  now: Date;
  sender: Sender;
  /** Address of the client, as the limits count it. */
  limitAddress: string;
}

/** Outcome of a form. `wrong`: the page is shown again with the alert. `unknown`: the link has no such action. */
export type ActionResult =
  | { kind: 'done'; result: SubmitResult }
  | { kind: 'wrong'; alert: Alert; typedEmail?: string }
  | { kind: 'receipt_queued' }
  | { kind: 'unknown' };

type Simulated = Parameters<PageService['simulate']>[1];

const OUTCOMES: readonly Simulated[] = ['paid', 'processing', 'processing_then_paid', 'failed', 'expired'];

/** The forms of a link's page, by the last part of their address. Errors of the service pass through. */
export const ACTIONS = {
  submit,
  /** “Check again”, which may cancel an attempt that was not charged. */
  resume: ({ service, page }: ActionInput) => done(service.resume(page.token)),
  /** “Pay another way”, which cancels the attempt that waits for the patient. */
  another: ({ service, page }: ActionInput) => done(service.cancelAttempt(page.token)),
  sandbox: decide,
  simulate,
  receipt: mailReceipt,
};

export type Action = keyof typeof ACTIONS;

export function isAction(name: string): name is Action {
  return Object.hasOwn(ACTIONS, name);
}

async function done(result: Promise<SubmitResult>): Promise<ActionResult> {
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

async function submit({ service, page, fields, language, now, sender }: ActionInput): Promise<ActionResult> {
  // Another payment or a change came first. The page shows it.
  if (page.state !== 'payable') return { kind: 'done', result: 'not_payable' };
  const submission = readSubmission(page, fields, { language, now }, sender);
  if ('heading' in submission) return { kind: 'wrong', alert: submission };
  return { kind: 'done', result: await service.submit(page.token, submission) };
}

async function decide({ service, page, fields }: ActionInput): Promise<ActionResult> {
  const decision = fields.get('decision');
  if (decision !== 'approve' && decision !== 'refuse') return { kind: 'unknown' };
  return { kind: 'done', result: await service.answerInSandbox(page.token, decision === 'approve') };
}

async function simulate({ service, page, fields }: ActionInput): Promise<ActionResult> {
  const outcome = OUTCOMES.find((offered) => offered === fields.get('outcome'));
  if (!page.test || outcome === undefined) return { kind: 'unknown' };
  try {
    await service.simulate(page.token, outcome);
    return { kind: 'done', result: 'accepted' };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'link_not_active') return { kind: 'done', result: 'not_payable' };
    throw error;
  }
}
