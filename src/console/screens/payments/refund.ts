import type { PaymentDetails } from '../../../payment-links/billing/payments.ts';
import { RefundRefused } from '../../../payment-links/decide/refundable.ts';
import {
  checkRefund,
  createRefund,
  MAX_REASON_LENGTH,
  type RefundInput,
  type RequestedRefund,
} from '../../../payment-links/payments/create-refund.ts';
import { isId, newId } from '../../../platform/base/ids.ts';
import { fresh, type Scope } from '../../../platform/base/scope.ts';
import * as ui from '../../../web/blocks.ts';
import { isLargeRefund } from '../../identity/people/refund-limit.ts';
import { lockPerson } from '../../identity/sign-in/access.ts';
import { isSignInFresh } from '../../identity/sign-in/sessions.ts';
import { type MemberVisit, problem, type Reply } from '../../routing/visit.ts';
import { typedTexts } from '../filters.ts';
import { createFormats } from '../formats.ts';
import { disputeWarning } from './disputes.ts';
import { findPaymentOfPath, paymentFacts } from './payment.ts';

const FIELDS = {
  amount: 'Amount of the part, in dollars',
  amountHelp: 'For example 25.00',
  reason: 'Reason (optional)',
  reasonHelp: 'The API shows it. Write nothing about health.',
};

const FAULTS = {
  no_amount: 'Enter an amount such as 25.00.',
  two_amounts: 'You chose all that is left, and entered a part. Choose one of the two.',
  not_settled: 'Not settled, or nothing is left to refund.',
  other_processor: 'Refund it at the other processor.',
  id_taken: 'This form was used. Begin a new refund.',
  reason_invalid: 'A reason has at most 500 characters, without control characters and invisible marks of direction.',
};

/** Reasons why a refund form is refused. The page says the amounts of the last two. */
type RefundFault = keyof typeof FAULTS | 'too_much' | 'taken_back';

/** Refuses a refund that needs a fresh sign-in because of other refunds. It is thrown, so that the transaction rolls back. */
class FreshSignInNeeded extends Error {}

/** Shows the form. A form that a sign-in brings back keeps what was typed; the form of the confirmation names an amount and no choice. */
export async function showRefund(visit: MemberVisit): Promise<Reply> {
  const { choice, ...typed } = typedTexts(visit.fields, ['choice', 'amount', 'reason']);
  const input = { choice: choice || (typed.amount === '' ? 'all' : 'part'), ...typed };
  return refundPage(visit, await findPaymentOfPath(visit), input);
}

/** Shows the refund that the form asks for, to confirm. The id of the refund is made here. */
export async function reviewRefund(visit: MemberVisit): Promise<Reply> {
  const payment = await findPaymentOfPath(visit);
  const input = typedTexts(visit.fields, ['choice', 'amount', 'reason']);
  const request = checkRefund(payment, input);
  if (typeof request === 'string') return refundPage(visit, payment, input, request);
  const { scope, session } = visit;
  if (!isSignInFresh(scope, session) && (await isLargeRefund(scope, session, request.amountCents)))
    return problem('old_sign_in');
  return confirmationPage(visit, payment, request, newId('refund', scope.clock.now()));
}

