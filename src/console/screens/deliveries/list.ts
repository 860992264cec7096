import { isId } from '../../../base/ids.ts';
import type { EventType } from '../../../contract/operations-type.ts';
import { listVisibleEndpoints } from '../../../webhooks/endpoints/service.ts';
import {
  type DeliveryFilter,
  type ListedDelivery,
  listVisibleDeliveries,
} from '../../../webhooks/events/deliveries.ts';
import type { DeliveryStatus } from '../../../webhooks/model/transitions.ts';
import { ATTEMPT_ERRORS } from '../../model/delivery-words.ts';
import { mayDo } from '../../model/roles.ts';
import * as ui from '../../render/blocks.ts';
import { type MemberVisit, modeOf, modePath, type Reply } from '../../routing/route.ts';
import { accessScopeOf } from '../../routing/visit.ts';
import { TEXTS, type Texts, wordOf } from '../../texts/texts.ts';
import { isFiltered, pathWith, typedTexts } from '../filters.ts';
import { momentText } from '../formats.ts';
import { failing } from './failing.ts';
import { utcTime } from './visit.ts';

const PAGE_SIZE = 50;

/** Endpoints of a practice and mode are at most ten. */
const ALL_ENDPOINTS = { page: 1, pageSize: 100 };

const FILTER_FIELDS = ['endpointId', 'status', 'type', 'paymentLinkId', 'since'] as const;

type FilterInput = Record<(typeof FILTER_FIELDS)[number], string>;

export async function showList(visit: MemberVisit): Promise<Reply> {
  const { member, language, query } = visit;
  const { deliveries: t, filter: words } = TEXTS[language];
  const scope = accessScopeOf(visit);
  const path = modePath(member, modeOf(visit), '/deliveries');
  const input = typedTexts(query, FILTER_FIELDS);
  const filter = filterOf(input, t);
  const page = pageNumber(query.get('page'));
  const endpoints = (await listVisibleEndpoints(scope, ALL_ENDPOINTS)).data;
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
  const found =
    filter === null
      ? { data: [], totalCount: 0, hasMore: false }
      : await listVisibleDeliveries(scope, filter, { page, pageSize: PAGE_SIZE });
  const hrefOf = (number: number) => pathWith(path, { ...input, page: `${number}` });
  const canAdd = !isFiltered(input) && endpoints.length === 0 && mayDo(member, 'webhooks.manage');
  const empty = isFiltered(input) ? t.emptyFiltered : endpoints.length > 0 ? t.emptyWithEndpoint : t.empty;
  const redeliverPath = pathWith(`${path}/redeliver`, { endpointId: input.endpointId });
  const addPath = modePath(member, modeOf(visit), '/developers/webhooks/new');
  const blocks = [
    ui.lead(t.lead),
    await failing(visit, modeOf(visit)),
    ui.text([ui.link(redeliverPath, t.redeliverLink), ' ', ui.link(`${path}/debugger`, t.debuggerLink)], {
      class: 'actions',
    }),
    ui.filterForm(words, path, isFiltered(input), [
      ui.select('endpointId', t.filter.endpoint, input.endpointId, [...urls], words),
      ui.select('status', t.filter.status, input.status, Object.entries(t.statuses), words),
      ui.select('type', t.filter.type, input.type, typeChoices(t), words),
      ui.field('paymentLinkId', t.filter.link, input.paymentLinkId, { attributes: { ...ui.CODE, maxlength: 40 } }),
      ui.field('since', t.filter.since, input.since, { attributes: { type: 'datetime-local' } }),
    ]),
    ...(found.data.length === 0
      ? [ui.card(ui.text(empty), canAdd ? ui.text(ui.link(addPath, t.addEndpoint, { class: 'button' })) : null)]
      : [ui.text(t.total(found.totalCount)), ui.table(t.title, found.data, columnsOf(visit, path, urls))]),
    ui.paging(
      [page > 1 ? hrefOf(page - 1) : null, t.newer, 'prev'],
      [found.hasMore ? hrefOf(page + 1) : null, t.older, 'next'],
    ),
  ];
  return ui.page(t.title, blocks, { error: filter === null ? t.filter.invalid : undefined });
}

function columnsOf(
  { language }: MemberVisit,
  path: string,
  urls: ReadonlyMap<string, string>,
): ui.Column<ListedDelivery>[] {
  const t = TEXTS[language].deliveries;
  const opener = ({ id, createdAt }: ListedDelivery) => {
    const time = momentText(createdAt, language);
    return ui.link(`${path}/${id}`, ui.moment(createdAt, time), { 'aria-label': `${time}: ${t.openLabel(id)}` });
  };
  return [
    [t.table.time, opener],
    [t.table.type, ({ type }) => wordOf(t.types, type)],
    [t.table.status, ({ status }) => ui.mark('span', t.statuses[status], `badge badge-${status}`)],
    [t.table.attempts, ({ attemptCount }) => `${attemptCount}`],
    [t.table.last, (delivery) => lastAnswer(delivery, t)],
    [t.table.endpoint, ({ endpointId }) => ui.own(urls.get(endpointId) ?? endpointId)],
  ];
}

/** Returns the types of events to choose from, each with the name that programs know. */
function typeChoices(t: Texts['deliveries']): ui.Option[] {
  return Object.entries(t.types).map(([type, text]) => [type, `${text} (${type})`]);
}

function lastAnswer(delivery: ListedDelivery, t: Texts['deliveries']): string {
  const { attemptCount, lastError, lastResponseStatus, status } = delivery;
  if (attemptCount === 0) return t.notTried;
  if (lastError !== null) return errorText(lastError, lastResponseStatus, t);
  return status === 'delivered' || lastResponseStatus !== null ? t.accepted(lastResponseStatus) : t.underWay;
}

export function errorText(error: string, status: number | null, t: Texts['deliveries']): string {
  const known = ATTEMPT_ERRORS.find((name) => name === error);
  return known === undefined ? t.otherError : t.errors[known](status);
}

/** Returns the filter; null if a value is none that the list knows. */
function filterOf(input: FilterInput, t: Texts['deliveries']): DeliveryFilter | null {
  const { endpointId, status, type, paymentLinkId, since } = input;
  const filter: DeliveryFilter = {
    endpointId: endpointId || undefined,
    status: Object.keys(t.statuses).find((name): name is DeliveryStatus => name === status),
    type: Object.keys(t.types).find((name): name is EventType => name === type),
    paymentLinkId: isId('paymentLink', paymentLinkId) ? paymentLinkId : undefined,
    since: utcTime(since) ?? undefined,
  };
  const isKnown = FILTER_FIELDS.every((name) => (input[name] === '') === (filter[name] === undefined));
  return isKnown ? filter : null;
}

/** Reads the number of a page. Anything else is the first page. */
function pageNumber(text: string | undefined): number {
  return text !== undefined && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}
