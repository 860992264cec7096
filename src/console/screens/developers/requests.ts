import { type OperationDescription, operations } from '../../../contract/document.ts';
import type { ApiKey } from '../../../keys/api-key.entity.ts';
import type { ApiRequest } from '../../../keys/api-request.entity.ts';
import { listRequests, type RequestFilter, STATUS_CLASSES } from '../../../keys/list-requests.ts';
import { LOGGED_PER_MINUTE } from '../../../keys/request-log.ts';
import { listKeysOf } from '../../../keys/service.ts';
import type { Location } from '../../../practices/location.entity.ts';
import { timeZoneOf } from '../../../practices/time-zone.ts';
import * as ui from '../../render/blocks.ts';
import type { MemberVisit, Reply } from '../../routing/route.ts';
import { ownerOf, visibleLocations } from '../../routing/visit.ts';
import { TEXTS } from '../../texts/texts.ts';
import { isFiltered, pathWith, textsNamed } from '../filters.ts';
import { momentText } from '../formats.ts';
import { developersPath, textsOf } from './visit.ts';

const METHODS: readonly OperationDescription['method'][] = ['GET', 'POST', 'PATCH', 'DELETE'];

export async function showRequests(visit: MemberVisit): Promise<Reply> {
  const { scope, query, language } = visit;
  const t = textsOf(visit);
  const { filter: words } = TEXTS[language];
  const input = textsNamed(query, ['status', 'key', 'method', 'operation']);
  const before = query.get('before') ?? null;
  const { requests, older } = await listRequests(scope, ownerOf(visit), filterOf(input, before));
  const [keys, locations] = [await listKeysOf(scope, ownerOf(visit)), await visibleLocations(visit)];
  const path = developersPath(visit, '/requests');
  const choices = {
    keys: keys.map(({ id, lastFour }) => [id, t.keys.name(lastFour)] as const),
    methods: METHODS.map((method) => [method, method] as const),
    operations: operations.map(({ operationId, method, path }) => [operationId, `${method} ${path}`] as const),
    statuses: STATUS_CLASSES.map((name) => [name, t.requests.classes[name]] as const),
  };
  const { status, key, method, operation } = input;
  return ui.page(t.requests.title, [
    ui.lead(t.requests.lead),
    ui.filterForm(words, path, isFiltered(input), [
      ui.select('status', t.requests.filter.status, status, choices.statuses, words),
      ui.select('key', t.requests.filter.key, key, choices.keys, words),
      ui.select('method', t.requests.filter.method, method, choices.methods, words),
      ui.select('operation', t.requests.filter.operation, operation, choices.operations, words),
    ]),
    requests.length === 0 ? ui.text(t.requests.empty) : requestTable(visit, requests, keys, locations),
    ui.paging(
      [before === null ? null : pathWith(path, input), t.requests.newest],
      [older === null ? null : pathWith(path, { ...input, before: older }), t.requests.older, 'next'],
    ),
    ui.text(t.requests.omitted(LOGGED_PER_MINUTE), { class: 'hint' }),
  ]);
}

/** Returns the table of requests. An operation of another release is shown by its name. */
export function requestTable(
  visit: MemberVisit,
  requests: readonly ApiRequest[],
  keys: readonly ApiKey[],
  locations: readonly Location[],
): ui.Block {
  const { keys: words, requests: t } = textsOf(visit);
  const zone = timeZoneOf(locations);
  const keyName = ({ apiKeyId }: ApiRequest) => {
    const key = keys.find(({ id }) => id === apiKeyId);
    return key === undefined ? apiKeyId : words.name(key.lastFour);
  };
  return ui.table(t.title, requests, [
    [t.time(zone), ({ createdAt }) => ui.moment(createdAt, momentText(createdAt, visit.language, zone))],
    [t.request, ({ operation }) => operationText(operation)],
    [t.status, statusText],
    [
      t.key,
      (one) => ui.link(developersPath(visit, `/keys/${one.apiKeyId}`), keyName(one), { class: undefined }),
      'whole',
    ],
    [t.duration, ({ durationMs }) => `${durationMs} ms`],
    [t.id, ({ requestId }) => ui.mark('code', requestId)],
  ]);
}

function operationText(name: string): ui.Content {
  const known = operations.find(({ operationId }) => operationId === name);
  return [ui.mark('strong', known?.method ?? ''), ' ', ui.mark('code', known?.path ?? name)];
}

function statusText({ status, errorCode }: ApiRequest): ui.Content {
  const shown = status >= 400 ? ui.mark('strong', `${status}`, 'error-status') : `${status}`;
  return errorCode === null ? shown : [shown, ' ', ui.mark('code', errorCode)];
}

/** Returns the filter of a form. Unknown values filter nothing, except those of keys and operations, which find nothing. */
function filterOf(
  { status, key, method, operation }: Record<'status' | 'key' | 'method' | 'operation', string>,
  before: string | null,
): RequestFilter {
  return {
    statusClass: STATUS_CLASSES.find((name) => name === status) ?? null,
    apiKeyId: key || null,
    method: METHODS.find((name) => name === method) ?? null,
    operation: operation || null,
    before,
  };
}
