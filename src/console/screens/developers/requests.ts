import { STATUS_CODES } from 'node:http';
import type { ApiKey } from '../../../access/api-key.entity.ts';
import type { ApiRequest } from '../../../access/api-request.entity.ts';
import { LOGGED_PER_MINUTE, listRequests, type RequestFilter, STATUSES } from '../../../access/request-log.ts';
import { listOwnedKeys } from '../../../access/service.ts';
import { operations } from '../../../contract/document.ts';
import * as ui from '../../../web/blocks.ts';
import { type MemberVisit, ownerOf, type Reply } from '../../routing/visit.ts';
import { isFiltered, listBlocks, typedTexts } from '../filters.ts';
import { type Formats, readPracticeFormats } from '../formats.ts';
import { developerTabs, keyName } from './visit.ts';

/** Values of the filter with their words, and the statuses that they select: from the first to below the second. */
const STATUS_OPTIONS: readonly (readonly [string, string, readonly [number, number]])[] = [
  ['2', '2xx: success', [200, 300]],
  ['4', '4xx: refused', [400, 500]],
  ['5', '5xx: failed', [500, 600]],
  ['refused', 'All errors', [400, 600]],
  ...STATUSES.map((status) => [`${status}`, `${status} ${STATUS_CODES[status] ?? ''}`, [status, status + 1]] as const),
];

export async function showRequests(visit: MemberVisit): Promise<Reply> {
  const { scope, query } = visit;
  const input = typedTexts(query, ['status', 'key']);
  const filter = parseFilter(input, query.get('start') ?? null);
  const { requests, older } = await listRequests(scope, ownerOf(visit), filter);
  const keys = await listOwnedKeys(scope, ownerOf(visit));
  const path = visit.modePath('/developers/requests');
  const formats = await readPracticeFormats(visit);
  const statuses = STATUS_OPTIONS.map(([value, words]) => [value, words] as const);
  return ui.page('API requests', {}, [
    developerTabs(visit, 'requests'),
    ui.lead('Requests of your keys in the last three days, the newest first. New ones appear after a few seconds.'),
    ui.filterForm(path, isFiltered(input), [
      ui.field('status', 'Status', input.status, { all: 'All', options: statuses }),
      ui.field('key', 'Key', input.key, { all: 'All', options: keys.map((key) => [key.id, keyName(key)]) }),
    ]),
    listBlocks(visit, formats, {
      ...{ title: 'API requests', path, input, rows: requests, columns: requestColumns(visit, keys, formats) },
      empty: ui.text('There was no request yet.', { class: 'card' }),
      next: older,
    }),
    ui.text(
      `Busy keys: each server keeps at most ${LOGGED_PER_MINUTE} requests with an error and ${LOGGED_PER_MINUTE} without per minute. Requests without a valid key are not here.`,
      { class: 'hint' },
    ),
  ]);
}

/** Returns the columns of the table. An operation of another release is shown by its name. */
function requestColumns(visit: MemberVisit, keys: readonly ApiKey[], { exact }: Formats): ui.Column<ApiRequest>[] {
  const names = new Map(keys.map((key) => [key.id, keyName(key)]));
  const keyLink = ({ apiKeyId: id }: ApiRequest) =>
    ui.link(visit.modePath(`/developers/keys/${id}`), names.get(id) ?? id);
  return [
    ['Time', ({ createdAt }) => exact(createdAt)],
    ['Request', ({ operation }) => operationText(operation)],
    ['Status', statusText],
    ['Key', keyLink, 'whole'],
    ['Duration', ({ durationMs }) => `${durationMs} ms`],
    ['Request id', ({ requestId }) => ui.mark('code', requestId)],
  ];
}

function operationText(name: string): ui.Content {
  const operation = operations.find(({ operationId }) => operationId === name);
  return [ui.mark('strong', operation?.method ?? ''), ' ', ui.mark('code', operation?.path ?? name)];
}

function statusText({ status, errorCode }: ApiRequest): ui.Content {
  const code = status >= 400 ? ui.mark('strong', `${status}`, 'error-status') : `${status}`;
  return errorCode === null ? code : [code, ' ', ui.mark('code', errorCode)];
}

/** Returns the filter of a form. An unknown status filters nothing, and an unknown key finds nothing. */
function parseFilter({ status, key }: Record<'status' | 'key', string>, before: string | null): RequestFilter {
  return {
    statuses: STATUS_OPTIONS.find(([value]) => value === status)?.[2] ?? null,
    apiKeyId: key || null,
    before,
  };
}
