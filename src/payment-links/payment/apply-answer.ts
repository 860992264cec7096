import { fresh, type Scope } from '../../base/scope.ts';
import { BUSY, batched, type LockWait, REQUEST_LIMITS } from '../../database/query/batch.ts';
import { isLockTimeout } from '../../database/query/errors.ts';
import { inPlace } from '../../database/query/transaction.ts';
import type { Charge, PaymentSnapshot } from '../../processors/processor.ts';
import { anyLink, MAX_LINKS, type ReadState, readStates } from '../link/read-states.ts';
import type { AttemptState } from '../link/state.ts';
import { type LinkWrite, writeLinks } from '../link/write-links.ts';
import { applyPayment } from './apply-payment.ts';
import { attemptOf } from './attempt-decision.ts';
import { paymentReported } from './payment-decision.ts';

/** Fields of an attempt from which the result of its submission follows. */
export type AttemptOutcome = Pick<AttemptState, 'status' | 'closedAt' | 'reconcileAt'>;

/** Answer of the processor to a charge. */
export interface ChargeAnswer {
  charge: Charge;
  snapshot: PaymentSnapshot;
}

/**
 * Applies the processor's answer to a charge. The usual answer pays the link by one read and one write. Every other answer
 * takes the path of `applyPayment`. So does the usual one if anything changed since the read.
 *
 * @returns the attempt after the change; null for a payment that names no attempt of ours
 */
export type ApplyAnswer = (scope: Scope, answer: ChargeAnswer) => Promise<AttemptOutcome | null>;

/**
 * Creates the function that applies the answers of one process. Answers that arrive together share statements. An answer
 * whose rows are locked waits in a transaction of `applyPayment`, which takes a place of the practice's limiter. It never
 * waits in a lane: the money is taken, and what others wait for must not make it fail.
 */
export function createAnswerApplier(): ApplyAnswer {
  const pay = batched(payUnlockedLinks, {
    ...REQUEST_LIMITS,
    size: MAX_LINKS,
    laneOf: ({ answer }: ScopedAnswer) => answer.charge.paymentLinkId,
    lanes: { places: 1, maxWaitMs: 0 },
  });
  return (scope, answer) => apply(scope, answer, (scope) => pay({ scope, answer }));
}

/** Applies one answer at once, by statements of its own. It takes a place of the practice's limiter, if there is one. */
export const applyAnswerAlone: ApplyAnswer = (scope, answer) =>
  apply(scope, answer, (scope) =>
    inPlace(scope, async (scope) => {
      const [paid] = await payLinks([{ scope, answer }], 'fully');
      return paid === undefined || paid === BUSY ? null : paid;
    }),
  );

async function apply(
  scope: Scope,
  { charge, snapshot }: ChargeAnswer,
  pay: (scope: Scope) => Promise<AttemptOutcome | null>,
): Promise<AttemptOutcome | null> {
  const isUsual = snapshot.state === 'succeeded' && snapshot.attemptId === charge.attemptId;
  const paid = isUsual ? await pay(fresh(scope)) : null;
  return paid ?? (await applyPayment(scope, charge.account, snapshot))?.attempt ?? null;
}

interface ScopedAnswer {
  scope: Scope;
  answer: ChargeAnswer;
}

/** Pays the links that nobody has locked. A result of null wrote nothing: it needs `applyPayment`. */
async function payUnlockedLinks(answers: readonly ScopedAnswer[], wait: LockWait): Promise<(AttemptOutcome | null)[]> {
  try {
    return (await payLinks(answers, wait)).map((paid) => (paid === BUSY ? null : paid));
  } catch (error) {
    // Several answers are tried again one by one.
    if (answers.length === 1 && isLockTimeout(error)) return [null];
    throw error;
  }
}

/** Decision that a link is paid by an attempt. */
interface Payment extends LinkWrite {
  attempt: AttemptState;
}

/** Pays the links of open attempts by one read and one write. A result of null wrote nothing: it needs `applyPayment`. */
async function payLinks(
  answers: readonly ScopedAnswer[],
  wait: LockWait,
): Promise<(AttemptOutcome | null | typeof BUSY)[]> {
  const [first] = answers;
  if (first === undefined) return [];
  const reads = await readStates(
    first.scope,
    answers.map(({ answer }) => anyLink(answer.charge.paymentLinkId)),
  );
  // A link waits for one attempt only. So no two payments of a batch have the same link.
  const payments = answers.map((answer, index) => paymentOf(answer, reads[index] ?? null));
  const writes = payments.filter((payment) => payment !== null);
  const outcomes = await writeLinks(writes, wait);
  return payments.map((payment) => {
    if (payment === null) return null;
    const outcome = outcomes[writes.indexOf(payment)];
    if (outcome === 'locked') return BUSY;
    return outcome === 'written' ? payment.attempt : null;
  });
}

/** Decides on the payment. @returns null if the link does not wait for it, or if anything has to be reported about it */
function paymentOf({ scope, answer: { charge, snapshot } }: ScopedAnswer, read: ReadState | null): Payment | null {
  const { attemptId, account } = charge;
  if (read === null || read.state.link.openAttemptId !== attemptId) return null;
  const decision = paymentReported(read.state, attemptId, account, snapshot, scope.clock.now());
  const isUsual = decision.state.transaction !== null && decision.mails.length === 0;
  return isUsual ? { scope, read, decision, acts: [], attempt: attemptOf(decision.state, attemptId) } : null;
}
