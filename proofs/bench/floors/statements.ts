/*
 * Floors of everything that reads or changes a link: one hand-written statement each. A change leaves the same durable rows
 * behind as the service. Each updates the link and inserts what belongs to the change. It queues one delivery with its
 * payload per event and subscribed endpoint, and one wake-up per endpoint.
 *
 * Parameters of all changes: $1 the link's id, $2 the time, $3 ids of as many events as there may be.
 */

const LINK_JSON = (transaction: string) => `json_build_object('id', l.id, 'object', 'payment_link',
  'url', 'http://localhost/pay/' || l.token, 'status', l.status, 'test', l.test, 'amount', l.amount_cents / 100.0,
  'currency', l.currency, 'description', l.description, 'externalReference', l.external_reference,
  'metadata', l.metadata, 'patient', json_build_object('firstName', l.patient_first_name,
    'lastName', l.patient_last_name, 'phone', l.patient_phone, 'email', l.patient_email,
    'externalId', l.patient_external_id),
  'location', json_build_object('id', o.id, 'name', o.name), 'source', l.source, 'expiresAt', l.expires_at,
  'paidAt', l.paid_at, 'createdAt', l.created_at, 'transaction', ${transaction}, 'refunds', '[]'::json)`;

const TRANSACTION_JSON = (status: string) => `json_build_object('status', ${status}, 'amount', t.amount_cents / 100.0,
  'fee', t.fee_cents / 100.0, 'net', t.net_cents / 100.0, 'paymentMethodType', t.payment_method_type,
  'paymentMethodBrand', t.payment_method_brand, 'paymentMethodLast4', t.payment_method_last4,
  'receiptUrl', 'http://localhost/pay/' || l.token, 'processedAt', t.processed_at)`;

/** An event of a change: its type, and SQL expressions of what its payload shows. */
interface FloorEvent {
  type: string;
  /** Of the transaction `t`; null without one. */
  transactionStatus: string | null;
  context: string;
}

/**
 * Returns the whole statement. `changes` are common table expressions; one is named `link` and returns all columns of
 * the changed links. With a transaction, one is named `payment` and returns all of its columns.
 */
function change(changes: string, events: readonly FloorEvent[]): string {
  const hasPayment = events.some(({ transactionStatus }) => transactionStatus !== null);
  const shown = events.map(
    ({ type, transactionStatus, context }, order) => `
      select ${order} as place, '${type}' as type, l.practice_id, l.location_id, l.test, l.id as link_id,
        ${LINK_JSON(transactionStatus === null ? 'null' : TRANSACTION_JSON(transactionStatus))} as resource,
        ${context}::json as context
      from link l join locations o on o.id = l.location_id ${hasPayment ? 'join payment t on t.payment_link_id = l.id' : ''}`,
  );
  return `
    with ${changes},
    shown as materialized (${shown.join(' union all ')}),
    numbered as (
      select s.*, e.id as endpoint_id, row_number() over (order by s.place, s.link_id, e.id) as number
      from shown s join webhook_endpoints e on e.practice_id = s.practice_id and e.test = s.test
      where e.deleted_at is null and e.status = 'enabled'
        and (e.location_id is null or e.location_id = s.location_id)
        and (e.enabled_events = '{}' or s.type = any (e.enabled_events))
    ), queued as (
      insert into webhook_deliveries (id, practice_id, endpoint_id, payment_link_id, type, test, status, payload,
        delivery_run, rank, due_at, created_at)
      select i.id, practice_id, endpoint_id, link_id, type, test, 'pending',
        json_build_object('id', i.id, 'object', 'event', 'type', type, 'test', test, 'createdAt', $2::timestamptz,
          'data', json_build_object('paymentLink', resource, 'context', context))::text,
        'automatic', 0, $2, $2
      from numbered n join unnest($3::text[]) with ordinality as i (id, number) on i.number = n.number
      returning endpoint_id
    )
    select (select resource::text from shown order by place desc limit 1) as resource,
      (select count(pg_notify('webhooks_due', endpoint_id)) from (select distinct endpoint_id from queued) as endpoint) as wake_ups`;
}

