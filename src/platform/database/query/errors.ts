import { DriverException } from '@mikro-orm/postgresql';
import { sqlState } from '../../base/sql-state.ts';
import { OutOfTime } from '../../base/time/time-budget.ts';

/** The database could not be reached or did not answer. The outcome of the statement is unknown. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database is out of reach', { cause });
    this.name = 'DatabaseUnavailable';
  }
}

/** With it, our SQL functions ask the caller to repeat the statement. */
export const SERIALIZATION_FAILURE = '40001';
export const UNIQUE_VIOLATION = '23505';
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/**
 * Classes about the state of the server: connection, login, missing database, resources, shutdown. A login is also refused
 * while a password changes.
 */
const SERVER_CLASSES = ['08', '28', '3D', '53', '57'];

/**
 * Of a standby: a write gets 25006, and any use of an unlogged table 0A000. A plan that no longer fits its table also
 * gets 0A000, and needs a new connection, too. No other statement of ours is unsupported.
 */
const STANDBY_STATES = ['25006', '0A000'];

/** Further SQLSTATEs after which a request can be retried; 25P03 ends a transaction that was idle. */
const RETRYABLE_STATES = [SERIALIZATION_FAILURE, DEADLOCK, LOCK_NOT_AVAILABLE, '25P03', ...STANDBY_STATES];

/** Returns true if the same request may succeed soon. A driver error without SQLSTATE comes from the connection. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable || error instanceof OutOfTime) return true;
  const state = sqlState(error);
  if (state !== null) return SERVER_CLASSES.includes(state.slice(0, 2)) || RETRYABLE_STATES.includes(state);
  return error instanceof DriverException;
}

/** Returns true for a lock or a constraint, for example. Other statements may succeed. */
export function isOfStatement(error: unknown): boolean {
  const state = sqlState(error);
  return state !== null && !SERVER_CLASSES.includes(state.slice(0, 2));
}

/** The server ended the session: by command or at its stop, in a crash, or because it was idle. */
const SESSION_ENDS = ['57P01', '57P02', '57P05', '25P03'];

/** Returns true if no other statement may use the connection: its session has ended, or the server is a standby. */
export function needsNewConnection(error: unknown): boolean {
  return [...SESSION_ENDS, ...STANDBY_STATES].includes(sqlState(error) ?? '');
}

export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === LOCK_NOT_AVAILABLE;
}

export function isLockConflict(error: unknown): boolean {
  return isLockTimeout(error) || sqlState(error) === DEADLOCK;
}
