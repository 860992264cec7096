import { createHash } from 'node:crypto';
import { newId } from '../../platform/base/ids.ts';
import { CURRENCY } from '../../platform/base/money.ts';
import { fresh } from '../../platform/base/scope.ts';
import { type Account, type Charge, type PaymentIntention, ProcessorUnavailable } from '../../processors/processor.ts';
import { beginAttempt, recordReference } from '../decide/attempt-decision.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import {
  type AttemptOutcome,
  applyPayment,
  closeUnregistered,
  type PaymentScope,
  readAttempt,
  readOutcome,
} from '../payments/apply.ts';
import { checkPayability, findAccount, listMethods } from '../payments/payable.ts';
import { keepAlive } from '../payments/submission-mark.ts';
import { syncAttempt } from '../payments/sync.ts';
import { type AttemptState, requireAttempt } from '../state/state.ts';
import type { Decide } from '../store/change.ts';
import { attemptRef, type LinkRead, linkRef } from '../store/port.ts';
import { type PageData, readPage } from './page.ts';
import type { Submission, SubmitResult } from './port.ts';

/** Time until a recurring job asks about an attempt, longer than any answer of the processor can take. */
const FIRST_RECONCILE_MS = 180_000;

/** Tries to record an attempt. In each, another change came first. */
const MAX_TRIES = 10;

const RESULTS = { accepted: 'accepted', failed: 'declined', cancelled: 'cancelled' } as const;

/**
 * Pays a link step by step. No lock is taken while the processor is asked.
 *
 * 1. The link is read and checked. If it has not changed since, a change records the attempt.
 * 2. The processor begins the payment. A change records its reference, unless the attempt was cancelled.
 * 3. The processor charges the payment with that reference. If its answer is lost, we ask for the payment's state.
 * 4. A change applies the answer. Like the one before, it starts from the state that the last one left.
 *
 * If a process dies in between, the attempt stays open: the link cannot be paid, and a recurring job asks the processor.
 */
export async function submitPayment(
  scope: PaymentScope,
  token: string,
  submission: Submission,
  page?: PageData,
): Promise<SubmitResult> {
  const record = await recordAttempt(fresh(scope), token, submission, page);
  if (typeof record === 'string') return record;
  const { intent, charge } = record;
  await using alive = keepAlive(scope, intent.attemptId);
  const payment = await beginAtProcessor(scope, record);
  if (payment === null) return readResult(scope, intent.attemptId);
  const attempt = await chargeAtProcessor(scope, charge, payment);
  if (attempt.closedAt !== null) alive.leave();
  return chooseResult(attempt);
}

interface RecordedAttempt {
  intent: PaymentIntention;
  charge: Charge;
  /** The link as the last change left it. */
  priorRead: LinkRead | null;
}

type BegunPayment = Pick<RecordedAttempt, 'priorRead'> & { reference: string };

/**
 * Begins the attempt's payment at the processor, and records its reference. Only then may the attempt be confirmed. Returns null if the
 * attempt is closed: the processor refused it or did not answer, or it was cancelled.
 */
export async function beginAtProcessor(
  scope: PaymentScope,
  { intent, priorRead }: Pick<RecordedAttempt, 'intent' | 'priorRead'>,
): Promise<BegunPayment | null> {
  const { attemptId } = intent;
  try {
    const reference = await scope.processor.begin(intent);
    if (reference === null) {
      await closeUnregistered(scope, attemptId, 'fail');
      return null;
    }
    const decide: Decide = (draft) => recordReference(draft, attemptId, reference);
    const { after, nextRead } = await scope.change(fresh(scope), attemptRef(attemptId), decide, { priorRead });
    if (requireAttempt(after, attemptId).processorReference === reference) return { reference, priorRead: nextRead };
    await scope.processor.cancel(intent.account, reference);
  } catch (err) {
    if (!(err instanceof ProcessorUnavailable)) throw err;
    scope.log.warn({ err, attemptId }, 'the processor could not begin a payment');
    await closeUnregistered(scope, attemptId, 'cancel');
  }
  return null;
}

