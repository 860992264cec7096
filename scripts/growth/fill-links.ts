import pg from 'pg';
import { newId } from '../../src/base/ids.ts';
import { countLists, countPayments, VACUUM_COUNTS, VACUUM_TOTALS } from '../bench/seed/lists.ts';
import { createIndexes, dropIndexes, eachOf, FILLING_SETTINGS, type Say } from './bulk.ts';
import type { FilledPractice } from './fill.ts';

/*
 * Fills a migrated database with closed links of almost a year, and with their payments. Triggers are off, and indexes are
 * built at the end. Counts and totals are made as triggers and a worker would have made them.
 */

/** Contents of a database with closed links. */
export interface LinkFilling {
  /** Closed links. Three quarters are paid, and one payment in a hundred is refunded. */
  links: number;
  /** At least two, of this database. The first one has five per cent of all links. */
  practices: readonly FilledPractice[];
  now: Date;
}

const DAY_MS = 86_400_000;

/** Age of the oldest links. Half of all are then due for an archive after 180 days. */
const OLDEST_DAYS = 360;

/** Age of the newest links. All are closed by then. */
const NEWEST_DAYS = 3;

/** Links per statement. */
const PART = 100_000;

const TABLES = ['patients', 'payment_links', 'payment_attempts', 'transactions', 'refunds'] as const;

/** Gives closed links to the practices. */
export async function fillLinks(url: string, filling: LinkFilling, say: Say): Promise<void> {
  const { practices } = filling;
  const pool = new pg.Pool({ connectionString: url, max: 2, options: FILLING_SETTINGS });
  try {
    await pool.query('drop table if exists filled_practices');
    await pool.query(
      `create unlogged table filled_practices as
       select position::integer - 1 as position, id, location_id
       from unnest($1::text[], $2::text[]) with ordinality as p (id, location_id, position)`,
      [practices.map(({ id }) => id), practices.map(({ locationIds }) => locationIds[0] ?? '')],
    );
    await pool.query('analyze filled_practices');
    const indexes = await dropIndexes(pool, TABLES);
    for (let first = 0; first < filling.links; first += PART) {
      const { ids, times } = linksFrom(first, filling);
      await pool.query(LINKS, [ids, times, first, practices.length]);
      say(`${(first + ids.length).toLocaleString('en-US')} closed links`);
    }
    for (const statement of [PATIENTS, ATTEMPTS, TRANSACTIONS, REFUNDS]) await pool.query(statement);
    await pool.query('drop table filled_practices');
    await createIndexes(pool, indexes, say);
    await pool.query(`vacuum analyze ${TABLES.join(', ')}`);
    say('counting the lists and payments');
    await eachOf(pool, practices, async (client, { id }) => {
      await countLists(client, id);
      await countPayments(client, id);
    });
    await pool.query(VACUUM_COUNTS);
    await pool.query(VACUUM_TOTALS);
  } finally {
    await pool.end();
  }
}

/** Returns ids and times of creation of the links from a number on, evenly spread. */
function linksFrom(first: number, { links, now }: LinkFilling): { ids: string[]; times: Date[] } {
  const oldestMs = now.getTime() - OLDEST_DAYS * DAY_MS;
  const spanMs = (OLDEST_DAYS - NEWEST_DAYS) * DAY_MS;
  const times = Array.from(
    { length: Math.min(PART, links - first) },
    (_, index) => new Date(oldestMs + Math.floor((spanMs * (first + index)) / links)),
  );
  return { ids: times.map((time) => newId('paymentLink', time)), times };
}

/** Links are closed 1 to 59 hours after their creation. A patient of an ordinary practice has about four in a row. */
const LINKS = `
  insert into payment_links (id, practice_id, location_id, test, token, status, source, amount_cents, currency, description,
    external_reference, metadata, patient_id, patient_first_name, patient_last_name, patient_email, patient_external_id,
    expires_at, paid_at, closed_at, closed_by, created_at)
  select l.id, p.id, p.location_id, false, md5(l.id), status, 'api', 100 + n % 90000, 'usd', 'Cleaning and two fillings',
    'visit-' || n, '{"visit":"815","clerk":"front desk"}', 'pat_' || lpad(to_hex(p.position), 6, '0') ||
      lpad(to_hex(n / (4 * $4::integer)), 20, '0'), 'Ada', 'Byron', 'ada.byron@example.org', 'chart-' || n / (4 * $4::integer),
    created_at + interval '30 days', case status when 'paid' then closed_at end, closed_at,
    case status when 'cancelled' then 'api' when 'expired' then 'system' end, created_at
  from unnest($1::text[], $2::timestamptz[]) with ordinality as l (id, created_at, place),
    lateral (select $3::integer + place::integer - 1 as n offset 0) as numbered,
    lateral (select case when n % 4 < 3 then 'paid' when n % 8 = 3 then 'expired' else 'cancelled' end as status,
      created_at + interval '1 hour' * (1 + n % 59) as closed_at offset 0) as of_link,
    filled_practices p
  where p.position = case when n % 20 = 0 then 0 else 1 + n % ($4::integer - 1) end`;

const PATIENTS = `
  insert into patients (id, practice_id, external_id, first_name, last_name, email, created_at)
  select patient_id, practice_id, min(patient_external_id), 'Ada', 'Byron', 'ada.byron@example.org', min(created_at)
  from payment_links group by patient_id, practice_id order by patient_id`;

/** One accepted card attempt per paid link. */
const ATTEMPTS = `
  insert into payment_attempts (id, practice_id, payment_link_id, status, processor, processor_account_id,
    processor_reference, method_type, amount_cents, currency, locale, address, created_at, closed_at)
  select 'att_' || substr(id, 7), practice_id, id, 'accepted', 'sandbox', 'acct_' || practice_id, 'sandbox_' || token, 'card',
    amount_cents, currency, 'en', '203.0.113.7', paid_at - interval '5 seconds', paid_at
  from payment_links where status = 'paid' order by id`;

const TRANSACTIONS = `
  insert into transactions (id, practice_id, payment_link_id, attempt_id, status, amount_cents, fee_cents, net_cents,
    payment_method_type, payment_method_brand, payment_method_last4, statement_descriptor, processed_at, created_at)
  select 'txn_' || substr(id, 7), practice_id, id, 'att_' || substr(id, 7),
    case when amount_cents % 100 = 1 then 'refunded' else 'succeeded' end, amount_cents, 30 + amount_cents / 35,
    amount_cents - 30 - amount_cents / 35, 'card', 'visa', '4242', 'MAPLE STREET DENTAL', paid_at, paid_at
  from payment_links where status = 'paid' order by id`;

const REFUNDS = `
  insert into refunds (id, practice_id, payment_link_id, transaction_id, processor_reference, amount_cents, status, reason,
    created_at, test, paid_at, location_id, payment_method_type)
  select 're_' || substr(t.id, 5), t.practice_id, l.id, t.id, 'sandbox_' || l.token, t.amount_cents, 'succeeded',
    'requested_by_patient', t.created_at + interval '1 minute', l.test, l.paid_at, l.location_id, t.payment_method_type
  from transactions t join payment_links l on l.id = t.payment_link_id where t.status = 'refunded' order by t.id`;
