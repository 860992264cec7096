import { batched } from '../base/batch.ts';
import type { Scope } from '../base/scope.ts';
import { sql } from '../base/sql.ts';
import { REMEMBERED_MS } from '../keys/idempotency.ts';

/** A link to be written once per key of the caller's, as `create_link` takes it. */
export interface LinkToWrite {
  apiKeyId: string;
  idempotencyKey: string;
  bodyHash: Buffer;
  practiceId: string;
  /** What the link was made on; null when nothing is known of the practice yet. */
  ground: string | null;
  /** The row and the stored reply, both JSON; without them the database only looks. */
  row: string | null;
  reply: string | null;
}

/** What `create_link` answers; its comment in the migration tells the outcomes. */
export type Written =
  | { outcome: 'replayed'; stored_reply: string }
  | { outcome: 'ground'; ground: string }
  | { outcome: 'reused' | 'in_flight' | 'capped' | 'created' };

/** Section 8 of the interface: links created per key and UTC day. */
const DAILY_CAP = 5000;

/** Most links per statement: what one of them waits for all do. */
const BATCH = 32;

/** Statements of one process at once; links that come meanwhile go together with the next. */
const CONCURRENCY = 1;

/** Far longer than a statement takes that doesn't wait for a lock. */
const PATIENCE_MS = 50;

/** In the order of what is locked: statements that count the same keys' links wait for each other, never in a circle. */
const CREATE = `
  with create_links as (
    select * from unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::text[], $6::json[], $7::text[])
      with ordinality as r (api_key_id, idempotency_key, body_hash, practice_id, ground, link, reply, position)
    order by api_key_id collate "C", position
  )
  select c.* from create_links r, lateral create_link(r.api_key_id, r.idempotency_key, r.body_hash, $8, $9, $10,
    r.practice_id, r.ground, r.link, r.reply) as c
  order by r.position`;

/** Writes the links of one process. Those that come together are one statement, which is a transaction of its own. */
export function createLinkWriter(): (scope: Scope, link: LinkToWrite) => Promise<Written> {
  const write = batched(writeAll, { size: BATCH, concurrency: CONCURRENCY, patienceMs: PATIENCE_MS });
  return (scope, link) => write({ scope, link });
}

async function writeAll(items: readonly { scope: Scope; link: LinkToWrite }[]): Promise<Written[]> {
  // Scopes differ in who is asking, which the links say themselves.
  const [first] = items;
  return first === undefined
    ? []
    : run(
        first.scope,
        items.map(({ link }) => link),
      );
}

function run(scope: Scope, links: readonly LinkToWrite[]): Promise<Written[]> {
  const now = scope.clock.now();
  const column = <K extends keyof LinkToWrite>(name: K) => links.map((link) => link[name]);
  return sql<Written>(
    scope.em,
    CREATE,
    [
      ...[column('apiKeyId'), column('idempotencyKey'), column('bodyHash'), column('practiceId'), column('ground')],
      ...[column('row'), column('reply'), new Date(now.getTime() - REMEMBERED_MS), now, DAILY_CAP],
    ],
    { keepPlan: true },
  );
}
