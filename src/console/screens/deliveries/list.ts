import type { EventType, WebhookAttemptError } from '../../../contract/operations-type.ts';
import { isId } from '../../../platform/base/ids.ts';
import { parseMoment } from '../../../platform/base/time/zoned-time.ts';
import * as ui from '../../../web/blocks.ts';
import {
  type DeliveryFilter,
  type ListedDelivery,
  listVisibleDeliveries,
} from '../../../webhooks/events/deliveries.ts';
import {
  COUNTED_AT_MOST,
  type FailingEndpoint,
  findFailingEndpoints,
} from '../../../webhooks/events/failing-endpoints.ts';
import type { DeliveryStatus } from '../../../webhooks/model/transitions.ts';
import { mayDo } from '../../model/roles.ts';
import { DELIVERY_STATUSES, EVENT_NAMES, wordOf } from '../../render/labels.ts';
import { accessScopeOf, type MemberVisit, type Reply } from '../../routing/visit.ts';
import { developerTabs, readEndpoints } from '../developers/visit.ts';
import { isFiltered, listBlocks, typedTexts } from '../filters.ts';
import { type Formats, readPracticeFormats } from '../formats.ts';

const ERRORS = {
  timeout: 'No answer within 10 seconds. Answer first, then do the work.',
  dns_error: 'The host name could not be resolved. Check the address of the endpoint and its DNS.',
  connection_error: 'No connection, or it broke. Is the server running, and reachable from the internet?',
  tls_error: 'The TLS handshake failed. Check the certificate: its date, its host name and its chain.',
  blocked_address: 'The host leads to an address that is not public. Webhooks go to public addresses only.',
  invalid_response: 'The answer was not HTTP. Is another service listening on this port?',
  interrupted: 'Our service was stopped during the attempt. The event may have arrived.',
} satisfies Record<Exclude<WebhookAttemptError, 'http_status'>, string>;

const PAGE_SIZE = 50;

const FILTER_FIELDS = ['endpointId', 'status', 'type', 'paymentLinkId', 'since'] as const;

type FilterInput = Record<(typeof FILTER_FIELDS)[number], string>;

const NO_DELIVERY = ui.card(null, [
  ui.text('No event was sent yet. Pay or cancel a link, or send a test event from the page of an endpoint.'),
]);

export async function showDeliveries(visit: MemberVisit): Promise<Reply> {
  const { member, query } = visit;
  const path = visit.modePath('/deliveries');
  const input = typedTexts(query, FILTER_FIELDS);
  const formats = await readPracticeFormats(visit);
  const filter = parseFilter(input, formats);
  const page = parsePage(query.get('start'));
  const endpoints = (await readEndpoints(visit)).map(({ id, url }) => [id, url] as const);
  const { data, totalCount, hasMore } =
    filter === null
      ? { data: [], totalCount: 0, hasMore: false }
      : await listVisibleDeliveries(accessScopeOf(visit), filter, { page, pageSize: PAGE_SIZE });
  const addLink = ui.link(visit.modePath('/developers/webhooks/new'), 'Add a webhook endpoint', { class: 'button' });
  const noEndpoint = [ui.text('There is no endpoint yet.'), mayDo(member, 'webhooks.manage') && ui.text(addLink)];
  // Each type has the name that programs know, too.
  const types = Object.entries(EVENT_NAMES).map(([type, text]) => [type, `${text} (${type})`] as const);
  const all = { all: 'All' };
  const error = filter === null ? 'A value of the filter is not valid. Ids of links begin with plink_.' : undefined;
  return ui.page('Webhook deliveries', { error }, [
    developerTabs(visit, 'deliveries'),
    await failingBlock(visit),
    ui.filterForm(path, isFiltered(input), [
      ui.field('endpointId', 'Endpoint', input.endpointId, { options: endpoints, ...all }),
      ui.field('status', 'Status', input.status, { options: Object.entries(DELIVERY_STATUSES), ...all }),
      ui.field('type', 'Event', input.type, { options: types, ...all }),
      ui.field('paymentLinkId', 'Payment link (id)', input.paymentLinkId, { ...ui.CODE, maxlength: 40 }),
      ui.field('since', 'Since', input.since, { type: 'datetime-local' }),
    ]),
    data.length > 0 && ui.text(`Deliveries: ${formats.count(totalCount)}`),
    listBlocks(visit, formats, {
      ...{ title: 'Webhook deliveries', path, input, rows: data },
      columns: deliveryColumns(path, new Map(endpoints), formats),
      empty: endpoints.length === 0 ? ui.card(null, noEndpoint) : NO_DELIVERY,
      next: hasMore ? `${page + 1}` : null,
    }),
  ]);
}

