import { ApiError } from '../../base/errors.ts';
import type { Scope } from '../../base/scope.ts';
import { LOCK_WAIT_MS } from '../../database/query/batch.ts';
import { rowJson } from '../../database/query/columns.ts';
import { sql } from '../../database/query/sql.ts';
import { deliveriesOf, deliveryRows, reportEvent, reportQueued, testEventRows } from '../../webhooks/events/publish.ts';
import { domainEventsOf } from '../link/change.ts';
import { anyLink, type ReadState, readStates } from '../link/read-states.ts';
import { reportPayment } from '../link/report-payment.ts';
import type { Decision } from '../link/state.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import type { Refund } from '../model/refund.entity.ts';
import type { Transaction } from '../model/transaction.entity.ts';

/*
 * Refunds of practices and operators, by one read and one write without a lock in between, as other changes of links
 * (`link/optimistic-change.ts`). Refunds that a processor reports take `apply-refunds.ts`, in a transaction.
 */

/**
 * A payment as refunds need it: the object of the SQL function `payment_for_refund`, without its row versions, which only
 * `refund_link` compares.
 */
interface RefundablePayment {
  /** The attempt that made the payment; null when simulated. */
  attempt: Pick<PaymentAttempt, 'id' | 'processor' | 'processorAccountId' | 'processorReference'> | null;
  refunds: readonly Pick<Refund, 'id' | 'processorReference'>[];
  hasReversals: boolean;
}

/** A link with its payment, without a lock. */
export interface ReadPayment {
  read: ReadState;
  /** Null for a link that is not paid. */
  payment: RefundablePayment | null;
}

/** Reads a link with its payment. @throws ApiError `not_found` */
export async function readPayment(scope: Scope, linkId: string): Promise<ReadPayment> {
  const [read] = await readStates(scope, [anyLink(linkId)]);
  if (read === undefined || read === null) throw new ApiError('not_found');
  const { paymentForRefund } = read;
  return { read, payment: paymentForRefund === null ? null : (JSON.parse(paymentForRefund) as RefundablePayment) };
}

/** Rows and events that a refund writes. */
interface RefundChange {
  /** A new refund. */
  recorded?: Refund;
  /** A recorded refund that succeeded. */
  succeeded?: Pick<Refund, 'id' | 'status' | 'processorReference'>;
  /** The transaction after the change. */
  transaction?: Pick<Transaction, 'id' | 'status' | 'reconcileAt'>;
  events?: Decision['events'];
  /** Rows of the audit log. */
  acts?: readonly object[];
}

/** Outcomes of `refund_link`; the comment of the function explains them. */
type Outcome = 'changed' | 'stale' | 'taken';

/** Writes a change of a link, if nothing has changed since it was read. Publishes its events. */
export async function writeRefund(
  scope: Scope,
  { read }: ReadPayment,
  { recorded, succeeded, transaction, events = [], acts = [] }: RefundChange,
): Promise<Outcome> {
  const now = scope.clock.now();
  const published = domainEventsOf(scope, events).map((event) => ({
    ...{ event, deliveries: deliveriesOf(event, read.endpoints) },
  }));
  const testEvents = read.hasReaders ? published.map(({ event }) => event) : [];
  const deliveries = published.flatMap((event) => event.deliveries);
  const eventRows = [...deliveryRows(deliveries, now), ...testEventRows(testEvents, now)];
  const row = (fields: object | undefined) => (fields === undefined ? null : rowJson(fields));
  const reconciled = transaction && {
    id: transaction.id,
    status: transaction.status,
    reconcileAt: transaction.reconcileAt,
  };
  const [written] = await sql<{ outcome: Outcome }>(
    scope.em,
    'select refund_link($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) as outcome',
    [
      ...[read.state.link.id, read.paymentForRefund, events.length === 0 ? null : read.subscriptions],
      ...[row(recorded), row(succeeded), row(reconciled)],
      ...[JSON.stringify(acts), JSON.stringify(eventRows), now, scope.clock.shared(), LOCK_WAIT_MS.fully],
    ],
    { keepPlan: true },
  );
  if (written === undefined) throw new Error('refund_link returns an outcome');
  if (written.outcome !== 'changed') return written.outcome;
  for (const { event, deliveries } of published) reportEvent(event, deliveries);
  const { link, transaction: before } = read.state;
  if (transaction !== undefined) reportPayment(link, before, [transaction]);
  reportQueued(() => eventRows);
  return 'changed';
}
