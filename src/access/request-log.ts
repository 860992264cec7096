import { document, METHODS } from '../contract/document.ts';
import { firstIdAt, isId, newId } from '../platform/base/ids.ts';
import type { Caller, Scope } from '../platform/base/scope.ts';
import { jsonRow } from '../platform/database/query/columns.ts';
import { sql } from '../platform/database/query/sql.ts';
import { createWriteBehind, type WriteBehind } from '../platform/database/query/write-behind.ts';
import { ApiRequest } from './api-request.entity.ts';
import type { KeyOwner } from './service.ts';

/* The log of API requests, which developers read in the console. */

/** Requests of one practice, mode and minute that each process logs: so many with an error, and as many without. */
export const LOGGED_PER_MINUTE = 60;

type Answer = Pick<ApiRequest, 'requestId' | 'operation' | 'status' | 'errorCode' | 'durationMs'>;

export interface AnsweredRequest extends Answer {
  caller: Pick<Caller, 'practiceId' | 'test' | 'apiKeyId'>;
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
    const thisMinute = Math.floor(at.getTime() / 60_000);
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

const PAGE_SIZE = 50;

const documented = Object.values(document.paths ?? {}).flatMap((item) =>
  METHODS.flatMap((method) => Object.keys(item?.[method]?.responses ?? {})),
);

/** Statuses that the contract documents, in their order. */
export const STATUSES: readonly number[] = [...new Set(documented.map(Number))].toSorted((one, other) => one - other);

/** Classes of statuses by which the list is filtered. */
export const STATUS_CLASSES = ['2', '4', '5', 'refused'] as const;

/** Class of a status: its first digit, or `refused` for 400 and above. */
export type StatusClass = (typeof STATUS_CLASSES)[number];

export interface RequestFilter {
  /** One status, or a class of them. */
  status: number | StatusClass | null;
  apiKeyId: string | null;
  /** Only requests older than the one with this id. */
  before: string | null;
}

/** Time for which requests are kept: three days. */
export const REQUESTS_KEPT_MS = 3 * 86_400_000;

/**
 * Returns a page of the logged requests of a practice and mode, newest first. `older` is the value of `before` for the next page; null
 * on the last one.
 */
export async function listRequests(
  { em, clock }: Scope,
  { practiceId, test }: KeyOwner,
  { status, apiKeyId, before }: RequestFilter,
) {
  const since = firstIdAt('apiRequest', new Date(clock.now().getTime() - REQUESTS_KEPT_MS));
  const rows = await em.find(
    ApiRequest,
    {
      practiceId,
      test,
      $and: [
        // The retention may run late.
        { id: { $gte: since } },
        ...(before === null || !isId('apiRequest', before) ? [] : [{ id: { $lt: before } }]),
        ...(status === null ? [] : writeConditions(status)),
        ...(apiKeyId === null ? [] : [{ apiKeyId }]),
      ],
    },
    { orderBy: { id: 'desc' }, limit: PAGE_SIZE + 1 },
  );
  const requests = rows.slice(0, PAGE_SIZE);
  return { requests, older: rows.length > PAGE_SIZE ? (requests.at(-1)?.id ?? null) : null };
}

function writeConditions(status: number | StatusClass) {
  if (typeof status === 'number') return [{ status }];
  if (status === 'refused') return [{ status: { $gte: 400 } }];
  const from = Number(status) * 100;
  return [{ status: { $gte: from } }, { status: { $lt: from + 100 } }];
}