/** Inserts the audit entry of an act of a key. */
const entry = (act: string) => `
  entry as (
    insert into audit_log (id, practice_id, actor_kind, actor_id, action, target_kind, target_id, address, before, after,
      created_at)
    select 'aud_' || gen_random_uuid(), practice_id, 'api_key', 'key_floor', 'link.${act}', 'payment_link', id, '10.0.0.1',
      '{"status":"active"}', json_build_object('status', status), $2
    from link
  )`;

const CANCEL = change(
  `link as (
     update payment_links set status = 'cancelled', closed_at = $2, closed_by = 'api'
     where id = $1 and status = 'active' returning *
   ), ${entry('cancelled')}`,
  [{ type: 'payment_link.cancelled', transactionStatus: null, context: `'{"triggeredBy":"api"}'` }],
);

const SIMULATE_PAID = change(
  `link as (
     update payment_links set status = 'paid', paid_at = $2, closed_at = $2, closed_by = 'simulated'
     where id = $1 and status = 'active' returning *
   ), payment as (
     insert into transactions (id, practice_id, payment_link_id, status, amount_cents, fee_cents, net_cents,
       payment_method_type, payment_method_brand, payment_method_last4, processed_at, created_at)
     select 'txn_' || substr(id, 7), practice_id, id, 'succeeded', amount_cents, 30, amount_cents - 30, 'card', 'visa',
       '4242', $2, $2
     from link returning *
   ), ${entry('simulated')}`,
  [{ type: 'payment_link.paid', transactionStatus: `'succeeded'`, context: `'{"triggeredBy":"simulated"}'` }],
);

/** First transaction of a refund: records it before the processor is asked, as BEGIN_ATTEMPT does a payment. $3 the refund's id. */
const BEGIN_REFUND = `
  with payment as (
    update transactions set status = 'refunded', reconcile_at = $2::timestamptz + interval '1 minute'
    where payment_link_id = $1 and status = 'succeeded' returning *
  )
  insert into refunds (id, practice_id, payment_link_id, transaction_id, test, paid_at, location_id, payment_method_type,
    amount_cents, status, reason, created_at)
  select $3, l.practice_id, l.id, p.id, l.test, l.paid_at, l.location_id, p.payment_method_type, p.amount_cents, 'pending',
    'overpaid', $2
  from payment p join payment_links l on l.id = p.payment_link_id`;

/** Second transaction: the processor's answer and its event. */
const REFUND = change(
  `link as (
     select * from payment_links where id = $1 for update
   ), payment as (
     update transactions set reconcile_at = $2::timestamptz + interval '1 day'
     where payment_link_id = $1 and status = 'refunded' returning *
   ), refund as (
     update refunds set status = 'succeeded', processor_reference = 'sbx_' || id
     where payment_link_id = $1 and status = 'pending'
   )`,
  [{ type: 'payment_link.refunded', transactionStatus: `'refunded'`, context: `'{"refundAmount":100}'` }],
);

/** Changes fields of a link; publishes nothing. $3 is the description. */
const UPDATE = `
  with link as (
    update payment_links set description = $3 where id = $1 and status = 'active' and $2::timestamptz is not null
    returning *
  ), ${entry('changed')}
  select ${LINK_JSON('null')}::text as resource from link l join locations o on o.id = l.location_id`;

/** Reads what the page of a link shows. $1 the token. */
const READ_PAGE = `
  select l.*, p.name as practice_name, p.phone as practice_phone, p.payments_enabled, p.bank_debits_enabled,
    o.name as location_name, o.city, o.state, o.time_zone, o.phone as location_phone,
    (select row_to_json(a) from payment_attempts a where a.payment_link_id = l.id
     order by a.created_at desc, a.id desc limit 1) as attempt,
    (select row_to_json(t) from transactions t where t.payment_link_id = l.id and t.status <> 'failed') as transaction
  from payment_links l join practices p on p.id = l.practice_id join locations o on o.id = l.location_id
  where l.token = $1`;

