import { isId } from '../../../base/ids.ts';
import type { EventType } from '../../../contract/operations-type.ts';
import { listVisibleEndpoints } from '../../../webhooks/endpoints/service.ts';
import { type DeliveryFilter, listVisibleDeliveries } from '../../../webhooks/events/deliveries.ts';
import type { WebhookDelivery } from '../../../webhooks/model/delivery.entity.ts';
import type { DeliveryStatus } from '../../../webhooks/model/transitions.ts';
import { ATTEMPT_ERRORS } from '../../model/delivery-words.ts';
import { mayDo } from '../../model/roles.ts';
import { type MemberVisit, modeOf, modePath, type Reply } from '../../routing/route.ts';
import { accessScopeOf } from '../../routing/visit.ts';
import type { Texts } from '../../texts/en.ts';
import { TEXTS } from '../../texts/texts.ts';
import { momentText } from '../formats.ts';
import { failingView } from './failing.ts';
import { utcTime } from './visit.ts';

/** Deliveries of one page. */
const PAGE_SIZE = 50;

/** Endpoints of a practice and mode are at most ten. */
const ALL_ENDPOINTS = { page: 1, pageSize: 100 };

/** The filter as the person typed it. */
const FILTER_FIELDS = ['endpointId', 'status', 'type', 'paymentLinkId', 'since'] as const;

type FilterInput = Readonly<Record<(typeof FILTER_FIELDS)[number], string>>;

/** Shows one page of the deliveries that fit the filter, newest first. */
export async function showList(visit: MemberVisit): Promise<Reply> {
  const { member, language, query } = visit;
  const t = TEXTS[language].deliveries;
  const scope = accessScopeOf(visit);
  const path = modePath(member, modeOf(visit), '/deliveries');
  const input = filterInput(visit);
  const filter = filterOf(input, t);
  const page = pageNumber(query.get('page'));
  const endpoints = (await listVisibleEndpoints(scope, ALL_ENDPOINTS)).data;
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
  const found =
    filter === null
      ? { data: [], totalCount: 0, hasMore: false }
      : await listVisibleDeliveries(scope, filter, { page, pageSize: PAGE_SIZE });
  const isFiltered = Object.keys(given(input)).length > 0;
  const hrefOf = (number: number) => `${path}?${new URLSearchParams({ ...given(input), page: `${number}` })}`;
  const view = {
    path,
    redeliver: redeliverPath(path, input),
    input,
    isFiltered,
    empty: isFiltered ? 'emptyFiltered' : endpoints.length > 0 ? 'emptyWithEndpoint' : 'empty',
    newEndpoint:
      !isFiltered && endpoints.length === 0 && mayDo(member, 'webhooks.manage')
        ? modePath(member, modeOf(visit), '/developers/webhooks/new')
        : null,
    error: filter === null ? t.filter.invalid : undefined,
    endpoints: endpoints.map(({ id, url }) => ({ id, url })),
    total: t.total(found.totalCount),
    rows: found.data.map((delivery) => rowView(delivery, visit, path, urls)),
    newer: page > 1 ? hrefOf(page - 1) : null,
    older: found.hasMore ? hrefOf(page + 1) : null,
    failing: await failingView(visit, [modeOf(visit)]),
  };
  return {
    kind: 'page',
    status: filter === null ? 422 : 200,
    template: 'deliveries/list',
    title: t.title,
    view,
  };
}

function rowView(
  delivery: WebhookDelivery,
  { language }: MemberVisit,
  path: string,
  urls: ReadonlyMap<string, string>,
) {
  const { id, createdAt, type, endpointId, status, attemptCount } = delivery;
  return {
    id,
    href: `${path}/${id}`,
    isoTime: createdAt.toISOString(),
    time: momentText(createdAt, language),
    type,
    url: urls.get(endpointId) ?? endpointId,
    status,
    attemptCount,
    last: lastAnswer(delivery, TEXTS[language].deliveries),
  };
}

function lastAnswer(delivery: WebhookDelivery, t: Texts['deliveries']): string {
  const { attemptCount, lastError, lastResponseStatus, status } = delivery;
  if (attemptCount === 0) return t.notTried;
  if (lastError !== null) return errorText(lastError, lastResponseStatus, t);
  return status === 'delivered' || lastResponseStatus !== null ? t.accepted(lastResponseStatus) : t.underWay;
}

/** Returns the error of an attempt in words. */
export function errorText(error: string, status: number | null, t: Texts['deliveries']): string {
  const known = ATTEMPT_ERRORS.find((name) => name === error);
  return known === undefined ? t.otherError : t.errors[known](status);
}

function filterInput({ query }: MemberVisit): FilterInput {
  const value = (name: (typeof FILTER_FIELDS)[number]) => (query.get(name) ?? '').trim();
  return {
    endpointId: value('endpointId'),
    status: value('status'),
    type: value('type'),
    paymentLinkId: value('paymentLinkId'),
    since: value('since'),
  };
}

/** Returns the filter; null if a value is none that the list knows. */
function filterOf({ endpointId, status, type, paymentLinkId, since }: FilterInput, t: Texts['deliveries']) {
  const known: DeliveryFilter = {};
  if (endpointId !== '') known.endpointId = endpointId;
  if (status !== '') {
    const found = Object.keys(t.statuses).find((name): name is DeliveryStatus => name === status);
    if (found === undefined) return null;
    known.status = found;
  }
  if (type !== '') {
    const found = Object.keys(t.types).find((name): name is EventType => name === type);
    if (found === undefined) return null;
    known.type = found;
  }
  if (paymentLinkId !== '') {
    if (!isId('paymentLink', paymentLinkId)) return null;
    known.paymentLinkId = paymentLinkId;
  }
  if (since !== '') {
    const time = utcTime(since);
    if (time === null) return null;
    known.since = time;
  }
  return known;
}

/** Returns the address of the redelivery, with the endpoint of the filter. */
function redeliverPath(path: string, { endpointId }: FilterInput): string {
  return endpointId === '' ? `${path}/redeliver` : `${path}/redeliver?${new URLSearchParams({ endpointId })}`;
}

function given(input: FilterInput): Record<string, string> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== ''));
}

/** Reads the number of a page. Anything else is the first page. */
function pageNumber(text: string | undefined): number {
  return text !== undefined && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}
