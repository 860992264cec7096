import type { Location } from '../../../practices/location.entity.ts';
import type { WebhookEndpoint } from '../../../webhooks/model/endpoint.entity.ts';
import { type MemberVisit, modeOf, modePath } from '../../routing/route.ts';
import { developersPath, locationName } from './visit.ts';

/** Returns an endpoint for tables and its page. */
export function endpointView(visit: MemberVisit, endpoint: WebhookEndpoint, locations: readonly Location[]) {
  const { id, url, enabledEvents, description, locationId, status } = endpoint;
  return {
    id,
    href: developersPath(visit, `/webhooks/${id}`),
    deliveries: modePath(visit.member, modeOf(visit), `/deliveries?endpointId=${id}`),
    url,
    events: enabledEvents,
    description,
    location: locationName(locations, locationId),
    isEnabled: status === 'enabled',
  };
}
