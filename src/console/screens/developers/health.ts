import { type EndpointHealth, endpointHealth } from '../../../webhooks/events/failing-endpoints.ts';
import type { WebhookEndpoint } from '../../../webhooks/model/endpoint.entity.ts';
import * as ui from '../../render/blocks.ts';
import type { MemberVisit } from '../../routing/route.ts';
import { startOfWindow } from '../deliveries/failing.ts';
import { errorText } from '../deliveries/list.ts';
import type { Formats } from '../formats.ts';
import { endpointScope } from './visit.ts';

/** Returns how the endpoints of the page's mode work, in the days that the block of failing endpoints counts. */
export function healthOf(visit: MemberVisit): Promise<ReadonlyMap<string, EndpointHealth>> {
  return endpointHealth(endpointScope(visit), startOfWindow(visit));
}

export function stateMark({ t }: MemberVisit, { status }: WebhookEndpoint, health?: EndpointHealth): ui.Content {
  const { endpoints: words } = t.developers;
  if (status === 'disabled') return ui.mark('span', words.disabled, 'badge');
  return health?.isFailing === true ? ui.mark('span', words.failing, 'badge badge-exhausted') : words.enabled;
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
