import { isId } from '../../../base/ids.ts';
import { parseMoment } from '../../../base/time/zoned-time.ts';
import type { EventType } from '../../../contract/operations-type.ts';
import type { DeliveryFilter, ListedDelivery } from '../../../webhooks/events/deliveries.ts';
import { listVisibleDeliveries } from '../../../webhooks/events/deliveries.ts';
import type { DeliveryStatus } from '../../../webhooks/model/transitions.ts';
import { mayDo } from '../../model/roles.ts';
import * as ui from '../../render/blocks.ts';
import { accessScopeOf, type MemberVisit, type Reply } from '../../routing/visit.ts';
import { type Texts, wordOf } from '../../texts/texts.ts';
import { developerTabs, readEndpointChoices } from '../developers/visit.ts';
import { isFiltered, pathWith, typedTexts } from '../filters.ts';
import { type Formats, readPracticeFormats } from '../formats.ts';
import { failingBlock } from './failing.ts';

const PAGE_SIZE = 50;

const FILTER_FIELDS = ['endpointId', 'status', 'type', 'paymentLinkId', 'since'] as const;

type FilterInput = Record<(typeof FILTER_FIELDS)[number], string>;

export async function showDeliveries(visit: MemberVisit): Promise<Reply> {
  const { member, query } = visit;
  const { deliveries: t, filter: words, labels } = visit.t;
  const scope = accessScopeOf(visit);
  const path = visit.modePath('/deliveries');
  const input = typedTexts(query, FILTER_FIELDS);
  const formats = await readPracticeFormats(visit);
  const filter = filterOf(input, t, formats);
  const page = pageNumber(query.get('page'));
  const endpoints = await readEndpointChoices(visit);
  const found =
    filter === null
      ? { data: [], totalCount: 0, hasMore: false }
      : await listVisibleDeliveries(scope, filter, { page, pageSize: PAGE_SIZE });
  const hrefOf = (number: number) => pathWith(path, { ...input, page: `${number}` });
  const canAdd = !isFiltered(input) && endpoints.length === 0 && mayDo(member, 'webhooks.manage');
  const unfiltered = endpoints.length > 0 ? t.empty : visit.t.developers.endpoints.empty;
  const empty = isFiltered(input) ? visit.t.noMatch : unfiltered;
  const addLink = ui.link(visit.modePath('/developers/webhooks/new'), visit.t.developers.endpoints.add, {
    class: 'button',
  });
  // Each type has the name that programs know, too.
  const types = Object.entries(t.types).map(([type, text]) => [type, `${text} (${type})`] as const);
  const all = { all: words.all };
  return ui.page(t.title, { error: filter === null ? t.filter.invalid : undefined }, [
    developerTabs(visit, 'deliveries'),
    await failingBlock(visit),
    ui.filterForm(words, path, isFiltered(input), [
      ui.field('endpointId', t.table.endpoint, input.endpointId, { options: endpoints, ...all }),
      ui.field('status', labels.status, input.status, { options: Object.entries(t.statuses), ...all }),
      ui.field('type', labels.event, input.type, { options: types, ...all }),
      ui.field('paymentLinkId', t.filter.link, input.paymentLinkId, { ...ui.CODE, maxlength: 40 }),
      ui.field('since', labels.since, input.since, { type: 'datetime-local' }),
    ]),
    found.data.length === 0
      ? ui.card(null, [ui.text(empty), canAdd && ui.text(addLink)])
      : [
          ui.text(t.total(formats.count(found.totalCount))),
          ui.table(t.title, found.data, columnsOf(visit, path, new Map(endpoints), formats), formats),
        ],
    ui.paging(
      [page > 1 ? hrefOf(page - 1) : null, labels.newer, 'prev'],
      [found.hasMore ? hrefOf(page + 1) : null, labels.older, 'next'],
    ),
  ]);
}

function columnsOf(
  { t: { deliveries: t, labels } }: MemberVisit,
  path: string,
  urls: ReadonlyMap<string, string>,
  { second, utc }: Formats,
): ui.Column<ListedDelivery>[] {
  const opener = ({ id, createdAt }: ListedDelivery) => {
    const label = `${second(createdAt)}: ${t.openLabel(id)}`;
    return [
      ui.link(`${path}/${id}`, ui.moment(createdAt, second(createdAt)), { 'aria-label': label }),
      ...utc(createdAt),
    ];
  };
  return [
    [labels.time, opener],
    [labels.event, ({ type }) => wordOf(t.types, type)],
    [labels.status, ({ status }) => ui.badge(t.statuses[status], status)],
    [t.table.attempts, ({ attemptCount }) => `${attemptCount}`],
    [t.table.last, (delivery) => lastAnswer(delivery, t)],
    [t.table.endpoint, ({ endpointId }) => ui.own(urls.get(endpointId) ?? endpointId)],
  ];
}

function lastAnswer(delivery: ListedDelivery, t: Texts['deliveries']): string {
  const { attemptCount, lastError, lastResponseStatus, status } = delivery;
  if (attemptCount === 0) return t.notTried;
  if (lastError !== null) return errorText(lastError, lastResponseStatus, t);
  return status === 'delivered' || lastResponseStatus !== null ? t.accepted(lastResponseStatus ?? '2xx') : t.underWay;
}

export function errorText(error: string, status: number | null, t: Texts['deliveries']): string {
  if (error === 'http_status') return t.httpStatus(status);
  return Object.hasOwn(t.errors, error) ? wordOf(t.errors, error) : t.otherError;
}

/** Returns the filter; null if a value is none that the list knows. */
function filterOf(input: FilterInput, t: Texts['deliveries'], { timeZone }: Formats): DeliveryFilter | null {
  const { endpointId, status, type, paymentLinkId, since } = input;
  const filter: DeliveryFilter = {
    endpointId: endpointId || undefined,
    status: Object.keys(t.statuses).find((name): name is DeliveryStatus => name === status),
    type: Object.keys(t.types).find((name): name is EventType => name === type),
    paymentLinkId: isId('paymentLink', paymentLinkId) ? paymentLinkId : undefined,
    since: parseMoment(since, timeZone) ?? undefined,
  };
  const isKnown = FILTER_FIELDS.every((name) => (input[name] === '') === (filter[name] === undefined));
  return isKnown ? filter : null;
}

/** Reads the number of a page. Anything else is the first page. */
function pageNumber(text: string | undefined): number {
  return text !== undefined && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}