function deliveryColumns(
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
    ['Event', ({ type }) => wordOf(EVENT_NAMES, type)],
    ['Status', ({ status }) => ui.badge(DELIVERY_STATUSES[status], status)],
    ['Attempts', ({ attemptCount }) => `${attemptCount}`],
    ['Last answer', (delivery) => lastAnswer(delivery)],
    ['Endpoint', ({ endpointId }) => ui.own(urls.get(endpointId) ?? endpointId)],
  ];
}

function lastAnswer(delivery: ListedDelivery): string {
  const { attemptCount, lastError, lastResponseStatus, status } = delivery;
  if (attemptCount === 0) return 'Not tried yet';
  if (lastError !== null) return errorText(lastError, lastResponseStatus);
  return status === 'delivered' || lastResponseStatus !== null
    ? `Accepted with ${lastResponseStatus ?? '2xx'}`
    : 'Under way';
}

export function errorText(error: string, status: number | null): string {
  if (error === 'http_status') return `The endpoint answered ${status ?? '–'} instead of 2xx.${adviseOnStatus(status)}`;
  return Object.hasOwn(ERRORS, error) ? wordOf(ERRORS, error) : 'The attempt failed.';
}

function adviseOnStatus(status: number | null): string {
  if (status === null) return '';
  if (status >= 300 && status < 400) return ' Redirects are not followed. Enter the final address.';
  if (status === 401 || status === 403) return ' Does it ask for a sign-in, or does its check of the signature fail?';
  if (status === 404 || status === 410) return ' Check the path of the address.';
  if (status === 429) return ' It gets too many requests.';
  return status < 500 ? '' : ' Check the log of your server at this time.';
}

function parseFilter(input: FilterInput, { timeZone }: Formats): DeliveryFilter | null {
  const { endpointId, status, type, paymentLinkId, since } = input;
  const filter: DeliveryFilter = {
    endpointId: endpointId || undefined,
    status: Object.keys(DELIVERY_STATUSES).find((name): name is DeliveryStatus => name === status),
    type: Object.keys(EVENT_NAMES).find((name): name is EventType => name === type),
    paymentLinkId: isId('paymentLink', paymentLinkId) ? paymentLinkId : undefined,
    since: parseMoment(since, timeZone) ?? undefined,
  };
  const isKnown = FILTER_FIELDS.every((name) => (input[name] === '') === (filter[name] === undefined));
  return isKnown ? filter : null;
}

/** Reads the number of a page. Anything else is the first page. */
function parsePage(text: string | undefined): number {
  return text !== undefined && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}

const COUNTED = { exhausted: 'failed', retrying: 'being retried', skipped: 'skipped' };

/** Time in which events count as failing: seven days. */
const WINDOW_MS = 7 * 86_400_000;

export function startOfWindow({ scope }: Pick<MemberVisit, 'scope'>): Date {
  return new Date(scope.clock.now().getTime() - WINDOW_MS);
}

/**
 * Returns the endpoints whose events of the last seven days do not arrive; null without one, or if the person sees no deliveries.
 *
 * @param isLost true: only those with events that are not sent again by themselves
 */
export async function failingBlock(visit: MemberVisit, { isLost = false } = {}): Promise<ui.Block | null> {
  if (!mayDo(visit.member, 'developers.view')) return null;
  const since = startOfWindow(visit);
  const failing = (await findFailingEndpoints(accessScopeOf(visit), since)).filter(
    ({ exhaustedCount, skippedCount }) => !isLost || exhaustedCount + skippedCount > 0,
  );
  if (failing.length === 0) return null;
  const endpoints = failing.map((endpoint) => endpointLines(visit, endpoint));
  const { day } = await readPracticeFormats(visit);
  const blocks = [ui.text(`Events since ${day(since)} that did not arrive.`), ui.list('ul', endpoints, 'plain')];
  return ui.section('Failing webhooks', blocks, { class: 'alert stop', 'aria-label': 'Failing webhooks' });
}

function endpointLines(visit: MemberVisit, endpoint: FailingEndpoint): ui.Content[] {
  const { id, url } = endpoint;
  // The list shows one status at a time, so each count leads to its own deliveries.
  const links = (['exhausted', 'retrying', 'skipped'] as const).map((status) => {
    const count = endpoint[`${status}Count`];
    const text = `${count}${count < COUNTED_AT_MOST ? '' : '+'} ${COUNTED[status]}`;
    const list = `/deliveries?${new URLSearchParams({ endpointId: id, status })}`;
    return count > 0 && [ui.link(visit.modePath(list), text), ' '];
  });
  const state = ` (${visit.mode === 'live' ? 'Live data' : 'Test data'}).${endpoint.status === 'disabled' ? ` The endpoint is disabled.` : ''}`;
  return [ui.text([ui.own(url), state]), ui.text(links)];
}
