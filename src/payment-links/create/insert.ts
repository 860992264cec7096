import type { Scope } from '../../base/scope.ts';
import { BUSY, batched, LOCK_WAIT_MS, type LockWait } from '../../database/query/batch.ts';
import { sql } from '../../database/query/sql.ts';
import { REMEMBERED_MS } from '../../keys/idempotency.ts';

/** Arguments of `create_link` for one link, which is written once per idempotency key. */
export interface LinkToWrite {
  apiKeyId: string;
  idempotencyKey: string;
  bodyHash: Buffer;
  practiceId: string;
  /** Practice snapshot of the draft; null if this process has none yet. */
  snapshot: string | null;
  /** The row and the reply to store, both JSON; if null, nothing is written. */
  row: string | null;
  reply: string | null;
}

/** Outcomes of `create_link`; the header of its file explains them. */
export type Written =
  | { outcome: 'replayed'; stored_reply: string }
  | { outcome: 'stale_snapshot'; snapshot: string }
  | { outcome: 'reused' | 'in_flight' | 'capped' | 'created' };

/** Section 8 of the interface: links created per key and UTC day. */
const DAILY_CAP = 5000;

/** Most links per statement. If one waits for a lock, all wait. */
const BATCH = 32;

/** Concurrent statements of one process. Links that arrive during a statement share the next one. */
const CONCURRENCY = 1;

/** Far longer than a statement takes that doesn't wait for a lock. */
const SLOT_TIMEOUT_MS = 50;

/**
 * Two connections may wait for locks, each for another practice. A link waits for a connection and then for its lock,
 * at most seven seconds in total.
 */
const LANES = { places: 2, maxWaitMs: 3_000 };

const CREATE = 'select * from create_links($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)';

/** Creates the link writer of a process. Concurrent links share one statement, which is a transaction of its own. */
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
  // Scopes differ in the caller only, which each link names itself.
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
      ...[column('apiKeyId'), column('idempotencyKey'), column('bodyHash'), column('practiceId'), column('snapshot')],
      ...[column('row'), column('reply'), new Date(now.getTime() - REMEMBERED_MS), now, DAILY_CAP],
      ...[LOCK_WAIT_MS[wait], wait === 'never'],
    ],
    { keepPlan: true },
  );
  return answers.map((answer) => (answer.outcome === 'busy' ? BUSY : answer));
}
