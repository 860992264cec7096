import * as ui from '../../../web/blocks.ts';
import type { FailingEndpoint } from '../../../webhooks/events/failing-endpoints.ts';
import { COUNTED_AT_MOST, findFailingEndpoints } from '../../../webhooks/events/failing-endpoints.ts';
import { mayDo } from '../../model/roles.ts';
import { accessScopeOf, type MemberVisit } from '../../routing/visit.ts';
import { readPracticeFormats } from '../formats.ts';

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
