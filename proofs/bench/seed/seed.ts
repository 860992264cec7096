import type pg from 'pg';
import { hashKey } from '../../../src/access/service.ts';
import { apiScopes, document } from '../../../src/contract/document.ts';
import { valueAt } from '../../../src/contract/json-pointer.ts';
import { type IdKind, newId } from '../../../src/platform/base/ids.ts';
import { encryptSecret, parseKeyring } from '../../../src/platform/base/secrets.ts';
import { WAKE_UP } from '../../../src/platform/jobs/wake-up.ts';
import { bindingOfSecret } from '../../../src/webhooks/endpoints/service.ts';
import { newWebhookSecret } from '../../../src/webhooks/model/signature.ts';
import { SECRETS_KEY } from '../../../test/harness/service-process.ts';
import { UNLIMITED } from '../../trial/setup.ts';

/*
 * Fills databases directly, by SQL: what takes hours through the interface takes seconds.
 */

/** A practice that may do everything. */
export interface SeededPractice {
  id: string;
  locationIds: string[];
  /** Live keys, in clear. */
  keys: string[];
  testKeys: string[];
}

/** An endpoint of a practice, registered directly. */
export interface SeededEndpoint {
  id: string;
  practice_id: string;
}

/** Makes practices with active locations, and with live and test keys whose limit is never reached. */
export async function seedPractices(
  admin: pg.Pool,
  counts: { practices: number; locationsEach: number; keysEach: number; testKeysEach?: number; keyPrefix?: string },
): Promise<SeededPractice[]> {
  const practices = Array.from({ length: counts.practices }, (_, index) => ({
    id: id('practice'),
    locationIds: Array.from({ length: counts.locationsEach }, () => id('location')),
    keys: keysOf('live', counts.keysEach, `${counts.keyPrefix ?? ''}${index}`),
    testKeys: keysOf('test', counts.testKeysEach ?? 0, `${counts.keyPrefix ?? ''}${index}`),
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
  const keys = practices.flatMap(({ id: practice, keys, testKeys }) =>
    [...keys, ...testKeys].map((key) => ({ practice, key, isTest: String(testKeys.includes(key)) })),
  );
  await admin.query(
    `insert into api_keys (id, practice_id, test, hash, last_four, scopes, requests_per_minute, created_at)
     select k.id, practice_id, test, hash, '6789', $4, $5, now()
     from unnest($1::text[], $2::text[], $3::bytea[], $6::boolean[]) as k (id, practice_id, hash, test)`,
    [
      keys.map(() => id('apiKey')),
      keys.map(({ practice }) => practice),
      keys.map(({ key }) => hashKey(key)),
      [...apiScopes],
      UNLIMITED,
      keys.map(({ isTest }) => isTest),
    ],
  );
  await admin.query('analyze');
  return practices;
}

function keysOf(mode: 'live' | 'test', count: number, practice: string): string[] {
  return Array.from({ length: count }, (_, key) => `pp_${mode}_bench-${key}-of-practice-${practice}-0123456789`);
}

/** Registers an endpoint at each of the practices, in turns, until there are as many as urls. */
export async function seedEndpoints(
  admin: pg.Pool,
  practices: readonly SeededPractice[],
  urls: readonly string[],
  test = false,
): Promise<SeededEndpoint[]> {
  const parsed = parseKeyring(SECRETS_KEY);
  if (!('keyring' in parsed)) throw new Error(parsed.faults.join('; '));
  const rows = urls.map((url, index) => {
    const endpoint = id('webhookEndpoint');
    const secret_ciphertext = encryptSecret(parsed.keyring, bindingOfSecret(endpoint), newWebhookSecret());
    return { id: endpoint, practice_id: practices[index % practices.length]?.id ?? '', url, secret_ciphertext };
  });
  await admin.query(
    `insert into webhook_endpoints (id, practice_id, test, url, enabled_events, status, secret_ciphertext, created_at)
     select id, practice_id, $2, url, '{}', 'enabled', secret_ciphertext, now()
     from json_to_recordset($1) as e (id text, practice_id text, url text, secret_ciphertext text)`,
    [JSON.stringify(rows), test],
  );
  return rows.map(({ id, practice_id }) => ({ id, practice_id }));
}

/** Payload of all queued deliveries: some 1,000 bytes, with no real person. */
const PAID_EVENT = valueAt(document, '#/components/examples/PaymentLinkPaidEvent/value');

let deliveriesMade = 0;

/**
 * Queues deliveries, in turns over the endpoints, in one transaction. With wake-ups, all workers hear of them as of published ones.
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
        JSON.stringify(PAID_EVENT),
        count,
        endpoints.length,
      ],
    );
    deliveriesMade += count;
    if (withWakeUps) {
      await client.query(`select ${WAKE_UP} from unnest($1::text[]) as endpoint_id`, [endpoints.map(({ id }) => id)]);
    }
    await client.query('commit');
  } finally {
    client.release();
  }
}

function id(kind: IdKind): string {
  return newId(kind, new Date());
}
