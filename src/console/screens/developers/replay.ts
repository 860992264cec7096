import { missedChanges } from '../../../payment-links/api/missed-changes.ts';
import { formTimeIn, parseMoment } from '../../../platform/base/time/zoned-time.ts';
import { withPlace } from '../../../platform/database/query/transaction.ts';
import * as ui from '../../../web/blocks.ts';
import { previewReplay, type ReplayPreview, replay } from '../../../webhooks/events/replay.ts';
import type { WebhookEndpoint } from '../../../webhooks/model/endpoint.entity.ts';
import { withRecord } from '../../routing/handlers.ts';
import { accessScopeOf, type MemberVisit, type Reply, refuse } from '../../routing/visit.ts';
import { readPracticeFormats } from '../formats.ts';
import { findEndpointOfPath } from './endpoints.ts';

const PROPOSED_MS = 86_400_000;

const NO_TIME = 'Enter a day and a time.';

const withEndpoint = withRecord(findEndpointOfPath, replayPage);

/** Shows the form of a replay and, if it names a time, how many events the replay would send. */
export const showReplay = withEndpoint(async (visit, endpoint) => {
  if (!visit.query.has('since')) return replayPage(visit, endpoint);
  const since = await parseSince(visit);
  if (since === null) return refuse(NO_TIME);
  // It may read as much as the replay, so it takes a place of the practice, too.
  const preview = await withPlace(accessScopeOf(visit), (scope) =>
    previewReplay(scope, missedChanges, endpoint.id, since),
  );
  return replayPage(visit, endpoint, undefined, preview);
});

export const startReplay = withEndpoint(async (visit, { id }) => {
  const since = await parseSince(visit);
  if (since === null) return refuse(NO_TIME);
  const { requeuedCount, freshCount } = await replay(accessScopeOf(visit), missedChanges, id, since);
  const done = `?done=replayed&count=${requeuedCount + freshCount}`;
  return { kind: 'redirect', to: visit.modePath(`/developers/webhooks/${id}${done}`) };
});

async function parseSince(visit: MemberVisit): Promise<Date | null> {
  return parseMoment(typedSince(visit) ?? '', (await readPracticeFormats(visit)).timeZone);
}

function typedSince({ query, fields }: MemberVisit): string | undefined {
  return fields.get('since') ?? query.get('since');
}

async function replayPage(
  visit: MemberVisit,
  endpoint: WebhookEndpoint,
  error?: string,
  preview?: ReplayPreview,
): Promise<Reply> {
  const { timeZone, caption } = await readPracticeFormats(visit);
  const path = visit.modePath(`/developers/webhooks/${endpoint.id}`);
  const proposed = new Date(visit.scope.clock.now().getTime() - PROPOSED_MS);
  const since = typedSince(visit) ?? formTimeIn(proposed, timeZone);
  const hasEvents = preview !== undefined && preview.requeuedCount + preview.freshCount > 0;
  const counts = hasEvents
    ? `Events to send again: ${preview.requeuedCount}. Missed events to add: ${preview.freshCount}.`
    : 'There is nothing to send.';
  const result = [
    ui.text(counts, { role: 'status' }),
    preview?.capped === true &&
      ui.text('There are more events. Repeat the replay after ten minutes for the next ones.'),
  ];
  const starting = { label: 'Yes, send these events', button: 'Start the replay', hidden: { since } };
  return ui.page('Replay', { error }, [
    ui.text(ui.own(endpoint.url), { class: 'lead address' }),
    ui.lead(
      'Sends events that never arrived since a time, and those that the endpoint missed. At most 1,000 events, 30 days back, once in ten minutes.',
    ),
    ui.form(`${path}/replay`, { method: 'get', button: 'Count the events' }, [
      ui.field('since', 'Since', since, { type: 'datetime-local', required: true, hint: caption }),
    ]),
    hasEvents && ui.form(`${path}/replay`, starting, result),
    preview !== undefined && !hasEvents && ui.card(null, result),
    ui.text(ui.link(path, 'Back')),
  ]);
}
