import type pg from 'pg';
import { type IdKind, newId } from '../../src/base/ids.ts';
import { encryptSecret, parseKeyring } from '../../src/base/secrets.ts';
import { apiScopes } from '../../src/contract/document.ts';
import { DELIVER_TASK } from '../../src/jobs/wake-up.ts';
import { hashKey } from '../../src/keys/service.ts';
import { placeOfSecret } from '../../src/webhooks/endpoints/service.ts';
import { newWebhookSecret } from '../../src/webhooks/model/signature.ts';
import { eventData } from './sample-data.ts';
import { SECRETS_KEY, UNLIMITED_PER_MINUTE } from './service-process.ts';

/*
 * Fills databases directly, by SQL: what takes hours through the interface takes seconds.
 */

/** A practice that may do everything. */
export interface SeededPractice {
  id: string;
  locationIds: string[];
  /** Live keys, in clear. */
  keys: string[];
}

/** An endpoint of a practice, registered directly. */
export interface SeededEndpoint {
  id: string;
  practice_id: string;
}

/** Makes practices with active locations and live keys whose limit is never reached. */
export async function seedPractices(
  admin: pg.Pool,
  counts: { practices: number; locationsEach: number; keysEach: number },
): Promise<SeededPractice[]> {
  const practices = Array.from({ length: counts.practices }, (_, index) => ({
    id: id('practice'),
    locationIds: Array.from({ length: counts.locationsEach }, () => id('location')),
    keys: Array.from({ length: counts.keysEach }, (_, key) => `pp_live_bench-${key}-of-practice-${index}-0123456789`),
  }));
  await admin.query(
    `insert into practices (id, name, admin_email, payments_enabled, bank_debits_enabled, api_access_enabled, created_at)
     select id, 'Maple Street Dental', 'admin@practice.example', true, true, true, now() from unnest($1::text[]) as id`,
    [practices.map((practice) => practice.id)],
  );
  const locations = practices.flatMap(({ id, locationIds }) => locationIds.map((location) => ({ id, location })));
  await admin.query(
    `insert into locations (id, practice_id, name, city, state, time_zone, active, created_at)
     select l.id, practice_id, 'Downtown', 'Springfield', 'IL', 'America/Chicago', true, now()
     from unnest($1::text[], $2::text[]) as l (id, practice_id)`,
    [locations.map(({ location }) => location), locations.map(({ id }) => id)],
  );
  const keys = practices.flatMap((practice) => practice.keys.map((key) => ({ practice: practice.id, key })));
  await admin.query(
    `insert into api_keys (id, practice_id, test, hash, last_four, scopes, requests_per_minute, created_at)
     select k.id, practice_id, false, hash, '6789', $4, $5, now()
     from unnest($1::text[], $2::text[], $3::bytea[]) as k (id, practice_id, hash)`,
    [
      keys.map(() => id('apiKey')),
      keys.map(({ practice }) => practice),
      keys.map(({ key }) => hashKey(key)),
      [...apiScopes],
      UNLIMITED_PER_MINUTE,
    ],
  );
  await admin.query('analyze');
  return practices;
}

/** Registers an endpoint at each of the practices, in turns, until there are as many as urls. */
export async function seedEndpoints(
  admin: pg.Pool,
  practices: readonly SeededPractice[],
  urls: readonly string[],
): Promise<SeededEndpoint[]> {
  const parsed = parseKeyring(SECRETS_KEY);
  if (!('keyring' in parsed)) throw new Error(parsed.faults.join('; '));
  const rows = urls.map((url, index) => {
    const endpoint = id('webhookEndpoint');
    const secret_ciphertext = encryptSecret(parsed.keyring, placeOfSecret(endpoint), newWebhookSecret());
    return { id: endpoint, practice_id: practices[index % practices.length]?.id ?? '', url, secret_ciphertext };
  });
  await admin.query(
    `insert into webhook_endpoints (id, practice_id, test, url, enabled_events, status, secret_ciphertext, created_at)
     select id, practice_id, false, url, '{}', 'enabled', secret_ciphertext, now()
     from json_to_recordset($1) as e (id text, practice_id text, url text, secret_ciphertext text)`,
    [JSON.stringify(rows)],
  );
  return rows.map(({ id, practice_id }) => ({ id, practice_id }));
}

let deliveriesMade = 0;

/**
 * Queues deliveries, in turns over the endpoints, in one transaction, each with its wake-up job as publishing adds it
 * behind.
 */
