import { DriverException } from '@mikro-orm/postgresql';
import { sqlState } from '../../base/sql-state.ts';
import { OutOfTime } from '../../base/time/time-budget.ts';

/** The database could not be reached or did not answer; nothing is known about the statement. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database is out of reach', { cause });
    this.name = 'DatabaseUnavailable';
  }
}

/** The SQLSTATE by which a function of ours asks for its statement to be repeated. */
export const SERIALIZATION_FAILURE = '40001';

/** The SQLSTATE of a lock that could not be had in time, or at once where that was asked for. */
const LOCK_NOT_AVAILABLE = '55P03';

/** SQLSTATE classes that tell of the server's state, not of our statement: connection, resources, shutdown. */
const TROUBLE_CLASSES = ['08', '53', '57'];

/**
 * Single conditions of the kind: serialization failure, deadlock, lock time-out, transaction ended while idle, and a
 * server that was demoted and only reads.
 */
const TROUBLE_CODES = [SERIALIZATION_FAILURE, '40P01', LOCK_NOT_AVAILABLE, '25P03', '25006'];

/**
 * Whether an error means that the database is away, overloaded or going down, so that the same request may succeed
 * shortly. A driver's error without SQLSTATE comes from the connection, not from the server.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable || error instanceof OutOfTime) return true;
  const state = sqlState(error);
  if (state !== null) return TROUBLE_CLASSES.includes(state.slice(0, 2)) || TROUBLE_CODES.includes(state);
  return error instanceof DriverException;
}

/** Whether an error hangs on what a statement asked or met, a lock or a rule, so that another may well succeed. */
export function isOfStatement(error: unknown): boolean {
  const state = sqlState(error);
  return state !== null && !TROUBLE_CLASSES.includes(state.slice(0, 2));
}

/** Whether a statement ended because somebody else held a lock for too long. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === LOCK_NOT_AVAILABLE;
}
