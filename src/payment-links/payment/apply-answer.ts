import { newId } from '../../base/ids.ts';
import { fresh, type Scope } from '../../base/scope.ts';
import { BUSY, batched, LOCK_WAIT_MS, type LockWait, REQUEST_LIMITS } from '../../database/query/batch.ts';
import { rowJson } from '../../database/query/columns.ts';
import { isLockTimeout } from '../../database/query/errors.ts';
import { sql } from '../../database/query/sql.ts';
import { inPlace } from '../../database/query/transaction.ts';
import type { Charge, PaymentSnapshot } from '../../processors/processor.ts';
import { deliveriesOf, deliveryRows, reportEvent, reportQueued } from '../../webhooks/events/publish.ts';
import { domainEventsOf, sendReports } from '../link/change.ts';
import { needsPatientRecord } from '../link/patients.ts';
import { anyLink, MAX_LINKS, type ReadState, readStates } from '../link/read-states.ts';
import type { AttemptState, Decision } from '../link/state.ts';
import type { AttemptStatus } from '../model/transitions.ts';
import { applyPayment } from './apply-payment.ts';
import { attemptOf } from './attempt-decision.ts';
import { paymentReported } from './payment-decision.ts';

/** Fields of an attempt from which the result of its submission follows. */
export type AttemptOutcome = Pick<AttemptState, 'status' | 'closedAt' | 'reconcileAt'>;

/** Status of an attempt that is being submitted, unless a notification has overtaken the answer. */
const STATUS_BEFORE: AttemptStatus = 'open';

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

/** Decision that a link is paid by an attempt, and the state on which it is based. */
interface Payment {
  read: ReadState;
  decision: Decision;
  attempt: AttemptState;
}

/** Pays the links of open attempts by one read and one write. A result of null wrote nothing: it needs `applyPayment`. */
async function payLinks(
  answers: readonly ScopedAnswer[],
  wait: LockWait,
): Promise<(AttemptOutcome | null | typeof BUSY)[]> {
  const [first] = answers;
  if (first === undefined) return [];
  const { scope } = first;
  const reads = await readStates(
    scope,
    answers.map(({ answer }) => anyLink(answer.charge.paymentLinkId)),
  );
  // A link waits for one attempt only. So no two payments of a batch have the same link.
  const payments = answers.map(({ scope, answer }, index) => paymentOf(scope, answer, reads[index] ?? null));
  const outcomes = await write(
    scope,
    payments.filter((payment) => payment !== null),
    wait,
  );
  return payments.map((payment) => {
    if (payment === null) return null;
    const outcome = outcomes.get(payment);
    if (outcome === 'busy') return BUSY;
    return outcome === 'changed' ? payment.attempt : null;
  });
}

/** Decides on the payment. @returns null if the link does not wait for it, or if anything has to be reported about it */
function paymentOf(scope: Scope, { charge, snapshot }: ChargeAnswer, read: ReadState | null): Payment | null {
  const before = read?.state.attempts.find(({ id }) => id === charge.attemptId);
  // `pay_links` compares this status.
  if (read === null || before?.status !== STATUS_BEFORE || read.state.transaction !== null) return null;
  const decision = paymentReported(read.state, before.id, charge.account, snapshot, scope.clock.now());
  const isUsual = decision.state.transaction !== null && decision.mails.length === 0;
  return isUsual ? { read, decision, attempt: attemptOf(decision.state, before.id) } : null;
}

/** Outcomes of `pay_links`; the comment of the function explains them. */
type Outcome = 'changed' | 'stale' | 'busy';

/** Writes the payments with their attempts, by one statement. Returns the outcome of each. */
async function write(scope: Scope, payments: readonly Payment[], wait: LockWait): Promise<Map<Payment, Outcome>> {
  if (payments.length === 0) return new Map();
  const now = scope.clock.now();
  const published = payments.flatMap((payment) =>
    domainEventsOf(scope, payment.decision.events).map((event) => ({
      ...{ payment, event },
      deliveries: deliveriesOf(event, payment.read.endpoints),
    })),
  );
  const rows = payments.map(rowOf);
  const eventRows = deliveryRows(
    published.flatMap((event) => event.deliveries),
    now,
  );
  const outcomes = await sql<{ outcome: Outcome }>(
    scope.em,
    'select * from pay_links($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) as outcome',
    [
      rows.map(({ link }) => link.id),
      ...[payments.map(({ read }) => String(read.state.link.version)), payments.map(({ read }) => read.subscriptions)],
      ...[rows.map(({ closing }) => closing), rows.map(({ transaction }) => transaction)],
      rows.map(({ attempt }) => attempt),
      rows.map(({ link }) => (needsPatientRecord(link) ? newId('patient', now) : null)),
      ...[STATUS_BEFORE, JSON.stringify(eventRows), now, scope.clock.shared()],
      ...[LOCK_WAIT_MS[wait], wait === 'never'],
    ],
    { keepPlan: true },
  );
  const written = new Map(
    payments.map((payment, index) => {
      const outcome = outcomes[index]?.outcome;
      if (outcome === undefined) throw new Error('pay_links returns an outcome for each link');
      return [payment, outcome];
    }),
  );
  for (const { payment, event, deliveries } of published) {
    if (written.get(payment) === 'changed') reportEvent(event, deliveries);
  }
  for (const [{ decision }, outcome] of written) {
    if (outcome === 'changed') sendReports(scope, decision.reports);
  }
  reportQueued(() => {
    const changed = payments.filter((payment) => written.get(payment) === 'changed');
    const linkIds = new Set(changed.map(({ read }) => read.state.link.id));
    return eventRows.filter(({ payment_link_id: id }) => id !== null && linkIds.has(id));
  });
  return written;
}

/** Returns what `pay_links` writes for the payment. */
function rowOf({ decision, attempt: { id, status, closedAt, reconcileAt } }: Payment) {
  const { link, transaction } = decision.state;
  if (transaction === null) throw new Error('the decision to pay has no transaction');
  const closing = { status: link.status, paidAt: link.paidAt, closedAt: link.closedAt, closedBy: link.closedBy };
  return {
    link,
    closing: rowJson(closing),
    transaction: rowJson(transaction),
    attempt: rowJson({ id, status, closedAt, reconcileAt }),
  };
}