export async function seedDeliveries(
  admin: pg.Pool,
  endpoints: readonly SeededEndpoint[],
  count: number,
  withWakeUps: boolean,
): Promise<void> {
  const client = await admin.connect();
  try {
    await client.query('begin');
    await client.query(
      `with endpoints as (
         select * from unnest($1::text[], $2::text[]) with ordinality as e (endpoint_id, practice_id, position)
       )
       insert into webhook_deliveries (id, practice_id, endpoint_id, type, test, status, payload, delivery_run, due_at,
         created_at)
       select 'evt_' || lpad(to_hex($3::bigint + n), 26, '0'), practice_id, endpoint_id, 'payment_link.paid', false,
         'pending', $4, 'automatic', now(), now()
       from generate_series(1, $5) as n join endpoints on position = 1 + n % $6`,
      [
        endpoints.map(({ id }) => id),
        endpoints.map(({ practice_id }) => practice_id),
        deliveriesMade,
        JSON.stringify({ id: 'evt_0', object: 'event', type: 'payment_link.paid', data: eventData(0) }),
        count,
        endpoints.length,
      ],
    );
    deliveriesMade += count;
    if (withWakeUps) await seedWakeUps(client);
    await client.query('commit');
  } finally {
    client.release();
  }
}

async function seedWakeUps(client: pg.PoolClient): Promise<void> {
  await client.query(
    `select count(*) from graphile_worker.add_jobs(array(
       select row($1, json_build_object('endpointId', endpoint_id), null, null, 1, null, null, null)::graphile_worker.job_spec
       from webhook_deliveries where status = 'pending' order by id))`,
    [DELIVER_TASK],
  );
}

/** Links of one practice over two years: 60 % paid, with their transactions, the rest active, expired or cancelled. */
export async function seedLinks(
  admin: pg.Pool,
  practice: SeededPractice,
  count: number,
  firstNumber: number,
): Promise<void> {
  const client = await admin.connect();
  try {
    await client.query('begin');
    // Foreign keys are known to be satisfied here; checking a million of them would take most of the time.
    await client.query('set local session_replication_role = replica');
    await client.query(LINKS, [practice.id, practice.locationIds, count, firstNumber]);
    await client.query(TRANSACTIONS, [practice.id]);
    await client.query('commit');
    await client.query('vacuum analyze payment_links, transactions');
    // Triggers rested, too.
    await countLists(client, practice.id);
    await client.query('vacuum analyze list_counts, list_chunks');
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
): Promise<void> {
  const client = await admin.connect();
  try {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    const own = endpoints.filter(({ practice_id }) => practice_id === practice.id).map(({ id }) => id);
    await client.query(DELIVERIES, [practice.id, own, count, firstNumber]);
    await client.query('commit');
    await client.query('vacuum analyze webhook_deliveries');
    await countLists(client, practice.id);
    await client.query('vacuum analyze list_counts, list_chunks');
  } finally {
    client.release();
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
  from generate_series(1, $3) as n,
    lateral (select case when n % 20 < 12 then 'paid' when n % 20 < 15 then 'active' when n % 20 < 18 then 'expired'
        else 'cancelled' end as status,
      date_trunc('milliseconds', now() - interval '2 years' * (1 - n::float / $3)) as created_at) as of_link`;

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
  from generate_series(1, $3) as n,
    lateral (select case when n > $3 - greatest($3 / 1000, 10) then 'pending' when n % 50 = 0 then 'exhausted' else 'delivered' end
        as status,
      date_trunc('milliseconds', now() - interval '90 days' * (1 - n::float / $3)) as created_at) as of_delivery`;

const CHUNK_ROWS = 2_000;

/** Counts lists as the triggers and a worker would have. */
async function countLists(client: pg.PoolClient, practiceId: string): Promise<void> {
  await client.query(
    `insert into frequent_references
       select practice_id, test, external_reference from payment_links where practice_id = $1
       group by practice_id, test, external_reference having count(*) > $2
       on conflict do nothing`,
    [practiceId, CHUNK_ROWS],
  );
  await client.query('update frequent_references set is_counted = true where practice_id = $1', [practiceId]);
  // Cut all at once; checking would do so by and by.
  await client.query(
    `insert into list_chunks
       select practice_id, test, list, at, id
       from (
         select practice_id, test, list, at, id, row_number() over (partition by list order by at, id) - 1 as number
         from listed_rows where practice_id = $1
       ) as numbered
       where number > 0 and number % $2 = 0
       on conflict do nothing`,
    [practiceId, CHUNK_ROWS],
  );
  for (const list of ['links', 'payments', 'deliveries']) {
    let from: { at: string; id: string } | null = { at: '-infinity', id: '' };
    while (from !== null) {
      const reply: pg.QueryResult<{ at: string | null; id: string | null }> = await client.query(
        'select next_at::text as at, next_id as id from check_list_chunk($1, false, $2, $3, $4, true, $5)',
        [practiceId, list, from.at, from.id, CHUNK_ROWS],
      );
      const { at = null, id = null } = reply.rows[0] ?? {};
      from = at === null || id === null ? null : { at, id };
    }
  }
}

function id(kind: IdKind): string {
  return newId(kind, new Date());
}
