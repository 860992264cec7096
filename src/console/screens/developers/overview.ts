import type { ApiKey } from '../../../keys/api-key.entity.ts';
import { listKeysOf } from '../../../keys/service.ts';
import type { Location } from '../../../practices/location.entity.ts';
import { listVisibleEndpoints } from '../../../webhooks/endpoints/service.ts';
import type { WebhookEndpoint } from '../../../webhooks/model/endpoint.entity.ts';
import * as ui from '../../render/blocks.ts';
import type { MemberVisit, Reply } from '../../routing/route.ts';
import { ownerOf, visibleLocations } from '../../routing/visit.ts';
import { keyView } from './keys.ts';
import { developerDoneText, endpointScope, locationName } from './visit.ts';

/** There are at most ten endpoints of a mode. */
const ALL_ENDPOINTS = { page: 1, pageSize: 100 };

/** Shows keys and endpoints, and the first steps while one of both is missing. */
export async function showOverview(visit: MemberVisit): Promise<Reply> {
  const { developers: t } = visit.t;
  const locations = await visibleLocations(visit);
  const keys = await listKeysOf(visit.scope, ownerOf(visit));
  const { data: endpoints } = await listVisibleEndpoints(endpointScope(visit), ALL_ENDPOINTS);
  const isFirst = keys.length === 0 || endpoints.length === 0;
  const { first, keys: k, endpoints: e } = t;
  const path = visit.modePath('/developers');
  const docs = [ui.link('/docs/quickstart', first.quickstart), ' ', ui.link('/docs/reference', first.reference)];
  const button = { class: 'button' };
  return ui.page(t.title, { done: developerDoneText(visit) }, [
    ui.lead(t.lead),
    isFirst && ui.card(first.title, [ui.list('ol', first.steps), ui.text(docs)]),
    ui.section(null, [
      ui.heading(k.title, 'keys'),
      keys.length === 0 ? ui.text(k.empty) : keyTable(visit, keys, locations),
      ui.text([ui.link(`${path}/keys/new`, k.add, button), ' ', ui.link(`${path}/requests`, t.requests.title)]),
    ]),
    ui.section(null, [
      ui.heading(e.title, 'endpoints'),
      endpoints.length === 0 ? ui.text(e.empty) : endpointTable(visit, endpoints, locations),
      ui.text(ui.link(`${path}/webhooks/new`, e.add, button)),
    ]),
  ]);
}

function keyTable(visit: MemberVisit, keys: readonly ApiKey[], locations: readonly Location[]): ui.Block {
  const { keys: t } = visit.t.developers;
  const rows = keys.map((key) => keyView(visit, key, locations));
  return ui.table({ id: 'keys' }, rows, [
    [t.key, ({ href, name }) => ui.link(href, name), 'whole'],
    [t.state, ({ state }) => t.states[state]],
    [t.scopes, ({ scopes }) => scopes],
    [t.location, ({ location }) => ui.own(location)],
    [t.lastUsed, ({ lastUsed }) => lastUsed],
  ]);
}

function endpointTable(
  visit: MemberVisit,
  endpoints: readonly WebhookEndpoint[],
  locations: readonly Location[],
): ui.Block {
  const { endpoints: t } = visit.t.developers;
  const { allLocations } = visit.t.people;
  const address = ({ id, url, description }: WebhookEndpoint) => [
    ui.link(visit.modePath(`/developers/webhooks/${id}`), ui.own(url), { class: undefined }),
    description !== null && [ui.BREAK, ui.mark('span', ui.own(description), 'quiet-text')],
  ];
  return ui.table({ id: 'endpoints' }, endpoints, [
    [t.url, address, 'address'],
    [t.status, ({ status }) => t[status]],
    [t.events, ({ enabledEvents }) => enabledEvents.join(', ') || t.allEvents],
    [t.location, ({ locationId }) => ui.own(locationName(locations, locationId) ?? allLocations)],
  ]);
}
