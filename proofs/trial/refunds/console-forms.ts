import { type Caller, formCall, hiddenFields } from '../caller.ts';
import type { RefundingPractice } from './setup.ts';

/** Fields of the page that asks to confirm a refund. Among them are the id of the refund and its amount. */
type RefundForm = Readonly<Record<string, string> & { refund: string; amount: string }>;

/** Fields of the first form, as a person types them. */
export type TypedRefund = { choice: 'all' } | { choice: 'part'; amount: string };

/**
 * Opens the refund forms of the console, as a person uses them who sends a form again that got no answer. They need the token of
 * the session.
 */
export async function openForms(caller: Caller, { cookie, practiceId }: RefundingPractice) {
  const headers = { cookie: `paylinks_console=${cookie}` };
  const page = await caller.send({ method: 'GET', path: '/console/confirm', headers }, ({ status }) => status === 200);
  const csrf = /name="csrf" value="([^"]+)"/.exec(page?.text ?? '')?.[1];
  if (csrf === undefined) throw new Error('the console shows no form');
  const form = (linkId: string, action: string, fields: Record<string, string>) =>
    formCall(`/console/${practiceId}/live/payments/${linkId}/${action}`, headers, { csrf, ...fields });
  return {
    /**
     * Asks for a refund. Returns the form to confirm it; null if the console refuses it. Also returns null, and records a wrong
     * answer, if the page lacks a field.
     *
     * @param mayBeRefused true if the payment may have been refunded at the processor, or taken back by its bank
     */
    async review(linkId: string, typed: TypedRefund, mayBeRefused = false): Promise<RefundForm | null> {
      const call = form(linkId, 'refund', { reason: '', ...typed });
      const answer = await caller.send(call, ({ status }) => status === 200 || (mayBeRefused && status === 422));
      if (answer?.status !== 200) return null;
      const fields = hiddenFields(answer.text);
      const { refund, amount } = fields;
      if (refund !== undefined && amount !== undefined) return { ...fields, refund, amount };
      caller.wrongAnswers.push(`${call.path}: the page lacks the id or the amount of the refund`);
      return null;
    },
    /** Confirms a refund. Returns true once an API says that it is recorded. */
    async confirm(linkId: string, fields: RefundForm, mayBeRefused = false): Promise<boolean> {
      const answer = await caller.send(
        form(linkId, 'refund/confirm', { ...fields, confirmed: 'on' }),
        ({ status, location }) => location?.endsWith('?done=refunded') === true || (mayBeRefused && status === 422),
      );
      return answer !== null && answer.location !== null;
    },
  };
}