/** First transaction of a payment: inserts the attempt. $1 the token, $2 the time, $3 the attempt's id. */
const BEGIN_ATTEMPT = `
  with attempt as (
    insert into payment_attempts (id, practice_id, payment_link_id, status, processor, processor_account_id, method_type,
      amount_cents, currency, locale, address, created_at, reconcile_at)
    select $3, practice_id, id, 'open', 'sandbox', 'sandbox_' || practice_id, 'card', amount_cents, 'usd', 'en',
      '10.0.0.1', $2, $2::timestamptz + interval '3 minutes'
    from payment_links where token = $1 and status = 'active' and open_attempt_id is null for update
    returning id, payment_link_id
  )
  update payment_links l set open_attempt_id = attempt.id from attempt where l.id = attempt.payment_link_id
  returning l.id`;

/** Second transaction: stores the processor's reference. */
const STORE_REFERENCE = 'update payment_attempts set processor_reference = $2 where id = $1';

/** Third transaction: attempt, patient, link, transaction, event. $4 the attempt's id, $5 the patient's. */
const PAY = change(
  `attempt as (
     update payment_attempts set status = 'accepted', closed_at = $2, reconcile_at = null where id = $4
   ), patient as (
     insert into patients (id, practice_id, external_id, first_name, last_name, phone, email, created_at)
     select $5, practice_id, patient_external_id, patient_first_name, patient_last_name, patient_phone, patient_email, $2
     from payment_links where id = $1
   ), link as (
     update payment_links set status = 'paid', paid_at = $2, closed_at = $2, open_attempt_id = null, patient_id = $5
     where id = $1 and status = 'active' returning *
   ), payment as (
     insert into transactions (id, practice_id, payment_link_id, status, amount_cents, fee_cents, net_cents,
       payment_method_type, payment_method_brand, payment_method_last4, processed_at, statement_descriptor, attempt_id,
       reconcile_at, created_at)
     select 'txn_' || substr(id, 7), practice_id, id, 'succeeded', amount_cents, 30, amount_cents - 30, 'card', 'visa',
       '4242', $2, 'PAYLINKS SANDBOX', $4, $2::timestamptz + interval '1 day', $2
     from link returning *
   )`,
  [{ type: 'payment_link.paid', transactionStatus: `'succeeded'`, context: `'null'` }],
);

/** The four rows of a created link: the link, its audit entry, the day's count of its key, the stored reply. */
export const CREATE = `
  with cap as (
    insert into daily_link_counts as c (api_key_id, practice_id, day, created_count) values ($1, $4, $2::date, 1)
    on conflict (api_key_id, day) do update set created_count = c.created_count + 1
  ), link as (
    insert into payment_links (id, practice_id, location_id, test, token, status, source, amount_cents, currency,
      description, external_reference, metadata, patient_first_name, patient_last_name, patient_phone, patient_email,
      patient_external_id, expires_at, created_at)
    values ($3, $4, $5, false, $6, 'active', 'api', $7, 'usd', $8, $9, $10, $11, $12, $13, $14, $15, $16, $2)
  ), entry as (
    insert into audit_log (id, practice_id, actor_kind, actor_id, action, target_kind, target_id, address, after, created_at)
    values (replace($3, 'plink_', 'aud_'), $4, 'api_key', $1, 'link.created', 'payment_link', $3, '10.0.0.1',
      json_build_object('mode', 'live', 'amountCents', $7::integer, 'locationId', $5, 'expiresAt', $16::timestamptz), $2)
  )
  insert into idempotent_replies (api_key_id, practice_id, idempotency_key, body_hash, reply, created_at)
  values ($1, $4, $17, $18, $19, $2)`;

/** A link with what its resource shows of other tables. */
export const READ = `
  select l.*, o.name as location_name,
    (select row_to_json(t) from transactions t where t.payment_link_id = l.id and t.status <> 'failed') as transaction,
    (select coalesce(json_agg(r order by r.created_at), '[]') from refunds r where r.payment_link_id = l.id) as refunds
  from payment_links l join locations o on o.id = l.location_id
  where l.id = $1`;

/** The statements by the names under which connections prepare them. */
export const STATEMENTS = {
  CANCEL,
  SIMULATE_PAID,
  BEGIN_REFUND,
  REFUND,
  UPDATE,
  READ_PAGE,
  BEGIN_ATTEMPT,
  STORE_REFERENCE,
  PAY,
} as const;
