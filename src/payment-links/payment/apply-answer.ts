import { newId } from '../../base/ids.ts';
import { fresh, type Scope } from '../../base/scope.ts';
import { transition } from '../../base/state-machine.ts';
import { LOCK_WAIT_MS } from '../../database/query/batch.ts';
import { rowJson } from '../../database/query/columns.ts';
import { sql } from '../../database/query/sql.ts';
import { inPlace } from '../../database/query/transaction.ts';
import type { Charge, PaymentSnapshot } from '../../processors/processor.ts';
import { deliveriesOf, deliveryRows, reportEvent, reportQueued } from '../../webhooks/events/publish.ts';
import { domainEventsOf } from '../link/change.ts';
import type { Decision } from '../link/decide.ts';
import { needsPatientRecord } from '../link/patients.ts';
import { anyLink, type ReadState, readStates } from '../link/read-states.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { type AttemptStatus, LINK } from '../model/transitions.ts';
import { applyPayment } from './apply-payment.ts';
import { closeAttempt } from './locked-attempt.ts';
import { type AttemptTerms, mismatchOf, paidOf, withReconciliation } from './payment-decision.ts';

/** Fields of an attempt from which the result of its submission follows. */
export type AttemptOutcome = Pick<PaymentAttempt, 'status' | 'closedAt' | 'reconcileAt'>;

/** Status of an attempt that is being submitted, unless a notification has overtaken the answer. */
const STATUS_BEFORE: AttemptStatus = 'open';

/**
 * Applies the processor's answer to a charge. The usual answer pays the link by one read and one write. Every other answer
 * takes the path of `applyPayment`. So does the usual one if anything changed since the read.
 *
 * @returns the attempt after the change; null for a payment that names no attempt of ours
 */
export async function applyAnswer(
  scope: Scope,
  charge: Charge,
  reference: string,
  snapshot: PaymentSnapshot,
): Promise<AttemptOutcome | null> {
  const paid = await inPlace(fresh(scope), (scope) => payLink(scope, charge, reference, snapshot));
  return paid ?? applyPayment(scope, charge.account, snapshot);
}

/** Pays the link of an open attempt. @returns null if the answer is another one, or out of date: nothing is written */
async function payLink(
  scope: Scope,
  charge: Charge,
  reference: string,
  snapshot: PaymentSnapshot,
): Promise<AttemptOutcome | null> {
  if (snapshot.state !== 'succeeded' || snapshot.attemptId !== charge.attemptId) return null;
  const [read] = await readStates(scope, [anyLink(charge.paymentLinkId)]);
  if (!read || !isUsual(read, charge)) return null;
  const link = { ...read.state.link };
  const attempt: AttemptTerms & AttemptOutcome = {
    id: charge.attemptId,
    processorAccountId: charge.account.id,
    processorReference: reference,
    methodType: charge.methodType,
    amountCents: charge.amountCents,
    currency: charge.currency,
    status: STATUS_BEFORE,
    closedAt: null,
    reconcileAt: null,
  };
  if (mismatchOf({ attempt, link, transaction: null }, charge.account, snapshot) !== null) return null;
  if (!closeAttempt(scope, { link, attempt }, 'accept')) return null;
  const decide = withReconciliation(scope.clock, paidOf(scope.clock, attempt, snapshot));
  const isWritten = await write(scope, read, decide({ ...read.state, link }), attempt);
  return isWritten ? attempt : null;
}

/** Returns true if the link waits for the payment of this attempt, and nothing has to be reported about it. */
function isUsual({ state: { link, transaction } }: ReadState, { attemptId }: Charge): boolean {
  return link.openAttemptId === attemptId && transaction === null && transition(LINK, link.status, 'pay') !== null;
}

/** Writes the decision with the attempt that it is based on. @returns false if it is out of date: nothing is written */
async function write(
  scope: Scope,
  read: ReadState,
  { state: { link, transaction }, events }: Decision,
  { status, closedAt, reconcileAt, id }: AttemptOutcome & Pick<AttemptTerms, 'id'>,
): Promise<boolean> {
  if (transaction === null) throw new Error('a payment makes a transaction');
  const now = scope.clock.now();
  const published = domainEventsOf(scope, events).map((event) => ({
    event,
    deliveries: deliveriesOf(event, read.endpoints),
  }));
  const queued = deliveryRows(
    published.flatMap((event) => event.deliveries),
    now,
  );
  const closing = { status: link.status, paidAt: link.paidAt, closedAt: link.closedAt, closedBy: link.closedBy };
  const [row] = await sql<{ outcome: 'changed' | 'stale' }>(
    scope.em,
    'select pay_link($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as outcome',
    [
      ...[link.id, read.version, read.subscriptions, rowJson(closing), rowJson(transaction)],
      ...[rowJson({ id, status, closedAt, reconcileAt }), STATUS_BEFORE],
      needsPatientRecord(link) ? newId('patient', now) : null,
      ...[JSON.stringify(queued), now, scope.clock.shared(), LOCK_WAIT_MS.fully],
    ],
    { keepPlan: true },
  );
  if (row?.outcome !== 'changed') return false;
  for (const { event, deliveries } of published) reportEvent(event, deliveries);
  reportQueued(() => queued);
  return true;
}
