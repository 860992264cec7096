import type { Scope } from '../base/scope.ts';
import { answerWithin } from '../base/time/time-budget.ts';
import { DatabaseUnavailable } from '../database/query/errors.ts';
import { sql } from '../database/query/sql.ts';

/** How long an answer of the database holds, and how long it may take. */
const FRESH_MS = 1_000;
const PATIENCE_MS = 1_000;

/**
 * Resolves while the process can serve requests, and throws `DatabaseUnavailable` while its database is away; true to
 * within two seconds. However often it is asked, the database gets one query a second at most, over one connection.
 */
export function createReadiness(newScope: () => Scope): () => Promise<void> {
  let answer: Promise<void> | undefined;
  let isSettled = true;
  let askedMs = Number.NEGATIVE_INFINITY;
  const ask = async (): Promise<void> => {
    try {
      await answerWithin({ totalMs: PATIENCE_MS }, () => select(newScope()));
    } catch (error) {
      throw new DatabaseUnavailable(error);
    }
  };
  /** Still waits for a connection when its time is over; until then no other query is begun. */
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
