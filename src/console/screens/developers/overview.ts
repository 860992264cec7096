import { listKeysOf } from '../../../keys/service.ts';
import { listVisibleEndpoints } from '../../../webhooks/endpoints/service.ts';
import type { MemberVisit, Reply } from '../../routing/route.ts';
import { ownerOf, visibleLocations } from '../../routing/visit.ts';
import { endpointView } from './endpoint-view.ts';
import { keyView } from './keys.ts';
import { developerDoneText, developersPath, endpointScope, textsOf } from './visit.ts';

/** There are at most ten endpoints of a mode. */
const ALL_ENDPOINTS = { page: 1, pageSize: 100 };

/** Shows keys and endpoints, and the first steps while one of both is missing. */
export async function showOverview(visit: MemberVisit): Promise<Reply> {
  const t = textsOf(visit);
  const locations = await visibleLocations(visit);
  const keys = await listKeysOf(visit.scope, ownerOf(visit));
  const { data: endpoints } = await listVisibleEndpoints(endpointScope(visit), ALL_ENDPOINTS);
  const view = {
    keys: keys.map((key) => keyView(visit, key, locations)),
    endpoints: endpoints.map((endpoint) => endpointView(visit, endpoint, locations)),
    isFirst: keys.length === 0 || endpoints.length === 0,
    newKey: developersPath(visit, '/keys/new'),
    newEndpoint: developersPath(visit, '/webhooks/new'),
    requests: developersPath(visit, '/requests'),
    done: developerDoneText(visit),
  };
  return { kind: 'page', template: 'developers/overview', title: t.title, view };
}
