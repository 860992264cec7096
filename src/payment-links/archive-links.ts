import { report } from '../base/diagnostics.ts';
import { firstIdAt } from '../base/ids.ts';
import { fresh, type Scope } from '../base/scope.ts';
import { sqlState } from '../base/sql-state.ts';
import type { WithoutTimeLimits } from '../database/maintenance.ts';
import { isDatabaseUnavailable, isLockConflict } from '../database/query/errors.ts';
import { sql } from '../database/query/sql.ts';
import { analyzedLinks, analyzeTables, attachTables } from './archive-tables.ts';

/*
 * Closed links leave the tables that every request uses (docs/decisions/0052-archive.md). All reads find them as before.
 * `link/lock.ts` brings a link back before it changes.
 */

/**
 * Shortest time after which links are archived. Banks accept disputes for 120 days as a rule. The processor is asked about a
 * payment for up to 127 days. Events are kept for 90 days, and redelivered ones for some 30 more.
 */
export const SHORTEST_ARCHIVE_DAYS = 180;

/** Most links per statement. A late change of one of them waits for it; docs/decisions/0052-archive.md has the times. */
const BATCH = 100;

const DAY_MS = 86_400_000;

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
 * A walk looks at each unarchived link older than `days` once, in order of ids, in as many runs as needed. The next walk starts
 * a day after the start of this one, but not before its end. So a link that is not final yet, or that is locked or refused, is looked at once a day.
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
  const scope = newScope();
  if (days === null) {
    await sql(scope.em, 'delete from archive_walk');
    return 0;
  }
  const now = scope.clock.now();
  // Starts the walk first, so that its age is a metric even if the archive cannot be attached.
  const walk = await presentWalk(scope, days, now);
  const attached = await attachTables(scope);
  if (attached === 'attached') await analyzeTables(withoutTimeLimits, 'public');
  if (attached !== 'already') return 0;
  if (walk.lastId === null) return 0;
  const before = new Date(now.getTime() - days * DAY_MS);
  let total = 0;
  let analyzed = await analyzedLinks(scope);
  let grown = 0;
  let lastId: string | null = walk.lastId;
  while (lastId !== null && shouldContinue()) {
    const batch: Batch = await archiveBatch(scope, lastId, before, shouldContinue);
    report('links_archived', () => ({ links: batch.archived }));
    total += batch.archived;
    lastId = batch.lastId;
    grown += batch.archived;
    // Kept plans of an empty table read all of it. Autovacuum analyzes it too late while it is filled.
    if (grown > 0 && grown >= analyzed) {
      await analyzeTables(withoutTimeLimits, 'archive');
      [analyzed, grown] = [analyzed + grown, 0];
    }
  }
  await storeProgress(scope, walk, lastId);
  if (total > 0) scope.log.info({ links: total }, 'closed payment links were archived');
  return total;
}

/** Progress of a walk. */
interface Walk {
  /** Text of the time, as the database writes it. */
  startedAt: string;
  /** The last link that was looked at; '' for none. Null at the end of the walk. */
  lastId: string | null;
}

/**
 * Returns the present walk. A new one begins a day after the beginning of one that has ended, and with another number of days. It
 * also begins after one of the future, whose worker's clock was ahead.
 */
async function presentWalk({ em }: Scope, days: number, now: Date): Promise<Walk> {
  await sql(
    em,
    `insert into archive_walk as w (after_days, started_at) values ($1, $2)
     on conflict (is_only) do update set after_days = excluded.after_days, started_at = excluded.started_at, last_id = ''
     where w.after_days <> excluded.after_days or w.last_id is null and w.started_at <= $3 or w.started_at > $2`,
    [days, now, new Date(now.getTime() - DAY_MS)],
  );
  const [walk] = await sql<Walk>(em, 'select started_at as "startedAt", last_id as "lastId" from archive_walk');
  // A worker without ARCHIVE_AFTER_DAYS has just deleted the row. No row has this time, so this run stores nothing.
  return walk ?? { startedAt: 'infinity', lastId: null };
}

/**
 * Stores how far the walk has come, at the end of a run. After a crash, the next run looks again at the links that the lost one
 * left behind. That is quick, because the archived ones are gone. A hung run of a former walk changes nothing.
 */
async function storeProgress({ em }: Scope, { startedAt }: Walk, lastId: string | null): Promise<void> {
  await sql(em, 'update archive_walk set last_id = $1 where started_at = $2', [lastId, startedAt]);
}

/** Result of a batch: the number of archived links, and the last id that it looked at; null if no link is left. */
interface Batch {
  archived: number;
  lastId: string | null;
}

/** Archives what can be archived of the batch after this id. Links that fail stay where they are. */
async function archiveBatch(scope: Scope, after: string, before: Date, shouldContinue: () => boolean): Promise<Batch> {
  try {
    return await archiveNext(scope, after, before);
  } catch (error) {
    if (isLasting(error)) throw error;
    return archiveOneByOne(scope, after, before, shouldContinue);
  }
}

/** Archives one link, if it is final. Returns the number of archived links. */
async function archiveOne(scope: Scope, id: string, before: Date): Promise<number> {
  const [row] = await sql<{ archived: number }>(
    fresh(scope).em,
    'select archive_chosen_links(array[$1], $2) as archived',
    [id, before],
  );
  return row?.archived ?? 0;
}

/** Archives the next links after this id, in one transaction. */
async function archiveNext(scope: Scope, after: string, before: Date): Promise<Batch> {
  const [batch]: Batch[] = await sql(
    fresh(scope).em,
    'select archived, last_id as "lastId" from archive_links($1, $2, $3, $4)',
    [after, firstIdAt('paymentLink', before), before, BATCH],
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
  const [candidates] = await sql<{ ids: string[]; lastId: string | null }>(
    fresh(scope).em,
    'select ids, last_id as "lastId" from archive_candidates($1, $2, $3, $4)',
    [after, firstIdAt('paymentLink', before), before, BATCH],
  );
  const batch = { archived: 0, lastId: after };
  let locked = 0;
  for (const id of candidates?.ids ?? []) {
    if (!shouldContinue()) return batch;
    try {
      batch.archived += await archiveOne(scope, id, before);
    } catch (error) {
      if (isLasting(error)) throw error;
      const reason = isLockConflict(error) ? 'locked' : 'refused';
      report('link_not_archived', () => ({ reason }));
      if (reason === 'locked') locked += 1;
      // Texts of the server may quote the row, and so a patient.
      else scope.log.error({ paymentLinkId: id, sqlState: sqlState(error) }, 'the link could not be archived');
    }
    batch.lastId = id;
  }
  if (locked > 0) scope.log.info({ links: locked }, 'links with a locked row are archived later');
  return { ...batch, lastId: candidates?.lastId ?? null };
}

/** Returns true if the next link would meet the same error. */
function isLasting(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !isLockConflict(error);
}
