import { formTimeIn, parseMoment } from '../../../base/time/zoned-time.ts';
import { withPlace } from '../../../database/query/transaction.ts';
import { missedChanges } from '../../../payment-links/read/missed-changes.ts';
import { previewReplay, type ReplayPreview, replay } from '../../../webhooks/events/replay.ts';
import type { WebhookEndpoint } from '../../../webhooks/model/endpoint.entity.ts';
import { Refused } from '../../model/refusals.ts';
import * as ui from '../../render/blocks.ts';
import { withRecord } from '../../routing/handlers.ts';
import { accessScopeOf, type MemberVisit, type Reply } from '../../routing/visit.ts';
import { readPracticeFormats } from '../formats.ts';
import { findEndpointOfPath } from './endpoints.ts';

const PROPOSED_MS = 86_400_000;

const withEndpoint = withRecord(findEndpointOfPath, replayPage);

/** Shows the form of a replay and, if it names a time, how many events the replay would send. */
export const showReplay = withEndpoint(async (visit, endpoint) => {
  if (!visit.query.has('since')) return replayPage(visit, endpoint);
  const since = await sinceOf(visit);
  // It may read as much as the replay, so it takes a place of the practice, too.
  const counted = await withPlace(accessScopeOf(visit), (scope) =>
    previewReplay(scope, missedChanges, endpoint.id, since),
  );
  return replayPage(visit, endpoint, undefined, counted);
});

export const startReplay = withEndpoint(async (visit, { id }) => {
  const since = await sinceOf(visit);
  const { requeuedCount, freshCount } = await replay(accessScopeOf(visit), missedChanges, id, since);
  const done = `?done=replayed&count=${requeuedCount + freshCount}`;
  return { kind: 'redirect', to: visit.modePath(`/developers/webhooks/${id}${done}`) };
});

/** Returns the time in the address or form. @throws Refused if it is none */
async function sinceOf(visit: MemberVisit): Promise<Date> {
  const since = parseMoment(typedSince(visit) ?? '', (await readPracticeFormats(visit)).timeZone);
  if (since === null) throw new Refused(visit.t.developers.refusals.since_invalid);
  return since;
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
  const { replay: t } = visit.t.developers.endpoints;
  const { labels } = visit.t;
  const since = typedSince(visit) ?? formTimeIn(proposed, timeZone);
  const hasEvents = preview !== undefined && preview.requeuedCount + preview.freshCount > 0;
  const counts = hasEvents ? t.counts(preview.requeuedCount, preview.freshCount) : t.nothing;
  const found = [ui.text(counts, { role: 'status' }), preview?.capped === true && ui.text(t.capped)];
  const starting = { label: t.label, button: t.button, hidden: { since } };
  return ui.page(t.title, { error }, [
    ui.text(ui.own(endpoint.url), { class: 'lead address' }),
    ui.lead(t.text),
    ui.form(`${path}/replay`, { method: 'get', button: t.preview }, [
      ui.field('since', labels.since, since, { type: 'datetime-local', required: true, hint: caption }),
    ]),
    hasEvents && ui.form(`${path}/replay`, starting, found),
    preview !== undefined && !hasEvents && ui.card(null, found),
    ui.text(ui.link(path, labels.back)),
  ]);
}
