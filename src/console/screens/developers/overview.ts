import type { ApiKey } from '../../../access/api-key.entity.ts';
import { listOwnedKeys } from '../../../access/service.ts';
import * as ui from '../../../web/blocks.ts';
import { type EndpointHealth, readEndpointHealth } from '../../../webhooks/events/failing-endpoints.ts';
import type { WebhookEndpoint } from '../../../webhooks/model/endpoint.entity.ts';
import { readLabels } from '../../identity/people/members.ts';
import { DEVELOPERS_LEAD, KEY_STATES } from '../../render/labels.ts';
import { accessScopeOf, type MemberVisit, ownerOf, type Reply } from '../../routing/visit.ts';
import { errorText, startOfWindow } from '../deliveries/list.ts';
import { type Formats, type PracticeView, readPracticeView } from '../formats.ts';
import { keyView } from './keys.ts';
import { developerDoneText, developerTabs, readEndpoints } from './visit.ts';

export async function showOverview(visit: MemberVisit): Promise<Reply> {
  const view = await readPracticeView(visit);
  const keys = await listOwnedKeys(visit.scope, ownerOf(visit));
  const endpoints = await readEndpoints(visit);
  const path = visit.modePath('/developers');
  const docs = [ui.link('/docs/quickstart', 'Quickstart'), ' ', ui.link('/docs/reference', 'API reference')];
  const button = { class: 'button' };
  return ui.page('Developers', { done: developerDoneText(visit) }, [
    developerTabs(visit, 'home'),
    ui.lead(DEVELOPERS_LEAD),
    ui.text(docs),
    ui.section('API keys', [
      keys.length === 0 ? ui.text('There is no key yet.') : await keyTable(visit, keys, view),
      ui.text(ui.link(`${path}/keys/new`, 'Create an API key', button)),
    ]),
    ui.section('Webhook endpoints', [
      endpoints.length === 0 ? ui.text('There is no endpoint yet.') : await endpointTable(visit, endpoints, view),
      ui.text(ui.link(`${path}/webhooks/new`, 'Add a webhook endpoint', button)),
    ]),
  ]);
}

async function keyTable(visit: MemberVisit, keys: readonly ApiKey[], view: PracticeView): Promise<ui.Block> {
  const ids = keys.map(({ createdBy }) => createdBy);
  const creators = await readLabels(visit.scope, visit.member.practiceId, ids);
  const rows = keys.map((key) => keyView(visit, key, view, creators));
  const columns: ui.Column<(typeof rows)[number]>[] = [
    ['Key', ({ href, name }) => ui.link(href, name), 'whole'],
    ['Status', ({ state }) => KEY_STATES[state]],
    ['Permissions', ({ scopes }) => scopes],
    ['Location', ({ location }) => ui.own(location)],
    ['Created by', ({ creator }) => ui.own(creator), 'named'],
    ['Last used', ({ lastUsed }) => lastUsed],
  ];
  return ui.table('API keys', rows, columns, view.formats);
}

async function endpointTable(
  visit: MemberVisit,
  endpoints: readonly WebhookEndpoint[],
  { formats, locationName }: PracticeView,
): Promise<ui.Block> {
  const health = await readHealth(visit);
  const address = ({ id, url, description }: WebhookEndpoint) => [
    ui.link(visit.modePath(`/developers/webhooks/${id}`), ui.own(url)),
    description !== null && [ui.BREAK, ui.mark('span', ui.own(description), 'quiet')],
  ];
  const columns: ui.Column<WebhookEndpoint>[] = [
    ['Address (URL)', address, 'address'],
    ['Status', (endpoint) => stateMark(endpoint, health.get(endpoint.id))],
    ['Arrived in 7 days', ({ id }) => arrivedText(health.get(id))],
    ['Last failure', ({ id }) => failureText(health.get(id), formats)],
    ['Events', ({ enabledEvents }) => enabledEvents.join(', ') || 'All types, also future ones'],
    ['Location', ({ locationId }) => ui.own(locationName(locationId))],
  ];
  return ui.table('Webhook endpoints', endpoints, columns, formats);
}

/** Returns how the endpoints of the page's mode work, in the days that the block of failing endpoints counts. */
export function readHealth(visit: MemberVisit): Promise<ReadonlyMap<string, EndpointHealth>> {
  return readEndpointHealth(accessScopeOf(visit), startOfWindow(visit));
}

export function stateMark({ status }: WebhookEndpoint, health?: EndpointHealth): ui.Content {
  if (status === 'disabled') return ui.badge('Disabled');
  return health?.isFailing === true ? ui.badge('Enabled, failing', 'exhausted') : 'Enabled';
}

/** Returns the share of events that arrived. It is rounded down, so that only all are 100%. */
export function arrivedText(health?: EndpointHealth): string {
  const { arrivedCount = 0, failedCount = 0 } = health ?? {};
  const total = arrivedCount + failedCount;
  return total === 0
    ? 'No events'
    : `${Math.floor((100 * arrivedCount) / total)}% (${arrivedCount.toLocaleString('en')} of ${total.toLocaleString('en')})`;
}

export function failureText(health: EndpointHealth | undefined, { exact }: Formats): ui.Content {
  const { lastFailure = null } = health ?? {};
  if (lastFailure === null) return '–';
  const { at, error, responseStatus } = lastFailure;
  return [exact(at), ui.BREAK, errorText(error, responseStatus)];
}
