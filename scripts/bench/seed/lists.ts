import type pg from 'pg';
import { eventData } from './sample-data.ts';
import type { SeededEndpoint, SeededPractice } from './seed.ts';

/*
 * Lists of very many rows. Triggers and checks of foreign keys are switched off while rows are inserted.
 */

/** Returns the id of the link with a number. The first one of `seedLinks` has `firstNumber + 1`. */
export function linkId(number: number): string {
  return `plink_${number.toString(16).padStart(26, '0')}`;
}

/** Links of one practice over two years: 60 % paid, with their payments, the rest active, expired or cancelled. */
export async function seedLinks(
  admin: pg.Pool,
  practice: SeededPractice,
  count: number,
  firstNumber: number,
  say: (text: string) => void = () => undefined,
): Promise<void> {
  const client = await admin.connect();
  try {
    await client.query('begin');
    // Foreign keys are known to be satisfied here; checking a million of them would take most of the time.
    await client.query('set local session_replication_role = replica');
    await inParts(count, say, 'links', (part, from) =>
      client.query(LINKS, [practice.id, practice.locationIds, count, firstNumber, ...[from, from + part]]),
    );
    for (const statement of [TRANSACTIONS, REFUNDS, DISPUTES]) await client.query(statement, [practice.id]);
    await client.query('commit');
    say('analyzing them');
    await client.query('vacuum analyze payment_links, transactions, refunds, disputes');
  } finally {
    client.release();
  }
}

/** Deliveries of one practice over 90 days: most delivered, one in a hundred exhausted, the newest waiting. */
export async function seedHistory(
  admin: pg.Pool,
  practice: SeededPractice,
  endpoints: readonly SeededEndpoint[],
  count: number,
  firstNumber: number,
  say: (text: string) => void = () => undefined,
): Promise<void> {
  const client = await admin.connect();
  try {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    const own = endpoints.filter(({ practice_id }) => practice_id === practice.id).map(({ id }) => id);
    await inParts(count, say, 'deliveries', (part, from) =>
      client.query(DELIVERIES, [practice.id, own, count, firstNumber, ...[from, from + part]]),
    );
    await client.query('commit');
    say('analyzing them');
    await client.query('vacuum analyze webhook_deliveries');
  } finally {
    client.release();
  }
}

/** Gives exhausted deliveries their payload and the eight attempts of a delivery run. */
export async function seedAttempts(admin: pg.Pool, deliveryIds: readonly string[]): Promise<void> {
  const payload = JSON.stringify({ object: 'event', type: 'payment_link.paid', data: eventData(0) });
  await admin.query(
    `update webhook_deliveries set payload = $2, run_attempts = 8, attempt_count = 8, last_attempt_at = created_at,
       last_response_status = 500, last_error = 'http_status' where id = any ($1)`,
    [deliveryIds, payload],
  );
  await admin.query(
    `insert into webhook_attempts (delivery_id, practice_id, number, endpoint_id, started_at, duration_ms, response_status, error,
       lease_epoch)
     select d.id, practice_id, n, endpoint_id, created_at, 12, 500, 'http_status', 0
     from webhook_deliveries d, generate_series(1, 8) as n where d.id = any ($1)`,
    [deliveryIds],
  );
}

const PART = 250_000;

/** Inserts in parts, so that a person who waits sees how it goes on. */
async function inParts(
  count: number,
  say: (text: string) => void,
  rows: string,
  insert: (part: number, from: number) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < count; from += PART) {
    const part = Math.min(PART, count - from);
    await insert(part, from);
    say(`${(from + part).toLocaleString('en-US')} ${rows}`);
  }
}

const LINKS = `
  insert into payment_links (id, practice_id, location_id, test, token, status, source, amount_cents, currency,
    description, external_reference, patient_first_name, patient_last_name, patient_external_id, expires_at, paid_at, closed_at, created_at)
  select 'plink_' || lpad(to_hex($4::bigint + n), 26, '0'), $1, ($2::text[])[1 + n % cardinality($2::text[])], false,
    'token-' || ($4::bigint + n), status, 'api', 100 + n % 90000, 'usd', 'Cleaning and two fillings',
    case when n % 2 = 0 then 'visit-' || n / 4 else 'plan' end,
    (array['Ada', 'Grace', 'José', 'Lucía', 'Rosalind', 'Mei', 'Omar'])[1 + n % 7],
    (array['Byron', 'García', 'Hopper', 'Okafor', 'Franklin', 'Chen', 'Haddad', 'Ramírez', 'Lovelace', 'Núñez',
      'Miller', 'Smith', 'Johnson', 'Nguyen', 'Brown', 'Davis', 'Wilson', 'Moore', 'Taylor'])[1 + n % 19],
    case when n % 4 = 0 then 'chart-' || n / 8 end,
    case status when 'active' then now() + interval '30 days' else created_at + interval '30 days' end,
    case status when 'paid' then created_at + interval '1 day' end,
    case when status <> 'active' then created_at + interval '1 day' end, created_at
  from generate_series($5::integer + 1, $6::integer) as n,
    lateral (select case when n % 20 < 12 then 'paid' when n % 20 < 15 then 'active' when n % 20 < 18 then 'expired'
        else 'cancelled' end as status,
      date_trunc('milliseconds', now() - interval '2 years' * (1 - n::float / $3::integer)) as created_at) as of_link`;

