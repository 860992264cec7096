import type pg from 'pg';
import { CHUNK_ROWS } from '../../../src/database/query/kept-counts.ts';
import type { SeededEndpoint, SeededPractice } from './seed.ts';

/*
 * Lists of very many rows. Triggers and checks of foreign keys are switched off while rows are inserted. The counts are
 * made at the end, as triggers and a worker would have made them.
 */

/** Links of one practice over two years: 60 % paid, with their transactions, the rest active, expired or cancelled. */
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
    await client.query(TRANSACTIONS, [practice.id]);
    await client.query('commit');
    say('analyzing and counting them');
    await client.query('vacuum analyze payment_links, transactions');
    // Triggers rested, too.
    await countLists(client, practice.id);
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
    say('analyzing and counting them');
    await client.query('vacuum analyze webhook_deliveries');
    await countLists(client, practice.id);
  } finally {
    client.release();
  }
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
    description, external_reference, patient_first_name, patient_last_name, expires_at, paid_at, closed_at, created_at)
  select 'plink_' || lpad(to_hex($4::bigint + n), 26, '0'), $1, ($2::text[])[1 + n % cardinality($2::text[])], false,
    'token-' || ($4::bigint + n), status, 'api', 100 + n % 90000, 'usd', 'Cleaning and two fillings',
    case when n % 2 = 0 then 'visit-' || n / 4 else 'plan' end, 'Ada', 'Byron',
    case status when 'active' then now() + interval '30 days' else created_at + interval '30 days' end,
    case status when 'paid' then created_at + interval '1 day' end,
    case when status <> 'active' then created_at + interval '1 day' end, created_at
  from generate_series($5::integer + 1, $6::integer) as n,
    lateral (select case when n % 20 < 12 then 'paid' when n % 20 < 15 then 'active' when n % 20 < 18 then 'expired'
        else 'cancelled' end as status,
      date_trunc('milliseconds', now() - interval '2 years' * (1 - n::float / $3::integer)) as created_at) as of_link`;

const TRANSACTIONS = `
  insert into transactions (id, practice_id, payment_link_id, status, amount_cents, payment_method_type, processed_at,
    created_at)
  select 'txn_' || substr(id, 7), practice_id, id, 'succeeded', amount_cents, 'card', paid_at, paid_at
  from payment_links where practice_id = $1 and status = 'paid'`;

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

/**
 * Counts all lists of a practice, in chunks of equal size. Each statement reads the rows once; checking and repairing
 * chunk by chunk would take minutes.
 */
async function countLists(client: pg.PoolClient, practiceId: string): Promise<void> {
  await client.query('begin');
  await client.query("set local work_mem = '256MB'");
  await client.query('delete from list_counts where practice_id = $1', [practiceId]);
  await client.query('delete from list_chunks where practice_id = $1', [practiceId]);
  await client.query(FREQUENT_REFERENCES, [practiceId, CHUNK_ROWS]);
  await client.query(NUMBERED_ROWS, [practiceId, CHUNK_ROWS]);
  await client.query(CHUNKS, [practiceId]);
  await client.query(COUNTS, [practiceId]);
  await client.query('commit');
  await client.query('vacuum analyze list_counts, list_chunks, frequent_references');
}

const FREQUENT_REFERENCES = `
  insert into frequent_references
    select practice_id, test, external_reference, true from payment_links
    where practice_id = $1 and external_reference is not null
    group by practice_id, test, external_reference having count(*) > $2
    on conflict do nothing`;

/** Rows of the lists with the number of their chunk; the oldest chunk is number 0. Labels are those that are counted. */
const NUMBERED_ROWS = `
  create temporary table numbered_rows on commit drop as
    select l.list, l.at, l.id, l.group_id, l.status,
      case when l.list = 'deliveries' or f.reference is not null then l.label end as label,
      (row_number() over (partition by l.list order by l.at, l.id) - 1) / $2 as chunk,
      (row_number() over (partition by l.list order by l.at, l.id) - 1) % $2 = 0 as is_first
    from listed_rows l
      left join frequent_references f on f.practice_id = l.practice_id and f.test = l.test and f.reference = l.label
    where l.practice_id = $1 and not l.test`;

const CHUNKS = `
  insert into list_chunks select $1, false, list, at, id from numbered_rows where is_first and chunk > 0`;

const COUNTS = `
  insert into list_counts
    select $1, false, s.list, g.group_id, n.label, case when s.chunk = 0 then '-infinity' else c.at end,
      case when s.chunk = 0 then '' else c.id end, s.status, sum(s.row_count)
    from (
      select list, chunk, group_id, label, status, count(*) as row_count
      from numbered_rows group by list, chunk, group_id, label, status
    ) as s
      join numbered_rows c on c.list = s.list and c.chunk = s.chunk and c.is_first,
      unnest(array['', s.group_id]) as g (group_id),
      unnest(case when s.label is null then array[''] else array['', s.label] end) as n (label)
    group by s.list, g.group_id, n.label, s.chunk, c.at, c.id, s.status`;
