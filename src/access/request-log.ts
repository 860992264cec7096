import { document, METHODS } from '../contract/document.ts';
import { firstIdAt, isId, newId } from '../platform/base/ids.ts';
import type { Caller, Scope } from '../platform/base/scope.ts';
import { jsonRow } from '../platform/database/query/columns.ts';
import { deleteFirst } from '../platform/database/query/delete-first.ts';
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
  const counts = new Map<string, number>();
  let minute = -1;
  return {
    ...log,
    add(request) {
      const { caller, status, at } = request;
      const thisMinute = Math.floor(at.getTime() / 60_000);
      if (thisMinute !== minute) counts.clear();
      minute = thisMinute;
      // Errors count apart, so that a busy key does not hide them.
      const key = `${caller.practiceId} ${caller.test} ${status >= 400}`;
      const count = (counts.get(key) ?? 0) + 1;
      if (count > LOGGED_PER_MINUTE) return;
      counts.set(key, count);
      log.add(request);
    },
  };
}

/** The commit does not wait for synchronous standbys, because a crash may lose the rows. */
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

export interface RequestFilter {
  /** The first status, and the one behind the last. */
  statuses: readonly [number, number] | null;
  apiKeyId: string | null;
  /** Only requests older than the one with this id. */
  before: string | null;
}

/** Time for which requests are kept: three days. */
const REQUESTS_KEPT_MS = 3 * 86_400_000;

/** Deletes logged requests that are older than three days. @returns true if there may be more */
export function purgeApiRequests(scope: Scope): Promise<boolean> {
  const before = firstIdAt('apiRequest', new Date(scope.clock.now().getTime() - REQUESTS_KEPT_MS));
  return deleteFirst(scope, 'api_requests', 'id < $1 order by id', [before]);
}

/** Returns a page of the logged requests, newest first. `older` is `before` of the next page; null on the last one. */
export async function listRequests(
  { em, clock }: Scope,
  { practiceId, test }: KeyOwner,
  { statuses, apiKeyId, before }: RequestFilter,
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
        ...(statuses === null ? [] : [{ status: { $gte: statuses[0], $lt: statuses[1] } }]),
        ...(apiKeyId === null ? [] : [{ apiKeyId }]),
      ],
    },
    { orderBy: { id: 'desc' }, limit: PAGE_SIZE + 1 },
  );
  const requests = rows.slice(0, PAGE_SIZE);
  return { requests, older: rows.length > PAGE_SIZE ? (requests.at(-1)?.id ?? null) : null };
}
