import type { FailingEndpoint } from '../../../webhooks/events/failing-endpoints.ts';
import { COUNTED_AT_MOST, findFailingEndpoints } from '../../../webhooks/events/failing-endpoints.ts';
import { mayDo } from '../../model/roles.ts';
import * as ui from '../../render/blocks.ts';
import { type MemberVisit, type Mode, modePath } from '../../routing/route.ts';
import { accessScopeOf } from '../../routing/visit.ts';
import { dayText } from '../formats.ts';

/** Time in which events count as failing: seven days. */
const WINDOW_MS = 7 * 86_400_000;

/**
 * Returns the endpoints whose events of the last seven days do not arrive. Null if there are none, or if the person does not
 * see deliveries. One cheap statement per mode.
 */
export async function failing(visit: MemberVisit, ...modes: readonly Mode[]): Promise<ui.Block | null> {
  const { scope, member, language } = visit;
  if (!mayDo(member, 'developers.view')) return null;
  const since = new Date(scope.clock.now().getTime() - WINDOW_MS);
  const endpoints = [];
  for (const mode of modes) {
    const found = await findFailingEndpoints(accessScopeOf(visit, mode), since);
    endpoints.push(...found.map((endpoint) => endpointView(visit, mode, endpoint)));
  }
  return endpoints.length === 0 ? null : ui.part('/deliveries/failing', { since: dayText(since, language), endpoints });
}

function endpointView({ member }: MemberVisit, mode: Mode, endpoint: FailingEndpoint) {
  const { id, url, status, exhaustedCount, retryingCount, skippedCount } = endpoint;
  const counts = Object.entries({ exhausted: exhaustedCount, retrying: retryingCount, skipped: skippedCount });
  return {
    url,
    mode,
    isDisabled: status === 'disabled',
    // The list shows one status at a time, so each count leads to its own deliveries.
    counts: counts
      .filter(([, count]) => count > 0)
      .map(([status, count]) => ({
        status,
        count: count < COUNTED_AT_MOST ? `${count}` : `${count}+`,
        href: modePath(member, mode, `/deliveries?${new URLSearchParams({ endpointId: id, status })}`),
      })),
  };
}