/** One in five payments is a bank debit. The newest debits are pending, and one in two hundred debits was returned. */
const TRANSACTIONS = `
  insert into transactions (id, practice_id, payment_link_id, status, amount_cents, fee_cents, net_cents,
    payment_method_type, payment_method_brand, payment_method_last4, failure_reason, processed_at, created_at)
  select 'txn_' || substr(id, 7), practice_id, id, status, amount_cents, fee, amount_cents - fee,
    case when is_debit then 'us_bank_account' else 'card' end, case when is_debit then 'STRIPE TEST BANK' else 'visa' end,
    '4242', case when status = 'failed' then 'insufficient_funds' end, case when status <> 'pending' then paid_at end,
    paid_at
  from (
    select row_number() over (order by created_at, id) as number, id, practice_id, amount_cents, paid_at,
      30 + amount_cents / 35 as fee
    from payment_links where practice_id = $1 and status = 'paid'
  ) as of_link, lateral (select number % 5 = 0 as is_debit) as of_method, lateral (
    select case when number % 1000 = 0 then 'failed' when is_debit and paid_at > now() - interval '4 days' then 'pending'
      when number % 100 = 1 then 'refunded' else 'succeeded' end as status) as of_status`;

/** Refunds of one payment in a hundred, by staff. */
const REFUNDS = `
  insert into refunds (id, practice_id, payment_link_id, transaction_id, amount_cents, status, reason, created_at, test,
    paid_at, location_id, payment_method_type)
  select 're_' || substr(id, 5), practice_id, payment_link_id, id, amount_cents, 'succeeded', 'requested_by_patient',
    created_at + interval '1 minute', false, created_at,
    (select location_id from payment_links l where l.id = payment_link_id), payment_method_type
  from transactions where practice_id = $1 and status = 'refunded'`;

/** Disputes of one payment in a thousand. Those of the last weeks are open, half of the others were lost. */
const DISPUTES = `
  insert into disputes (id, practice_id, payment_link_id, transaction_id, status, amount_cents, reason, evidence_due_by,
    created_at, closed_at, test, paid_at, location_id, payment_method_type)
  select 'dp_' || substr(id, 5), practice_id, payment_link_id, id, outcome, amount_cents, 'product_not_received',
    created_at + interval '20 days', created_at, case when outcome <> 'open' then created_at + interval '15 days' end,
    false, created_at, (select location_id from payment_links l where l.id = payment_link_id), payment_method_type
  from (
    select *, row_number() over (order by created_at, id) as number
    from transactions where practice_id = $1 and status = 'succeeded'
  ) as of_payment, lateral (
    select case when created_at > now() - interval '15 days' then 'open' when number % 2000 = 7 then 'lost' else 'won' end
      as outcome) as of_dispute
  where number % 1000 = 7`;

const DELIVERIES = `
  insert into webhook_deliveries (id, practice_id, endpoint_id, payment_link_id, type, test, status, payload, delivery_run,
    due_at, delivered_at, created_at)
  select 'evt_' || lpad(to_hex($4::bigint + n), 26, '0'), $1, ($2::text[])[1 + n % cardinality($2::text[])],
    'plink_' || lpad(to_hex($4::bigint + n), 26, '0'),
    case when n % 97 = 0 then 'ping' when n % 5 = 0 then 'payment_link.expired' else 'payment_link.paid' end, false,
    status, '{}', 'automatic', case when status = 'pending' then now() + interval '1 hour' end,
    case when status = 'delivered' then created_at end, created_at
  from generate_series($5::integer + 1, $6::integer) as n,
    lateral (select case when n > $3::integer - greatest($3::integer / 1000, 10) then 'pending' when n % 50 = 0 then 'exhausted' else 'delivered' end
        as status,
      date_trunc('milliseconds', now() - interval '90 days' * (1 - n::float / $3::integer)) as created_at) as of_delivery`;
