import type { ApiKey } from '../../../keys/api-key.entity.ts';
import { listKeysOf } from '../../../keys/service.ts';
import { type EndpointHealth, readEndpointHealth } from '../../../webhooks/events/failing-endpoints.ts';
import type { WebhookEndpoint } from '../../../webhooks/model/endpoint.entity.ts';
import { readLabels } from '../../people/users.ts';
import * as ui from '../../render/blocks.ts';
import { accessScopeOf, type MemberVisit, ownerOf, type Reply } from '../../routing/visit.ts';
import { startOfWindow } from '../deliveries/failing.ts';
import { errorText } from '../deliveries/list.ts';
import type { Formats } from '../formats.ts';
import { type Places, readPlaces } from '../places.ts';
import { keyView } from './keys.ts';
import { developerDoneText, developerTabs, readEndpoints } from './visit.ts';

/** Shows keys and endpoints, and the first steps while one of both is missing. */
export async function showOverview(visit: MemberVisit): Promise<Reply> {
  const { developers: t } = visit.t;
  const places = await readPlaces(visit);
  const keys = await listKeysOf(visit.scope, ownerOf(visit));
  const endpoints = await readEndpoints(visit);
  const isFirst = keys.length === 0 || endpoints.length === 0;
  const { first, keys: k, endpoints: e } = t;
  const path = visit.modePath('/developers');
  const docs = [ui.link('/docs/quickstart', first.quickstart), ' ', ui.link('/docs/reference', first.reference)];
  const button = { class: 'button' };
  return ui.page(t.title, { done: developerDoneText(visit) }, [
    developerTabs(visit, 'home'),
    ui.lead(t.lead),
    isFirst && ui.card(first.title, [ui.list('ol', first.steps), ui.text(docs)]),
    ui.section(k.title, [
      keys.length === 0 ? ui.text(k.empty) : await keyTable(visit, keys, places),
      ui.text(ui.link(`${path}/keys/new`, k.add, button)),
    ]),
    ui.section(e.title, [
      endpoints.length === 0 ? ui.text(e.empty) : await endpointTable(visit, endpoints, places),
      ui.text(ui.link(`${path}/webhooks/new`, e.add, button)),
    ]),
  ]);
}

async function keyTable(visit: MemberVisit, keys: readonly ApiKey[], places: Places): Promise<ui.Block> {
  const { keys: t } = visit.t.developers;
  const { labels } = visit.t;
  const ids = keys.map(({ createdBy }) => createdBy);
  const creators = await readLabels(visit.scope, visit.member.practiceId, ids);
  const rows = keys.map((key) => keyView(visit, key, places, creators));
  const columns: ui.Column<(typeof rows)[number]>[] = [
    [labels.key, ({ href, name }) => ui.link(href, name), 'whole'],
    [labels.status, ({ state }) => t.states[state]],
    [t.scopes, ({ scopes }) => scopes],
    [labels.location, ({ location }) => ui.own(location)],
    [t.creator, ({ creator }) => ui.own(creator), 'named'],
    [labels.lastUsed, ({ lastUsed }) => lastUsed],
  ];
  return ui.table(t.title, rows, columns, places.formats);
}

async function endpointTable(
  visit: MemberVisit,
  endpoints: readonly WebhookEndpoint[],
  { formats, nameOf }: Places,
): Promise<ui.Block> {
  const { endpoints: t } = visit.t.developers;
  const { labels } = visit.t;
  const health = await readHealth(visit);
  const address = ({ id, url, description }: WebhookEndpoint) => [
    ui.link(visit.modePath(`/developers/webhooks/${id}`), ui.own(url)),
    description !== null && [ui.BREAK, ui.mark('span', ui.own(description), 'quiet')],
  ];
  const columns: ui.Column<WebhookEndpoint>[] = [
    [t.url, address, 'address'],
    [labels.status, (endpoint) => stateMark(visit, endpoint, health.get(endpoint.id))],
    [t.arrived, ({ id }) => arrivedText(visit, health.get(id))],
    [t.lastFailure, ({ id }) => failureText(visit, health.get(id), formats)],
    [visit.t.developers.events, ({ enabledEvents }) => enabledEvents.join(', ') || t.allEvents],
    [labels.location, ({ locationId }) => ui.own(nameOf(locationId))],
  ];
  return ui.table(t.title, endpoints, columns, formats);
}

/** Returns how the endpoints of the page's mode work, in the days that the block of failing endpoints counts. */
export function readHealth(visit: MemberVisit): Promise<ReadonlyMap<string, EndpointHealth>> {
  return readEndpointHealth(accessScopeOf(visit), startOfWindow(visit));
}

export function stateMark({ t }: MemberVisit, { status }: WebhookEndpoint, health?: EndpointHealth): ui.Content {
  const { endpoints: words } = t.developers;
  if (status === 'disabled') return ui.badge(words.disabled);
  return health?.isFailing === true ? ui.badge(words.failing, 'exhausted') : words.enabled;
}

/** Returns the share of events that arrived. It is rounded down, so that only all are 100%. */
export function arrivedText({ t }: MemberVisit, health?: EndpointHealth): string {
  const { arrivedCount = 0, failedCount = 0 } = health ?? {};
  const total = arrivedCount + failedCount;
  const { endpoints: words } = t.developers;
  return total === 0 ? words.noEvents : words.share(Math.floor((100 * arrivedCount) / total), arrivedCount, total);
}

export function failureText(visit: MemberVisit, health: EndpointHealth | undefined, { exact }: Formats): ui.Content {
  const { lastFailure = null } = health ?? {};
  if (lastFailure === null) return '–';
  const { at, error, responseStatus } = lastFailure;
  return [exact(at), ui.BREAK, errorText(error, responseStatus, visit.t.deliveries)];
}
