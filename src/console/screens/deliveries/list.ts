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
  const { deliveries: t, filter: words } = visit.t;
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
  const unfiltered =
    endpoints.length > 0
      ? 'No event was sent yet. Pay or cancel a link, or send a test event from the page of an endpoint: it appears here.'
      : 'There is no endpoint yet.';
  const empty = isFiltered(input) ? 'Nothing matches the filter.' : unfiltered;
  const addLink = ui.link(visit.modePath('/developers/webhooks/new'), 'Add a webhook endpoint', {
    class: 'button',
  });
  // Each type has the name that programs know, too.
  const types = Object.entries(t.types).map(([type, text]) => [type, `${text} (${type})`] as const);
  const all = { all: 'All' };
  return ui.page(
    'Webhook deliveries',
    { error: filter === null ? 'A value of the filter is not valid. Ids of links begin with plink_.' : undefined },
    [
      developerTabs(visit, 'deliveries'),
      await failingBlock(visit),
      ui.filterForm(words, path, isFiltered(input), [
        ui.field('endpointId', 'Endpoint', input.endpointId, { options: endpoints, ...all }),
        ui.field('status', 'Status', input.status, { options: Object.entries(t.statuses), ...all }),
        ui.field('type', 'Event', input.type, { options: types, ...all }),
        ui.field('paymentLinkId', 'Payment link (id)', input.paymentLinkId, { ...ui.CODE, maxlength: 40 }),
        ui.field('since', 'Since', input.since, { type: 'datetime-local' }),
      ]),
      found.data.length === 0
        ? ui.card(null, [ui.text(empty), canAdd && ui.text(addLink)])
        : [
            ui.text(`Deliveries: ${formats.count(found.totalCount)}`),
            ui.table('Webhook deliveries', found.data, columnsOf(visit, path, new Map(endpoints), formats), formats),
          ],
      ui.paging(
        [page > 1 ? hrefOf(page - 1) : null, 'Newer', 'prev'],
        [found.hasMore ? hrefOf(page + 1) : null, 'Older', 'next'],
      ),
    ],
  );
}

function columnsOf(
  { t: { deliveries: t } }: MemberVisit,
  path: string,
  urls: ReadonlyMap<string, string>,
  { second, utc }: Formats,
): ui.Column<ListedDelivery>[] {
  const opener = ({ id, createdAt }: ListedDelivery) => {
    const label = `${second(createdAt)}: Why? Details of ${id}`;
    return [
      ui.link(`${path}/${id}`, ui.moment(createdAt, second(createdAt)), { 'aria-label': label }),
      ...utc(createdAt),
    ];
  };
  return [
    ['Time', opener],
    ['Event', ({ type }) => wordOf(t.types, type)],
    ['Status', ({ status }) => ui.badge(t.statuses[status], status)],
    ['Attempts', ({ attemptCount }) => `${attemptCount}`],
    ['Last answer', (delivery) => lastAnswer(delivery, t)],
    ['Endpoint', ({ endpointId }) => ui.own(urls.get(endpointId) ?? endpointId)],
  ];
}

function lastAnswer(delivery: ListedDelivery, t: Texts['deliveries']): string {
  const { attemptCount, lastError, lastResponseStatus, status } = delivery;
  if (attemptCount === 0) return 'Not tried yet';
  if (lastError !== null) return errorText(lastError, lastResponseStatus, t);
  return status === 'delivered' || lastResponseStatus !== null
    ? `Accepted with ${lastResponseStatus ?? '2xx'}`
    : 'Under way';
}

export function errorText(error: string, status: number | null, t: Texts['deliveries']): string {
  if (error === 'http_status') return t.httpStatus(status);
  return Object.hasOwn(t.errors, error) ? wordOf(t.errors, error) : 'The attempt failed.';
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
