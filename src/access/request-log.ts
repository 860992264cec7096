import type { OperationId } from '../contract/operations-type.ts';
import type { ErrorCode } from '../platform/base/errors.ts';
import { newId } from '../platform/base/ids.ts';
import type { Caller, Scope } from '../platform/base/scope.ts';
import { jsonRow } from '../platform/database/query/columns.ts';
import { sql } from '../platform/database/query/sql.ts';
import { createWriteBehind, type WriteBehind } from '../platform/database/query/write-behind.ts';

/* The log of API requests, which developers read in the console. */

/** Requests of one practice, mode and minute that each process logs: this many with an error, and as many without. */
export const LOGGED_PER_MINUTE = 60;

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

export type RequestLog = WriteBehind<AnsweredRequest>;

export function createRequestLog(newScope: () => Scope): RequestLog {
  const log = createWriteBehind(newScope, 'the log of API requests', insert);
  const isWithinLimit = createMinuteLimit();
  return {
    ...log,
    add(request) {
      if (isWithinLimit(request)) log.add(request);
    },
  };
}

/** Returns the check of the limit per practice, mode and minute. Errors count apart, so that a busy key does not hide them. */
function createMinuteLimit(): (request: AnsweredRequest) => boolean {
  let minute = -1;
  const counts = new Map<string, number>();
  return ({ caller, status, at }) => {
    const thisMinute = Math.floor(at.getTime() / MINUTE_MS);
    if (thisMinute !== minute) counts.clear();
    minute = thisMinute;
    const key = `${caller.practiceId} ${caller.test} ${status >= 400}`;
    const count = counts.get(key) ?? 0;
    if (count >= LOGGED_PER_MINUTE) return false;
    counts.set(key, count + 1);
    return true;
  };
}

/** The rows are worth no wait for synchronous standbys, and a crash may lose them. */
async function insert({ em }: Scope, requests: readonly AnsweredRequest[]): Promise<void> {
  const rows = requests.map(({ caller: { practiceId, test, apiKeyId }, at, ...answer }) =>
    jsonRow({ id: newId('apiRequest', at), practiceId, test, apiKeyId, ...answer, createdAt: at }),
  );
  await sql(
    em,
    `insert into api_requests
     select r.* from json_populate_recordset(null::api_requests, $1) as r, set_config('synchronous_commit', 'off', true)`,
    [JSON.stringify(rows)],
  );
}
