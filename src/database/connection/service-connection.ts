import { PLAN_HINTS } from '../query/plan-hints.ts';
import { type Connection, connectionTo } from './connection.ts';

/**
 * Limits of the service's connections, in milliseconds. They turn a stuck database into an error.
 *
 * - `idle_in_transaction_session_timeout`: a process that was frozen inside a transaction blocks its practice so long.
 * - `answerTimeoutMillis`: a connection on which no answer arrives is closed.
 * - `keepAlive`: an idle connection that is dead is noticed within 20 seconds instead of two hours.
 */
export const DATABASE_LIMITS = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 15_000,
  lock_timeout: 2_000,
  answerTimeoutMillis: 20_000,
  idle_in_transaction_session_timeout: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

/** Limits of a worker. It waits only briefly for a lock: its work is repeated, and other work waits behind it. */
export const WORKER_LIMITS: Partial<DatabaseLimits> = { lock_timeout: 250 };

/**
 * Settings of every session of the ORM's pools. With `client_connection_check_interval`, in milliseconds, the server ends
 * a statement whose client has closed the connection, and releases its locks.
 */
export const SESSION = Object.entries({ timezone: 'UTC', ...PLAN_HINTS, client_connection_check_interval: '1000' })
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** Limits of the service's connections; tests shorten them. */
export type DatabaseLimits = typeof DATABASE_LIMITS;

/** Returns the configuration of the service's connections. */
export function serviceConnection(databaseUrl: string, limits: Partial<DatabaseLimits> = {}): Connection {
  return connectionTo(databaseUrl, {
    applicationName: 'paylinks',
    session: SESSION,
    limits: { ...DATABASE_LIMITS, ...limits },
  });
}

/** Returns the configuration of connections that migrate. They have no time limits, because migrations may take long. */
export function migratingConnection(databaseUrl: string): Connection {
  return connectionTo(databaseUrl, {
    applicationName: 'paylinks migrate',
    session: '-c timezone=UTC',
    limits: { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 },
  });
}