/** Refunds. The same form sent twice refunds once, and gets the same answer. */
export async function confirmRefund(visit: MemberVisit): Promise<Reply> {
  const payment = await findPaymentOfPath(visit);
  const { scope, processor, fields, session } = visit;
  const { id: linkId } = payment.link;
  const { refund: id, ...typed } = typedTexts(fields, ['refund', 'amount', 'reason']);
  const input = { choice: 'part', ...typed };
  if (!isId('refund', id)) return refundPage(visit, payment, input, 'id_taken');
  const reply: Reply = { kind: 'redirect', to: visit.modePath(`/payments/${linkId}?done=refunded`) };
  if (payment.refunds.some((refund) => refund.id === id)) return reply;
  const request = checkRefund(payment, input);
  if (typeof request === 'string') return refundPage(visit, payment, input, request);
  try {
    // Counts the refunds of an hour, also refunds that are sent at the same time.
    const refuseLarge = async (scope: Scope, { amountCents }: RequestedRefund) => {
      // Each of several refunds at once sees those before it.
      await lockPerson(scope, session.personId);
      if (await isLargeRefund(scope, session, amountCents)) throw new FreshSignInNeeded();
    };
    const staff = { id, admit: isSignInFresh(scope, session) ? undefined : refuseLarge };
    const refundScope = { ...scope, actor: visit.actor, processor, change: visit.change };
    await createRefund(refundScope, { linkId, ...request, staff });
    return reply;
  } catch (error) {
    if (error instanceof FreshSignInNeeded) return problem('old_sign_in');
    if (!(error instanceof RefundRefused)) throw error;
    const presentPayment = await findPaymentOfPath({ ...visit, scope: fresh(scope) });
    return refundPage(visit, presentPayment, input, error.reason);
  }
}

function refundPage(visit: MemberVisit, payment: PaymentDetails, input: RefundInput, fault?: RefundFault): Reply {
  const { money } = createFormats(payment.location.timeZone);
  const remainder = money(payment.refundableCents);
  const path = visit.modePath(`/payments/${payment.link.id}`);
  const isPart = input.choice === 'part';
  const isWrong = ['no_amount', 'two_amounts', 'too_much', 'taken_back'].includes(fault ?? '');
  const amount = { className: 'field indented', inputmode: 'decimal', autocomplete: 'off', maxlength: 12, isWrong };
  const cancel = ui.link(path, 'Do not refund');
  const isTakenBack = payment.takenBackCents > 0;
  const takenBack = `The patient’s bank took ${money(payment.takenBackCents)} of this payment back, so at most ${remainder} can be refunded.`;
  const texts = { ...FAULTS, too_much: `At most ${remainder} can be refunded.`, taken_back: takenBack };
  const error = fault && texts[fault];
  if (payment.refundableCents < 1) {
    const reason = ui.lead(isTakenBack ? takenBack : 'Nothing can be refunded at the moment.');
    return ui.page('Refund', { error }, [reason, paymentFacts(payment), ui.text(cancel)]);
  }
  return ui.page('Refund', { error }, [
    ui.lead(`Of the ${money(payment.transaction.amountCents)} paid, ${remainder} can still be refunded.`),
    isTakenBack && ui.lead(takenBack),
    disputeWarning(payment),
    paymentFacts(payment),
    ui.form(`${path}/refund`, { button: 'Continue', beside: cancel }, [
      ui.fieldset(
        'Amount',
        [
          ui.radio('choice', 'all', `All that is left: ${remainder}`, !isPart),
          ui.radio('choice', 'part', 'A part', isPart),
          ui.fields(FIELDS, input, { amount }),
        ],
        { choice: 'choice-part' },
      ),
      ui.fields(FIELDS, input, { reason: { autocomplete: 'off', maxlength: MAX_REASON_LENGTH } }),
    ]),
  ]);
}

function confirmationPage(
  visit: MemberVisit,
  payment: PaymentDetails,
  { amountCents, reason }: RequestedRefund,
  refundId: string,
): Reply {
  const { money } = createFormats(payment.location.timeZone);
  const path = visit.modePath(`/payments/${payment.link.id}`);
  const hidden = { refund: refundId, amount: (amountCents / 100).toFixed(2), reason: reason ?? '' };
  const words = { button: 'Refund now', label: 'Yes, refund this amount', beside: ui.link(path, 'Do not refund') };
  return ui.page('Confirm the refund', {}, [
    disputeWarning(payment),
    paymentFacts(payment),
    ui.form(`${path}/refund/confirm`, { ...words, hidden }, [
      ui.text(ui.mark('strong', `You are about to refund ${money(amountCents)}. A refund cannot be undone.`)),
      reason !== null && ui.text([`Reason: `, ui.own(reason)]),
      ui.text(`${money(payment.refundableCents - amountCents)} is left after that.`, { class: 'hint' }),
    ]),
  ]);
}
