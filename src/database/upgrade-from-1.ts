import type { EntityManager } from '@mikro-orm/postgresql';
import { UnusableDatabase } from './connection/unusable-database.ts';
import { sql } from './query/sql.ts';

/*
 * Conditions for the upgrade of a database of 1.x. It changes and drops what processes of 1.x use, so it is installed with a
 * stop. Upgrades from 2.0.0 on need nothing of this file.
 */

/**
 * Age of the last heartbeat after which a worker of 1.x counts as ended. Its heartbeats come each second. One of the future is of a
 * clock that was wrong.
 */
const ENDED_AFTER_SECONDS = 10;

/** First number of the advisory locks that processes of 1.x keep while they have a session. */
const LOCK_OF_1X = 8_042_580;

/** Refuses an upgrade of a database of 1.x that would lose or break something. @throws UnusableDatabase with the way out */
export async function requireUpgradable(em: EntityManager): Promise<void> {
  await refuseWhileRunning(em);
  await refuseMoves(em);
}

/** A worker has heartbeats. Processes of the last 1.x, APIs included, also have locks; those of earlier ones have none. */
async function refuseWhileRunning(em: EntityManager): Promise<void> {
  const [found] = await sql<{ heartbeats: number; locks: number }>(
    em,
    `select (select count(*)::integer from job_runner_heartbeats
         where abs(extract(epoch from clock_timestamp() - seen_at)) < $1) as heartbeats,
       (select count(distinct l.objid)::integer from pg_locks l join pg_database d on d.oid = l.database
         where d.datname = current_database() and l.locktype = 'advisory' and l.objsubid = 2
           and l.classid = $2::bigint::oid) as locks`,
    [ENDED_AFTER_SECONDS, LOCK_OF_1X],
  );
  if (found === undefined || found.heartbeats + found.locks === 0) return;
  throw new UnusableDatabase(
    'Processes of version 1.x run on this database, and 2.0.0 changes what they use.',
    `Stop all of them, API and workers, wait ${ENDED_AFTER_SECONDS} seconds, and run scripts/paylinks migrate again.`,
  );
}

/** Versions before 2.0.0 moved practices between cells. This one would serve rows that a moved practice has left behind. */
async function refuseMoves(em: EntityManager): Promise<void> {
  const [table] = await sql<{ exists: boolean }>(em, `select to_regclass('practice_moves') is not null as exists`);
  if (table?.exists !== true) return;
  const practices = await sql<{ id: string; state: string }>(
    em,
    'select id, move_state as state from practices where move_state is not null order by id',
  );
  const listPractices = (isMoved: boolean) =>
    practices.flatMap(({ id, state }) => ((state === 'moved') === isMoved ? [id] : [])).join(' ');
  if (listPractices(false) !== '') {
    throw new UnusableDatabase(
      `Practices are in the middle of a move to another cell: ${listPractices(false)}.`,
      'Finish the move, or cancel it, with the installed version 1.x (paylinks practices move). 2.0.0 moves no practices.',
    );
  }
  if (listPractices(true) !== '') {
    throw new UnusableDatabase(
      `The database still has rows of practices that have moved to another cell: ${listPractices(true)}.`,
      `With the installed version 1.x, run: paylinks practices delete-moved ${listPractices(true)}`,
    );
  }
}
