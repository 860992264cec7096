import { document, METHODS } from '../contract/document.ts';
import { firstIdAt, isId } from '../platform/base/ids.ts';
import type { Scope } from '../platform/base/scope.ts';
import { ApiRequest } from './api-request.entity.ts';
import type { KeyOwner } from './service.ts';

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

/** Requests, newest first. `older` is the value of `before` for the next page; null on the last one. */
export interface RequestPage {
  requests: ApiRequest[];
  older: string | null;
}

/** Time for which requests are kept: three days. */
export const REQUESTS_KEPT_MS = 3 * 86_400_000;

/** Returns a page of the logged requests of a practice and mode. */
export async function listRequests(
  { em, clock }: Scope,
  { practiceId, test }: KeyOwner,
  { status, apiKeyId, before }: RequestFilter,
): Promise<RequestPage> {
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
