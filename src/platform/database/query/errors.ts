import { DriverException } from '@mikro-orm/postgresql';
import { sqlState } from '../../base/sql-state.ts';
import { OutOfTime } from '../../base/time/time-budget.ts';

/** Thrown if the database could not be reached or did not answer. The outcome of the statement is unknown. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database is out of reach', { cause });
    this.name = 'DatabaseUnavailable';
  }
}

/** SQLSTATE with which our SQL functions ask the caller to repeat the statement. */
export const SERIALIZATION_FAILURE = '40001';

/** SQLSTATE of a row whose key another transaction has used. */
export const UNIQUE_VIOLATION = '23505';

/** SQLSTATE of a lock timeout, and of `nowait` on a locked row. */
const LOCK_NOT_AVAILABLE = '55P03';

/** SQLSTATE of a transaction that was ended because it and others waited for each other. */
const DEADLOCK = '40P01';

/**
 * SQLSTATE classes that describe the server's state and not our statement: connection, refused login, missing database, resources,
 * shutdown. A login is refused for a while when a password changes at the server before it changes here.
 */
const SERVER_CLASSES = ['08', '28', '3D', '53', '57'];

/**
 * SQLSTATEs of a standby: a write gets 25006, and any use of an unlogged table 0A000. A plan that no longer fits its table
 * also gets 0A000, and needs a new connection as well. No other statement of ours is unsupported.
 */
const STANDBY_STATES = ['25006', '0A000'];

/**
 * Single SQLSTATEs after which a request can be retried: serialization failure, deadlock, lock timeout, transaction ended
 * while idle, and those of a standby.
 */
const RETRYABLE_STATES = [SERIALIZATION_FAILURE, DEADLOCK, LOCK_NOT_AVAILABLE, '25P03', ...STANDBY_STATES];

/**
 * Returns true if the database is unreachable, overloaded or shutting down, so that the same request may succeed soon. A
 * driver error without SQLSTATE comes from the connection and not from the server.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable || error instanceof OutOfTime) return true;
  const state = sqlState(error);
  if (state !== null) return SERVER_CLASSES.includes(state.slice(0, 2)) || RETRYABLE_STATES.includes(state);
  return error instanceof DriverException;
}

/** Returns true if the error concerns one statement, such as a lock or a constraint. Other statements may succeed. */
export function isOfStatement(error: unknown): boolean {
  const state = sqlState(error);
  return state !== null && !SERVER_CLASSES.includes(state.slice(0, 2));
}

/** SQLSTATEs with which the server ends a session: by command or at its stop, in a crash, or because the session was idle. */
const SESSION_ENDS = ['57P01', '57P02', '57P05', '25P03'];

/**
 * Returns true if no other statement may use the connection. The server has ended the session, or is a standby, perhaps until
 * its promotion ends.
 */
export function needsNewConnection(error: unknown): boolean {
  return [...SESSION_ENDS, ...STANDBY_STATES].includes(sqlState(error) ?? '');
}

/** Returns true if a statement ended because another transaction kept a lock for too long. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === LOCK_NOT_AVAILABLE;
}

/** Returns true if a transaction ended because of others' locks: by a lock timeout, or in a deadlock. */
export function isLockConflict(error: unknown): boolean {
  return isLockTimeout(error) || sqlState(error) === DEADLOCK;
}
