import { ApiError } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import type { Caller, Scope } from '../../base/scope.ts';
import { padded } from '../../database/query/plan-hints.ts';
import { sql } from '../../database/query/sql.ts';
import type { Subscription } from '../../webhooks/events/publish.ts';
import type { BankReversal } from '../model/bank-reversal.entity.ts';
import type { Dispute } from '../model/dispute.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import type { Refund } from '../model/refund.entity.ts';
import type { AttemptState, LinkState, TransactionState } from './state.ts';

/** A link to read, and its reader: a key that sees some links, or null for an operator, who sees all. */
export interface LinkRef {
  /** Id of the link, or of one of its payment attempts, which belongs to the state then. */
  id: string;
  reader: Pick<Caller, 'practiceId' | 'test' | 'locationId'> | null;
}

/** Returns the link as the key sees it: of its practice, mode and pin. Other links do not exist for the key. */
export function visibleLink(reader: Caller, id: string): LinkRef {
  return { id: linkId(id), reader };
}

/** Returns any link, for operators, and for hosted pages, whose token says which. */
export function anyLink(id: string): LinkRef {
  return { id: linkId(id), reader: null };
}

/** Returns the link of a payment attempt of ours. */
export function linkOfAttempt(attemptId: string): LinkRef {
  return { id: attemptId, reader: null };
}

/** @throws ApiError `not_found` for a text that is no id of a link; PostgreSQL would refuse some of them */
function linkId(text: string): string {
  if (!isId('paymentLink', text)) throw new ApiError('not_found');
  return text;
}

/** State of a link, without a lock, and what the write of a change compares it with. */
export interface ReadState {
  state: LinkState;
  /** Endpoints of the link's practice and mode. */
  endpoints: readonly Subscription[];
  /** The endpoints as the database wrote them. */
  subscriptions: string;
  /** True if the link is a test link and its practice has readers of test events. */
  hasReaders: boolean;
  /** The payment as refunds need it, as the SQL function `payment_for_refund` wrote it; null without one. */
  paymentForRefund: string | null;
}

/** Fields of a row as the database returns them: times are text. */
export type Texts<T> = { [K in keyof T]: Date extends T[K] ? Exclude<T[K], Date> | string : T[K] };

type Row = Texts<PaymentLink> & {
  locationName: string;
  attempts: Texts<AttemptState>[];
  transaction: Texts<TransactionState> | null;
  refunds: Texts<Refund>[];
  disputes: Texts<Dispute>[];
  reversals: Texts<BankReversal>[];
  place: string;
  subscriptions: string;
  hasReaders: boolean;
  paymentForRefund: string | null;
};

