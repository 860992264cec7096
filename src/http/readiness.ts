import type { Scope } from '../base/scope.ts';
import { answerWithin } from '../base/time/time-budget.ts';
import { DatabaseUnavailable } from '../database/query/errors.ts';
import { sql } from '../database/query/sql.ts';

/** Time for which an answer of the database is reused. */
const FRESH_MS = 1_000;

/** Longest wait for an answer of the database. */
const TIMEOUT_MS = 1_000;

/**
 * Returns a check that resolves while the process can serve requests, and throws `DatabaseUnavailable` otherwise. The
 * result is at most two seconds old. The check makes at most one query per second, over one connection.
 */
export function createReadiness(newScope: () => Scope): () => Promise<void> {
  let answer: Promise<void> | undefined;
  let isSettled = true;
  let askedMs = Number.NEGATIVE_INFINITY;
  const ask = async (): Promise<void> => {
    try {
      await answerWithin({ totalMs: TIMEOUT_MS }, () => select(newScope()));
    } catch (error) {
      throw new DatabaseUnavailable(error);
    }
  };
  /** Runs the query. It may still wait for a connection after its timeout; until it ends, no other query starts. */
  const select = async (scope: Scope): Promise<void> => {
    isSettled = false;
    try {
      await sql(scope.em, 'select 1');
    } finally {
      isSettled = true;
    }
  };
  return () => {
    const nowMs = performance.now();
    if (answer === undefined || (isSettled && nowMs - askedMs >= FRESH_MS)) {
      askedMs = nowMs;
      answer = ask();
    }
    return answer;
  };
}
