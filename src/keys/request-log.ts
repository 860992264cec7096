import type { ErrorCode } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { logRepeated } from '../base/log/log-repeated.ts';
import type { Caller, Scope } from '../base/scope.ts';
import type { OperationId } from '../contract/operations-type.ts';
import { sql } from '../database/query/sql.ts';

/*
 * The log of API requests, which developers read in the console. Requests only append to a list in memory. One statement
 * per second writes the list. The log is a help and no record: when it cannot keep up, it leaves requests out.
 */

/** Requests of one practice, mode and minute that each process logs: this many with an error, and as many without. */
export const LOGGED_PER_MINUTE = 60;

const PAUSE_MS = 1_000;

/** Most requests in memory. Further ones are left out until the next statement. */
const MAX_WAITING = 2_000;

/** Longest wait for the last statement when the process ends. */
const LAST_WRITE_MS = 1_000;

const MINUTE_MS = 60_000;

export interface AnsweredRequest {
  caller: Pick<Caller, 'practiceId' | 'test' | 'apiKeyId'>;
  requestId: string;
  operation: OperationId;
  status: number;
  errorCode: ErrorCode | null;
  durationMs: number;
  at: Date;
}

export interface RequestLog {
  /** Takes a request. Never waits and never throws. */
  add(request: AnsweredRequest): void;
  /** Writes what waits, for at most a second, and ends the log. */
  close(): Promise<void>;
}

/** Creates the log of a process, which writes once a second while there are requests. */
export function createRequestLog(newScope: () => Scope): RequestLog {
  let waiting: AnsweredRequest[] = [];
  let omitted = 0;
  let writing: Promise<void> | null = null;
  const isWithinLimit = minuteLimit();

  const write = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    const scope = newScope();
    if (omitted > 0) {
      scope.log.warn({ omitted }, 'the log of API requests left requests out: the database was slow');
      omitted = 0;
    }
    await insert(scope, batch).catch((err) => {
      logRepeated(scope.log, 'warn', { err, omitted: batch.length }, 'the log of API requests left requests out');
    });
  };
  const writeNext = (): Promise<void> => {
    // One statement at a time: a slow database gets no further ones.
    if (writing === null && waiting.length > 0) {
      writing = write().finally(() => {
        writing = null;
      });
    }
    return writing ?? Promise.resolve();
  };
  const timer = setInterval(() => void writeNext(), PAUSE_MS).unref();

  return {
    add(request) {
      if (!isWithinLimit(request)) return;
      if (waiting.length < MAX_WAITING) waiting.push(request);
      else omitted++;
    },
    async close() {
      clearInterval(timer);
      const { promise: isLate, resolve } = Promise.withResolvers<void>();
      const limit = setTimeout(resolve, LAST_WRITE_MS);
      await Promise.race([writeNext().then(writeNext), isLate]);
      clearTimeout(limit);
    },
  };
}

/** Returns the check of the limit per practice, mode and minute. Errors count apart, so that a busy key does not hide them. */
function minuteLimit(): (request: AnsweredRequest) => boolean {
  let minute = -1;
  const counts = new Map<string, number>();
  return ({ caller, status, at }) => {
    const present = Math.floor(at.getTime() / MINUTE_MS);
    if (present !== minute) counts.clear();
    minute = present;
    const key = `${caller.practiceId} ${caller.test} ${status >= 400}`;
    const count = counts.get(key) ?? 0;
    if (count >= LOGGED_PER_MINUTE) return false;
    counts.set(key, count + 1);
    return true;
  };
}

/** The rows are worth no wait for synchronous standbys, and a crash may lose them. */
async function insert({ em }: Scope, requests: readonly AnsweredRequest[]): Promise<void> {
  const rows = requests.map(({ caller, at, ...request }) => ({
    ...{ id: newId('apiRequest', at), practice_id: caller.practiceId, test: caller.test, api_key_id: caller.apiKeyId },
    ...{ request_id: request.requestId, operation: request.operation, status: request.status },
    ...{ error_code: request.errorCode, duration_ms: request.durationMs, created_at: at },
  }));
  await sql(
    em,
    `insert into api_requests
     select r.* from json_populate_recordset(null::api_requests, $1) as r, set_config('synchronous_commit', 'off', true)`,
    [JSON.stringify(rows)],
  );
}