/** Charges a payment that was begun, and applies the answer. If it is lost, asks for the payment's state. */
export async function chargeAtProcessor(
  scope: PaymentScope,
  charge: Charge,
  { reference, priorRead }: BegunPayment,
): Promise<AttemptState> {
  const { attemptId } = charge;
  try {
    const snapshot = await scope.processor.confirm(charge, reference);
    const change = await applyPayment(scope, charge.account, snapshot, priorRead);
    if (change !== null) return change.attempt;
  } catch (err) {
    if (!(err instanceof ProcessorUnavailable)) throw err;
    scope.log.warn({ err, attemptId }, 'no answer to a charge; asking for the state of the payment');
    await syncAttempt(scope, await readAttempt(scope, attemptId)).catch((err) => {
      if (!(err instanceof ProcessorUnavailable)) throw err;
    });
  }
  return readAttempt(scope, attemptId);
}

/** Returns the result of an attempt so far. Without an outcome it counts as accepted, because money may have been taken. */
export async function readResult(scope: PaymentScope, attemptId: string): Promise<SubmitResult> {
  return chooseResult(await readAttempt(scope, attemptId));
}

function chooseResult(attempt: AttemptOutcome): SubmitResult {
  if (attempt.status === 'requires_action') return 'requires_action';
  const outcome = readOutcome(attempt);
  return outcome === null ? 'accepted' : RESULTS[outcome];
}

/** Records the attempt if the link can be paid and is still as it was read. Returns the reason if it cannot be paid. */
async function recordAttempt(
  scope: PaymentScope,
  token: string,
  submission: Submission,
  page?: PageData,
): Promise<RecordedAttempt | SubmitResult> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const data = (tries === 0 ? page : undefined) ?? (await readPage(scope, token));
    if (data === null || data.link.test) return 'not_payable';
    const { link, practice } = data;
    const payability = checkPayability(scope.processor, link, practice, data, scope.clock.now());
    const account = findAccount(scope.processor, practice);
    if (payability === 'throttled') return 'try_later';
    const isAuthorised = submission.methodType === 'card' || submission.authorisationText !== null;
    if (payability !== 'payable' || account === null || !isAuthorised) return 'not_payable';
    if (!listMethods(practice).includes(submission.methodType)) return 'not_payable';
    if (link.amountCents !== submission.amountCents) return 'amount_changed';
    const attempt = newAttempt(scope, link, account, submission);
    const record = await scope.change(fresh(scope), linkRef(link.id), (draft) =>
      beginAttempt(draft, link.version, attempt),
    );
    if (record.after.link.openAttemptId !== attempt.id) continue;
    const { amountCents, currency, methodType } = attempt;
    const { statementDescriptorSuffix } = practice;
    const ids = { account, attemptId: attempt.id, paymentLinkId: link.id };
    const intent = { ...ids, amountCents, currency, methodType, statementDescriptorSuffix };
    const charge = {
      ...intent,
      methodToken: submission.methodToken,
      returnUrl: `${scope.publicUrl}/pay/${token}?lang=${submission.locale}`,
      customerAddress: submission.address,
      customerUserAgent: submission.userAgent,
    };
    return { intent, charge, priorRead: record.nextRead };
  }
  return 'try_later';
}

function newAttempt(
  { clock, processor }: PaymentScope,
  link: PageData['link'],
  account: Account,
  { locale, address, authorisationText, methodType, amountCents }: Submission,
): PaymentAttempt {
  const now = clock.now();
  const hash = authorisationText === null ? null : createHash('sha256').update(authorisationText).digest();
  return {
    id: newId('paymentAttempt', now),
    practiceId: link.practiceId,
    paymentLinkId: link.id,
    status: 'open',
    processor: processor.name,
    processorAccountId: account.id,
    processorReference: null,
    methodType,
    amountCents,
    currency: CURRENCY,
    failureReason: null,
    locale,
    address,
    authorisationText,
    authorisationHash: hash,
    createdAt: now,
    closedAt: null,
    reconcileAt: new Date(now.getTime() + FIRST_RECONCILE_MS),
  };
}
