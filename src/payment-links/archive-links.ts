import { firstIdAt } from '../base/ids.ts';
import { fresh, type Scope } from '../base/scope.ts';
import { sqlState } from '../base/sql-state.ts';
import type { WithoutTimeLimits } from '../database/maintenance.ts';
import { isDatabaseUnavailable, isLockConflict } from '../database/query/errors.ts';
import { type RetryLimits, retryOnLocks } from '../database/query/retry-on-locks.ts';
import { sql } from '../database/query/sql.ts';
import { inTransaction } from '../database/query/transaction.ts';

/*
 * Closed links leave the tables that every request uses (docs/decisions/0052-archive.md). All reads find them as before.
 * `link/lock.ts` brings a link back before it changes.
 */

/**
 * Shortest time after which links are archived. Banks accept disputes for 120 days as a rule. The processor is asked about a
 * payment for up to 127 days. Events are kept for 90 days, and redelivered ones for some 30 more.
 */
export const SHORTEST_ARCHIVE_DAYS = 180;

/** Links of one statement. A late change of one of them waits for it, so it takes a few tenths of a second. */
const BATCH = 100;

const DAY_MS = 86_400_000;

/** Tries to attach one pair of tables, each for one and a half seconds. No request waits behind it. */
const ATTACH_TRIES: RetryLimits = { tries: 3, pauseMs: 200 };

/** Longest wait of `analyze` for a table. Autovacuum gives way after one second, unless it prevents a wraparound. */
const ANALYZE_LOCK_TIMEOUT = '5s';

/** Dependencies of the job. `newScope` makes a scope for each run. */
export interface ArchiveDependencies {
  newScope: () => Scope;
  withoutTimeLimits: WithoutTimeLimits;
}

/**
 * Archives the links of which nothing has changed for so many days, a batch per transaction. The first run only attaches
 * the archive to the tables. If a batch fails, its links are archived one by one. So a link that is locked or refused delays
 * only itself. Any number of workers may run it at once.
 *
 * @param withoutTimeLimits runs `analyze`, which reads much of a large table
 * @param days null: nothing is archived
 * @param shouldContinue called before each batch or single link; false ends the run
 * @returns the number of archived links
 */
export async function archiveLinks(
  { newScope, withoutTimeLimits }: ArchiveDependencies,
  days: number | null,
  shouldContinue: () => boolean = () => true,
): Promise<number> {
  if (days === null) return 0;
  const scope = newScope();
  const attached = await attach(scope);
  if (attached === 'now') await analyze(withoutTimeLimits, 'public');
  if (attached !== 'before') return 0;
  const before = new Date(scope.clock.now().getTime() - days * DAY_MS);
  let total = 0;
  let analyzed = await analyzedLinks(scope);
  let grown = 0;
  for (let after: string | null = ''; after !== null && shouldContinue(); ) {
    const { archived, lastId } = await archiveBatch(scope, after, before, shouldContinue);
    total += archived;
    after = lastId;
    grown += archived;
    // Kept plans of an empty table read all of it. Autovacuum analyzes it too late while it is filled.
    if (grown > 0 && grown >= analyzed) {
      await analyze(withoutTimeLimits, 'archive');
      [analyzed, grown] = [analyzed + grown, 0];
    }
  }
  if (total > 0) scope.log.info({ links: total }, 'closed payment links were archived');
  return total;
}

/** Result of a batch: the number of archived links, and the last id that it looked at; null if no link is left. */
interface Batch {
  archived: number;
  lastId: string | null;
}

/** Archives what can be archived of the batch after this id. Links that fail stay where they are. */
async function archiveBatch(scope: Scope, after: string, before: Date, shouldContinue: () => boolean): Promise<Batch> {
  try {
    return await archiveNext(scope, after, before, BATCH);
  } catch (error) {
    if (isLasting(error)) throw error;
    return archiveOneByOne(scope, after, before, shouldContinue);
  }
}