/** Only a paid link has a transaction. One statement reads what the unit of work reads in five. */
const READ = `
  select a.place, l.id, l.practice_id as "practiceId", l.location_id as "locationId", l.test, l.token, l.status, l.source,
    l.amount_cents as "amountCents", l.currency, l.description, l.external_reference as "externalReference", l.metadata,
    l.patient_id as "patientId", l.patient_first_name as "patientFirstName", l.patient_last_name as "patientLastName",
    l.patient_phone as "patientPhone", l.patient_email as "patientEmail",
    l.patient_external_id as "patientExternalId", l.expires_at as "expiresAt", l.paid_at as "paidAt",
    l.closed_at as "closedAt", l.closed_by as "closedBy", l.open_attempt_id as "openAttemptId",
    l.created_at as "createdAt", l.version, o.name as "locationName",
    (
      select coalesce(json_agg(subscription_of(w) order by w.id), '[]')::text from webhook_endpoints w
      where w.practice_id = l.practice_id and w.test = l.test and w.deleted_at is null
    ) as subscriptions,
    l.test and exists (select from test_event_readers r where r.practice_id = l.practice_id) as "hasReaders",
    case when l.status = 'paid' then (
      select json_build_object('id', t.id, 'practiceId', t.practice_id, 'paymentLinkId', t.payment_link_id,
        'status', t.status, 'amountCents', t.amount_cents, 'feeCents', t.fee_cents, 'netCents', t.net_cents,
        'paymentMethodType', t.payment_method_type, 'paymentMethodBrand', t.payment_method_brand,
        'paymentMethodLast4', t.payment_method_last4, 'failureReason', t.failure_reason,
        'processedAt', t.processed_at, 'statementDescriptor', t.statement_descriptor, 'attemptId', t.attempt_id,
        'reconcileAt', t.reconcile_at, 'createdAt', t.created_at)
      from transactions t where t.payment_link_id = l.id order by t.created_at desc, t.id desc limit 1
    ) end as transaction,
    (
      select coalesce(json_agg(json_build_object('id', t.id, 'practiceId', t.practice_id,
        'paymentLinkId', t.payment_link_id, 'status', t.status, 'processor', t.processor,
        'processorAccountId', t.processor_account_id, 'processorReference', t.processor_reference,
        'methodType', t.method_type, 'amountCents', t.amount_cents, 'currency', t.currency,
        'failureReason', t.failure_reason, 'createdAt', t.created_at, 'closedAt', t.closed_at,
        'reconcileAt', t.reconcile_at) order by t.created_at, t.id), '[]')
      from payment_attempts t where t.payment_link_id = l.id
        and (t.closed_at is null or t.reconcile_at is not null or t.status = 'accepted' or t.id = a.id)
    ) as attempts,
    case when l.status = 'paid' then (
      select coalesce(json_agg(json_build_object('id', r.id, 'practiceId', r.practice_id,
        'paymentLinkId', r.payment_link_id, 'transactionId', r.transaction_id, 'amountCents', r.amount_cents,
        'status', r.status, 'reason', r.reason, 'processorReference', r.processor_reference,
        'bankReversalId', r.bank_reversal_id, 'createdAt', r.created_at) order by r.created_at, r.id), '[]')
      from refunds r where r.payment_link_id = l.id
    ) else '[]' end as refunds,
    case when l.status = 'paid' then (
      select coalesce(json_agg(json_build_object('id', d.id, 'practiceId', d.practice_id,
        'paymentLinkId', d.payment_link_id, 'transactionId', d.transaction_id, 'status', d.status,
        'amountCents', d.amount_cents, 'reason', d.reason, 'evidenceDueBy', d.evidence_due_by,
        'processorReference', d.processor_reference, 'createdAt', d.created_at, 'closedAt', d.closed_at)
        order by d.created_at, d.id), '[]')
      from disputes d where d.payment_link_id = l.id
    ) else '[]' end as disputes,
    case when l.status = 'paid' then (
      select coalesce(json_agg(json_build_object('id', b.id, 'practiceId', b.practice_id,
        'paymentLinkId', b.payment_link_id, 'transactionId', b.transaction_id,
        'processorReference', b.processor_reference, 'amountCents', b.amount_cents, 'createdAt', b.created_at)
        order by b.created_at, b.id), '[]')
      from bank_reversals b where b.payment_link_id = l.id
    ) else '[]' end as reversals,
    case when l.status = 'paid' then payment_for_refund(l.id) end as "paymentForRefund"
  from unnest($1::text[], $2::boolean[], $3::text[], $4::boolean[], $5::text[])
    with ordinality as a (id, sees_all, practice_id, test, location_id, place)
    join payment_links l on l.id = case when a.id like 'att\\_%'
      then (select payment_link_id from payment_attempts where id = a.id) else a.id end and (a.sees_all or (l.practice_id = a.practice_id and l.test = a.test
      and (a.location_id is null or l.location_id = a.location_id)))
    join locations o on o.id = l.location_id`;

/** Largest number of links of one statement. Every call has arrays of this length (`padded`), also one for a single link. */
export const MAX_LINKS = 32;

/**
 * Reads the states of at most `MAX_LINKS` links in one statement, without locks.
 *
 * @returns one state per link, in their order; null for a link that does not exist or that its reader must not see
 */
export async function readStates(scope: Scope, links: readonly LinkRef[]): Promise<(ReadState | null)[]> {
  const rows = await sql<Row>(
    scope.em,
    READ,
    [
      padded(links, MAX_LINKS, ({ id }) => id),
      padded(links, MAX_LINKS, ({ reader }) => String(reader === null)),
      padded(links, MAX_LINKS, ({ reader }) => reader?.practiceId ?? null),
      padded(links, MAX_LINKS, ({ reader }) => (reader === null ? null : String(reader.test))),
      padded(links, MAX_LINKS, ({ reader }) => reader?.locationId ?? null),
    ],
    { keepPlan: true },
  );
  const states = new Map(rows.map((row) => [Number(row.place), stateOf(row)]));
  return links.map((_, index) => states.get(index + 1) ?? null);
}

function stateOf(row: Row): ReadState {
  const { place: _, locationName, transaction, attempts, refunds, disputes, reversals, ...rest } = row;
  const { subscriptions, hasReaders, paymentForRefund, ...link } = rest;
  return {
    state: {
      link: withTimes<PaymentLink>(link),
      location: { id: link.locationId, name: locationName },
      attempts: attempts.map(withTimes<AttemptState>),
      transaction: transaction === null ? null : withTimes<TransactionState>(transaction),
      refunds: refunds.map(withTimes<Refund>),
      disputes: disputes.map(withTimes<Dispute>),
      reversals: reversals.map(withTimes<BankReversal>),
    },
    // The SQL function `subscription_of` makes these objects.
    endpoints: JSON.parse(subscriptions) as Subscription[],
    subscriptions,
    hasReaders,
    paymentForRefund,
  };
}

/** Properties of states that are times. */
const TIMES: ReadonlySet<string> = new Set([
  ...(['createdAt', 'expiresAt', 'paidAt', 'closedAt', 'processedAt', 'reconcileAt', 'evidenceDueBy'] as const),
]);

/** Returns the row with times in place of their texts. */
function withTimes<T extends object>(row: Texts<T>): T {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    TIMES.has(name) && typeof value === 'string' ? new Date(value) : value,
  ]);
  // The names of all times are known, and no other value changes.
  return Object.fromEntries(entries) as T;
}

/** Returns the time that a column's text says. */
export function timeOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
