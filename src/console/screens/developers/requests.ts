import { type OperationDescription, operations } from '../../../contract/document.ts';
import type { ApiKey } from '../../../keys/api-key.entity.ts';
import type { ApiRequest } from '../../../keys/api-request.entity.ts';
import { listRequests, type RequestFilter, STATUS_CLASSES } from '../../../keys/list-requests.ts';
import { LOGGED_PER_MINUTE } from '../../../keys/request-log.ts';
import { listKeysOf } from '../../../keys/service.ts';
import type { Location } from '../../../practices/location.entity.ts';
import { timeZoneOf } from '../../../practices/time-zone.ts';
import type { MemberVisit, Reply } from '../../routing/route.ts';
import { ownerOf, visibleLocations } from '../../routing/visit.ts';
import { momentText } from '../formats.ts';
import { developersPath, textsOf } from './visit.ts';

const METHODS: readonly OperationDescription['method'][] = ['GET', 'POST', 'PATCH', 'DELETE'];

/** Shows the log of API requests, newest first. */
export async function showRequests(visit: MemberVisit): Promise<Reply> {
  const { scope, query } = visit;
  const t = textsOf(visit);
  const input = Object.fromEntries(
    ['status', 'key', 'method', 'operation'].map((name) => [name, query.get(name) ?? '']),
  );
  const before = query.get('before') ?? null;
  const { requests, older } = await listRequests(scope, ownerOf(visit), filterOf(input, before));
  const [keys, locations] = [await listKeysOf(scope, ownerOf(visit)), await visibleLocations(visit)];
  const path = developersPath(visit, '/requests');
  const given = Object.entries(input).filter(([, text]) => text !== '');
  const view = {
    path,
    input,
    choices: {
      statuses: STATUS_CLASSES.map((name) => ({ value: name, text: t.requests.classes[name] })),
      keys: keys.map(({ id, lastFour }) => ({ value: id, text: t.keys.name(lastFour) })),
      methods: METHODS.map((method) => ({ value: method, text: method })),
      operations: operations.map(({ operationId, method, path }) => ({
        value: operationId,
        text: `${method} ${path}`,
      })),
    },
    zone: timeZoneOf(locations),
    omitted: t.requests.omitted(LOGGED_PER_MINUTE),
    requests: requestViews(visit, requests, keys, locations),
    older: older === null ? null : `${path}?${new URLSearchParams([...given, ['before', older]])}`,
    newest: before === null ? null : `${path}?${new URLSearchParams(given)}`,
    isFiltered: given.length > 0,
  };
  return { kind: 'page', template: 'developers/requests', title: t.requests.title, view };
}

/** Returns the rows of requests for the table. An operation of another release is shown by its name. */
export function requestViews(
  visit: MemberVisit,
  requests: readonly ApiRequest[],
  keys: readonly ApiKey[],
  locations: readonly Location[],
) {
  const t = textsOf(visit);
  const zone = timeZoneOf(locations);
  return requests.map(({ requestId, operation, apiKeyId, status, errorCode, durationMs, createdAt }) => {
    const known = operations.find(({ operationId }) => operationId === operation);
    const key = keys.find(({ id }) => id === apiKeyId);
    return {
      requestId,
      method: known?.method ?? '',
      path: known?.path ?? operation,
      status,
      errorCode,
      isError: status >= 400,
      durationMs,
      key: {
        href: developersPath(visit, `/keys/${apiKeyId}`),
        name: key === undefined ? apiKeyId : t.keys.name(key.lastFour),
      },
      time: momentText(createdAt, visit.language, zone),
      isoTime: createdAt.toISOString(),
    };
  });
}

/** Returns the filter of a form. Unknown values filter nothing, except those of keys and operations, which find nothing. */
function filterOf(input: Readonly<Record<string, string>>, before: string | null): RequestFilter {
  const { status, key = '', method, operation = '' } = input;
  return {
    statusClass: STATUS_CLASSES.find((name) => name === status) ?? null,
    apiKeyId: key === '' ? null : key,
    method: METHODS.find((name) => name === method) ?? null,
    operation: operation === '' ? null : operation,
    before,
  };
}
