import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Scope } from '../base/scope.ts';
import { ANNOUNCEMENT_LOCK } from './connection/session-client.ts';
import { sql } from './query/sql.ts';

/*
 * Connections that the processes of one database may open. Pools open them on demand, so a list of sessions does not show
 * what may come. Each process announces its maximum by an advisory lock of its sessions, which ends with the process.
 */

/** Count of random numbers, which distinguish processes of the same maximum. */
const PROCESS_NUMBERS = 2 ** 20;

/** Pause between two tries to read a database that is unavailable. */
const RETRY_MS = 2_000;

/** The announced maximum of all processes, and the limit of the server. */
export interface ConnectionUse {
  processes: number;
  /** Connections that these processes may open. */
  connections: number;
  /** Connections that the server allows to the account of the service. */
  allowed: number;
}

/** Returns the announcement of a process, for its sessions: its maximum of connections, and a random number. */
export function announcementOf(connections: number): number {
  return connections * PROCESS_NUMBERS + randomInt(PROCESS_NUMBERS);
}

/** Reads the maximum of all processes that have a session in this database. A process without one is not counted. */
export async function readConnectionUse({ em }: Pick<Scope, 'em'>): Promise<ConnectionUse> {
  const [row] = await sql<ConnectionUse>(em, USE, [ANNOUNCEMENT_LOCK, PROCESS_NUMBERS]);
  if (row === undefined) throw new Error('the statement returns one row');
  return row;
}

/** The limits of a database and of an account are -1 if there is none. PostgreSQL 15 has no `reserved_connections`. */
const USE = `
  select count(*)::integer as processes, coalesce(sum(process.announcement / $2::bigint), 0)::integer as connections,
    least(
      current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
        - coalesce(current_setting('reserved_connections', true)::integer, 0),
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = session_user)
    ) as allowed
  from (
    select distinct l.objid::bigint as announcement
    from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
    where l.locktype = 'advisory' and l.objsubid = 2 and l.classid = $1::bigint::oid
  ) as process`;

/** Logs a warning if the processes of this database may open more connections than the server allows. */
export async function warnOfFewConnections(scope: Scope): Promise<void> {
  const use = await readConnectionUse(scope);
  if (use.connections <= use.allowed) return;
  scope.log.warn(
    use,
    'the processes of this database may open more connections than it allows: raise max_connections, or the connection ' +
      'limit of the database or account, or run fewer processes (docs/operations.md, Size and connections)',
  );
}

/** Checks the connections at the start of a process, as soon as the database answers. Ends early by the signal. */
export async function warnAtStart(newScope: () => Scope, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await warnOfFewConnections(newScope());
    } catch (err) {
      newScope().log.debug({ err }, 'the connections of the processes could not be read');
    }
    await pause(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
