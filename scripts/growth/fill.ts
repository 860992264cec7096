import pg from 'pg';
import { countLists, VACUUM_COUNTS } from '../bench/seed/lists.ts';
import { type SeededEndpoint, type SeededPractice, seedEndpoints, seedPractices } from '../bench/seed/seed.ts';
import { createIndexes, dropIndexes, eachOf, FILLING_SETTINGS, type Say } from './bulk.ts';
import { type Interval, intervalsOf, partsOf } from './intervals.ts';

/*
 * Fills a migrated database with deliveries and their attempts, as 90 days of operation would have left them. Triggers are off, and
 * indexes are built at the end. The counts of lists are made as triggers and a worker would have made them.
 */

/** Contents of a filled database. */
export interface Filling {
  deliveries: number;
  /** At least two. The first one has five per cent of all deliveries. */
  practices: number;
  /** Address of all endpoints. */
  receiver: string;
  now: Date;
  /** Time of the oldest delivered events. */
  deliveredSince: Date;
}

/** A practice with its three endpoints. */
export interface FilledPractice extends SeededPractice {
  endpointIds: string[];
}

const ENDPOINTS_EACH = 3;

/** Deliveries per statement. After each, both tables are vacuumed, while their pages are in memory. */
const PART = 500_000;

/** Retention of others, less the time of a run. */
const OTHERS_KEPT_MS = 90 * 86_400_000 - 3 * 3_600_000;

const TABLES = ['webhook_deliveries', 'webhook_attempts'] as const;

/** Fills the database, and returns its practices. The tables may be whole or partitioned. */
export async function fill(url: string, filling: Filling, say: Say): Promise<FilledPractice[]> {
  const { deliveries, now, deliveredSince } = filling;
  const pool = new pg.Pool({ connectionString: url, max: 2, options: FILLING_SETTINGS });
  try {
    const practices = await fillPractices(pool, filling);
    await pool.query('drop table if exists filled_endpoints');
    await pool.query(
      `create unlogged table filled_endpoints as
       select position::integer - 1 as position, id, practice_id
       from unnest($1::text[], $2::text[]) with ordinality as e (id, practice_id, position)`,
      [
        practices.flatMap(({ endpointIds }) => endpointIds),
        practices.flatMap(({ id, endpointIds }) => endpointIds.map(() => id)),
      ],
    );
    await pool.query('analyze filled_endpoints');
    const indexes = await dropIndexes(pool, TABLES);
    const othersSince = new Date(now.getTime() - OTHERS_KEPT_MS);
    const parts = partsOf(intervalsOf({ deliveries, now, deliveredSince, othersSince }), PART);
    for (const part of parts) {
      const values = [...valuesOf(part), practices.length];
      await Promise.all([DELIVERIES, ATTEMPTS].map((text) => pool.query(text, values)));
      await Promise.all(TABLES.map((table) => pool.query(`vacuum (index_cleanup off) ${table}`)));
      const { first, delivered, others } = part.at(-1) ?? { first: 0, delivered: 0, others: 0 };
      say(`${(first + delivered + others).toLocaleString('en-US')} deliveries`);
    }
    await pool.query('drop table filled_endpoints');
    await createIndexes(pool, indexes, say);
    await pool.query(`analyze ${TABLES.join(', ')}`);
    say('counting the lists');
    await eachOf(pool, practices, (client, { id }) => countLists(client, id));
    await pool.query(VACUUM_COUNTS);
    await pool.query('vacuum analyze webhook_endpoints');
    return practices;
  } finally {
    await pool.end();
  }
}