/** Archives the next links after this id, in one transaction. */
async function archiveNext(scope: Scope, after: string, before: Date, limit: number): Promise<Batch> {
  const [batch]: Batch[] = await sql(
    fresh(scope).em,
    'select archived, last_id as "lastId" from archive_links($1, $2, $3, $4)',
    [after, firstIdAt('paymentLink', before), before, limit],
  );
  return batch ?? { archived: 0, lastId: null };
}

/** Archives the links of a batch that failed, each in its own transaction. */
async function archiveOneByOne(
  scope: Scope,
  after: string,
  before: Date,
  shouldContinue: () => boolean,
): Promise<Batch> {
  const ids: { id: string }[] = await sql(
    fresh(scope).em,
    'select id from only payment_links where id > $1 and id < $2 order by id limit $3',
    [after, firstIdAt('paymentLink', before), BATCH],
  );
  const batch: Batch = { archived: 0, lastId: null };
  let locked = 0;
  for (const { id } of ids) {
    if (!shouldContinue()) break;
    try {
      batch.archived += (await archiveNext(scope, batch.lastId ?? after, before, 1)).archived;
    } catch (error) {
      if (isLasting(error)) throw error;
      if (isLockConflict(error)) locked += 1;
      // Texts of the server may quote the row, and so a patient.
      else scope.log.error({ paymentLinkId: id, sqlState: sqlState(error) }, 'the link could not be archived');
    }
    batch.lastId = id;
  }
  if (locked > 0) scope.log.info({ links: locked }, 'links with a locked row are archived later');
  return batch;
}

/** Returns true if the next link would meet the same error. */
function isLasting(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !isLockConflict(error);
}

/** Returns the number of archived links that the planner knows of: those of the last `analyze`. */
async function analyzedLinks({ em }: Scope): Promise<number> {
  const [row] = await sql<{ count: number }>(
    em,
    `select greatest(reltuples, 0)::float8 as count from pg_class
     where relnamespace = 'archive'::regnamespace and relname = 'payment_links'`,
  );
  return row?.count ?? 0;
}

/**
 * Makes the statistics of one table of each pair. Those of a present table are also those of both together. A table that
 * another transaction keeps locked is left to autovacuum.
 */
async function analyze(withoutTimeLimits: WithoutTimeLimits, schema: 'public' | 'archive'): Promise<void> {
  await withoutTimeLimits(async (scope) => {
    const pairs: { name: string }[] = await sql(
      scope.em,
      `select relname as name from pg_class where relnamespace = 'archive'::regnamespace and relkind = 'r' order by 1`,
    );
    for (const { name } of pairs) {
      try {
        await inTransaction(scope, async ({ em }) => {
          await sql(em, `set local lock_timeout = '${ANALYZE_LOCK_TIMEOUT}'`);
          await sql(em, `analyze ${schema}.${name}`);
        });
      } catch (error) {
        if (!isLockConflict(error)) throw error;
        scope.log.info({ table: `${schema}.${name}` }, 'a table is locked; autovacuum analyzes it later');
      }
    }
  });
}

/**
 * Attaches the archive to the present tables, each pair in its own transaction.
 *
 * @returns when all were attached; `later` if one is locked, and the next run goes on
 */
async function attach({ em, log }: Scope): Promise<'before' | 'now' | 'later'> {
  const attachNext = async () => {
    const [next] = await sql<{ attached: number }>(em, 'select attach_archive(1) as attached');
    return next?.attached ?? 0;
  };
  let attached = 0;
  try {
    for (let count = -1; count !== 0; attached += count) count = await retryOnLocks(attachNext, ATTACH_TRIES);
    if (attached === 0) return 'before';
    log.info('the archive of payment links is attached; the next run begins to fill it');
    return 'now';
  } catch (error) {
    if (!isLockConflict(error)) throw error;
    log.info('a table of the archive is locked; the next run tries again');
    return 'later';
  }
}
