import { formTimeIn, momentNamed } from '../../../base/time/zoned-time.ts';
import { inPlace } from '../../../database/query/transaction.ts';
import { missedChanges } from '../../../payment-links/read/missed-changes.ts';
import { previewReplay, type ReplayPreview, replay } from '../../../webhooks/events/replay.ts';
import type { WebhookEndpoint } from '../../../webhooks/model/endpoint.entity.ts';
import * as ui from '../../render/blocks.ts';
import { accessScopeOf, type MemberVisit, type Reply } from '../../routing/visit.ts';
import { practiceFormats } from '../formats.ts';
import { endpointOf } from './endpoints.ts';
import { tried } from './visit.ts';

const PROPOSED_MS = 86_400_000;

/** Shows the form of a replay and, if it names a time, how many events the replay would send. */
export async function showReplay(visit: MemberVisit): Promise<Reply> {
  const endpoint = await endpointOf(visit);
  const text = visit.query.get('since');
  if (text === undefined) return replayPage(visit, endpoint, {});
  const { timeZone } = await practiceFormats(visit);
  const since = momentNamed(text, timeZone);
  if (since === null) return replayPage(visit, endpoint, { text, error: visit.t.developers.refusals.since_invalid });
  const scope = accessScopeOf(visit);
  // It may read as much as the replay, so it takes a place of the practice, too.
  const counted = await tried(visit, () =>
    inPlace(scope, (scope) => previewReplay(scope, missedChanges, endpoint.id, since)),
  );
  const result = typeof counted === 'string' ? { error: counted } : { preview: counted };
  return replayPage(visit, endpoint, { text, ...result });
}

export async function startReplay(visit: MemberVisit): Promise<Reply> {
  const endpoint = await endpointOf(visit);
  const { refusals } = visit.t.developers;
  const text = visit.fields.get('since') ?? '';
  const since = momentNamed(text, (await practiceFormats(visit)).timeZone);
  if (since === null) return replayPage(visit, endpoint, { text, error: refusals.since_invalid });
  const started = await tried(visit, () => replay(accessScopeOf(visit), missedChanges, endpoint.id, since));
  if (typeof started === 'string') return replayPage(visit, endpoint, { text, error: started });
  const { requeuedCount, freshCount } = started;
  const done = `?done=replayed&count=${requeuedCount + freshCount}`;
  return { kind: 'redirect', to: visit.modePath(`/developers/webhooks/${endpoint.id}${done}`) };
}

async function replayPage(
  visit: MemberVisit,
  endpoint: WebhookEndpoint,
  { text, preview, error }: { text?: string; preview?: ReplayPreview; error?: string },
): Promise<Reply> {
  const { timeZone, caption } = await practiceFormats(visit);
  const path = visit.modePath(`/developers/webhooks/${endpoint.id}`);
  const proposed = new Date(visit.scope.clock.now().getTime() - PROPOSED_MS);
  const { replay: t } = visit.t.developers.endpoints;
  const { labels } = visit.t;
  const since = text ?? formTimeIn(proposed, timeZone);
  const hasEvents = preview !== undefined && preview.requeuedCount + preview.freshCount > 0;
  const counts = hasEvents ? t.counts(preview.requeuedCount, preview.freshCount) : t.nothing;
  const found = [ui.text(counts, { role: 'status' }), preview?.capped === true && ui.text(t.capped)];
  const starting = { confirm: t.label, button: t.button, hidden: { since } };
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