/** Makes practices with a location, a key and three endpoints each, in a database without practices. */
export async function fillPractices(
  pool: pg.Pool,
  { practices, receiver }: Pick<Filling, 'practices' | 'receiver'>,
): Promise<FilledPractice[]> {
  const seeded = await seedPractices(pool, { practices, locationsEach: 1, keysEach: 1 });
  const urls = Array.from({ length: practices * ENDPOINTS_EACH }, () => receiver);
  const endpoints = await seedEndpoints(pool, seeded, urls);
  const ofPractice = Map.groupBy(endpoints, ({ practice_id }: SeededEndpoint) => practice_id);
  return seeded.map((practice) => ({
    ...practice,
    endpointIds: (ofPractice.get(practice.id) ?? []).map(({ id }) => id),
  }));
}

function valuesOf(intervals: readonly Interval[]) {
  return [
    intervals.map(({ prefix }) => prefix),
    intervals.map(({ startAt }) => startAt),
    intervals.map(({ first }) => first),
    intervals.map(({ delivered }) => delivered),
    intervals.map(({ others }) => others),
  ];
}

/** The end of an interval's ids: three digits of its time, and 16 that are random in other ids. */
const ID = `prefix || lpad(k::text, 3, '0') || lpad(to_hex(n), 16, '0')`;

/**
 * Deliveries with all that follows from their numbers. An event goes to the three endpoints of its practice. One delivered
 * event in 25 needed two attempts. Others of the last two days wait for a retry, and the rest is exhausted.
 */
const ROWS = `
  from (
    select s.*, k, first + k as n, start_at + interval '1 second' * (32.768 * k / (delivered + others)) as created_at,
      (k::bigint * others) % (delivered + others) < others as is_other, (first + k) / ${ENDPOINTS_EACH} as event
    from unnest($1::text[], $2::timestamptz[], $3::bigint[], $4::integer[], $5::integer[])
        as s (prefix, start_at, first, delivered, others),
      generate_series(0, delivered + others - 1) as k
    offset 0
  ) as numbered
    join filled_endpoints e on e.position = ${ENDPOINTS_EACH}
      * (case when event % 20 = 0 then 0 else 1 + event % ($6::integer - 1) end) + n % ${ENDPOINTS_EACH},
    lateral (select case when not is_other then 'delivered' when created_at > now() - interval '2 days' then 'retrying'
      else 'exhausted' end as status offset 0) as of_status,
    lateral (select case status when 'delivered' then case when n % 25 = 0 then 2 else 1 end when 'retrying' then 5
      else 8 end as attempts offset 0) as of_attempts`;

const DELIVERIES = `
  insert into webhook_deliveries (id, practice_id, endpoint_id, payment_link_id, type, test, status, payload, delivery_run,
    run_attempts, attempt_count, due_at, rank, last_attempt_at, delivered_at, last_response_status, last_error, created_at)
  select ${ID}, practice_id, e.id, 'plink_' || lpad(to_hex(event), 26, '0'),
    case when event % 20 < 12 then 'payment_link.paid' when event % 20 < 17 then 'payment_link.expired'
      else 'payment_link.cancelled' end, false, status, '{}', 'automatic', attempts, attempts,
    case status when 'retrying' then now() + interval '1 day' end, case status when 'retrying' then 1 else 0 end,
    created_at, case status when 'delivered' then created_at + interval '50 ms' * attempts end,
    case status when 'delivered' then 200 else 500 end, case when status <> 'delivered' then 'http_status' end, created_at
  ${ROWS}`;

const ATTEMPTS = `
  insert into webhook_attempts (delivery_id, practice_id, number, endpoint_id, started_at, duration_ms, response_status,
    error, lease_epoch)
  select ${ID}, practice_id, number, e.id, created_at, 12,
    case when status = 'delivered' and number = attempts then 200 else 500 end,
    case when status <> 'delivered' or number < attempts then 'http_status' end, 0
  ${ROWS}, generate_series(1, attempts) as number`;

/** Returns the time of the oldest delivered events of whole tables: 30 days ago, less the time of a run. */
export function oldestDelivered(now: Date): Date {
  return new Date(now.getTime() - 30 * 86_400_000 + 3 * 3_600_000);
}
