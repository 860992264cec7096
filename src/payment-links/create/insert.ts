import type { Scope } from '../../base/scope.ts';
import { BUSY, batched, LOCK_WAIT_MS, type LockWait } from '../../database/query/batch.ts';
import { sql } from '../../database/query/sql.ts';
import { REMEMBERED_MS } from '../../keys/idempotency.ts';

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

/** Outcomes of `create_link`; its comment in the migration explains them. */
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
const SLOT_TIMEOUT_MS = 50;

/**
 * Two connections may wait for locks which somebody holds, each for another practice. A link waits for one of them, and
 * then for its lock, seven seconds in all.
 */
const LANES = { places: 2, maxWaitMs: 3_000 };

const CREATE = 'select * from create_links($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)';

/** Writes the links of one process. Those that come together are one statement, which is a transaction of its own. */
export function createLinkWriter(): (scope: Scope, link: LinkToWrite) => Promise<Written> {
  const write = batched(writeAll, {
    size: BATCH,
    concurrency: CONCURRENCY,
    slotTimeoutMs: SLOT_TIMEOUT_MS,
    laneOf: ({ link }: ScopedLink) => link.practiceId,
    lanes: LANES,
  });
  return (scope, link) => write({ scope, link });
}

interface ScopedLink {
  scope: Scope;
  link: LinkToWrite;
}

async function writeAll(items: readonly ScopedLink[], wait: LockWait): Promise<(Written | typeof BUSY)[]> {
  // Scopes differ in who is asking, which the links say themselves.
  const [first] = items;
  return first === undefined
    ? []
    : run(
        first.scope,
        items.map(({ link }) => link),
        wait,
      );
}

async function run(scope: Scope, links: readonly LinkToWrite[], wait: LockWait): Promise<(Written | typeof BUSY)[]> {
  const now = scope.clock.now();
  const column = <K extends keyof LinkToWrite>(name: K) => links.map((link) => link[name]);
  const answers = await sql<Written | { outcome: 'busy' }>(
    scope.em,
    CREATE,
    [
      ...[column('apiKeyId'), column('idempotencyKey'), column('bodyHash'), column('practiceId'), column('ground')],
      ...[column('row'), column('reply'), new Date(now.getTime() - REMEMBERED_MS), now, DAILY_CAP],
      ...[LOCK_WAIT_MS[wait], wait === 'never'],
    ],
    { keepPlan: true },
  );
  return answers.map((answer) => (answer.outcome === 'busy' ? BUSY : answer));
}
