import type pg from 'pg';
import type { SeededEndpoint, SeededPractice } from './seed.ts';

/* Lists of very many rows. Triggers and checks of foreign keys are switched off while rows are inserted. */

/** Number of rows, and of the first one. */
interface Rows {
  count: number;
  firstNumber: number;
}

/** Links of one practice over two years: 60 % paid, with their payments, the rest active, expired or cancelled. */
export function seedLinks(admin: pg.Pool, { id, locationIds }: SeededPractice, rows: Rows): Promise<void> {
  return insert(admin, [
    [LINKS, [id, locationIds, rows.count, rows.firstNumber]],
    [TRANSACTIONS, [id]],
  ]);
}

/** Deliveries of one practice over 90 days: most delivered, one in a hundred exhausted, the newest waiting. */
export function seedHistory(
  admin: pg.Pool,
  { id }: SeededPractice,
  endpoints: readonly SeededEndpoint[],
  rows: Rows,
): Promise<void> {
  return insert(admin, [[DELIVERIES, [id, endpoints.map(({ id }) => id), rows.count, rows.firstNumber]]]);
}

async function insert(admin: pg.Pool, statements: [text: string, values: unknown[]][]): Promise<void> {
  const client = await admin.connect();
  try {
    await client.query('begin');
    // Foreign keys are known to be satisfied here; checking a million of them would take most of the time.
    await client.query('set local session_replication_role = replica');
    for (const [text, values] of statements) await client.query(text, values);
    await client.query('commit');
    await client.query('vacuum analyze payment_links, webhook_deliveries, transactions');
  } finally {
    client.release();
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
  from generate_series(1, $3::integer) as n,
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

const DELIVERIES = `
  insert into webhook_deliveries (id, practice_id, endpoint_id, payment_link_id, type, test, status, payload, delivery_run,
    due_at, delivered_at, created_at)
  select 'evt_' || lpad(to_hex($4::bigint + n), 26, '0'), $1, ($2::text[])[1 + n % cardinality($2::text[])],
    'plink_' || lpad(to_hex($4::bigint + n), 26, '0'),
    case when n % 97 = 0 then 'ping' when n % 5 = 0 then 'payment_link.expired' else 'payment_link.paid' end, false,
    status, '{}', 'automatic', case when status = 'pending' then now() + interval '1 hour' end,
    case when status = 'delivered' then created_at end, created_at
  from generate_series(1, $3::integer) as n,
    lateral (select case when n > $3::integer - greatest($3::integer / 1000, 10) then 'pending' when n % 50 = 0 then 'exhausted' else 'delivered' end
        as status,
      date_trunc('milliseconds', now() - interval '90 days' * (1 - n::float / $3::integer)) as created_at) as of_delivery`;
