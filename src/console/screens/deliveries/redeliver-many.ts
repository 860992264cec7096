import { formTimeIn, momentNamed } from '../../../base/time/zoned-time.ts';
import { countFailed, type FailedCount, type FailedRange, redeliverFailed } from '../../../webhooks/events/replay.ts';
import * as ui from '../../render/blocks.ts';
import { accessScopeOf, type MemberVisit, type Reply } from '../../routing/visit.ts';
import { endpointChoices, redeliverySentence, tried } from '../developers/visit.ts';
import { practiceFormats } from '../formats.ts';

/** Range of an empty form: seven days, as in the block of failing endpoints. */
const DEFAULT_RANGE_MS = 7 * 86_400_000;

const MINUTE_MS = 60_000;

type RangeInput = Record<'endpointId' | 'since' | 'before', string>;

/** Range of the address or form, as it was typed. A refused one is a sentence. */
interface Asked {
  input: RangeInput;
  range: FailedRange | string;
  caption: string;
}

/** Shows the form; with an endpoint, also how many deliveries a redelivery would queue. Nothing is sent. */
export async function showRedelivery(visit: MemberVisit): Promise<Reply> {
  const asked = await askedRange(visit);
  return redeliveryPage(visit, asked, asked.input.endpointId === '' ? null : await preview(visit, asked));
}

/** Queues the deliveries again. */
export async function redeliverMany(visit: MemberVisit): Promise<Reply> {
  const asked = await askedRange(visit);
  const { range } = asked;
  if (typeof range === 'string') return redeliveryPage(visit, asked, range);
  const redelivery = () => redeliverFailed(accessScopeOf(visit), range);
  const count = await tried(visit, redelivery, redeliverySentence);
  if (typeof count === 'string') return redeliveryPage(visit, asked, count);
  const done = count.exhaustedCount + count.skippedCount;
  return { kind: 'redirect', to: visit.modePath(`/deliveries/redeliver?done=${done}`) };
}

/** Returns how many deliveries a redelivery would queue, or the sentence that refuses the range. */
async function preview(visit: MemberVisit, { range }: Asked): Promise<FailedCount | string> {
  if (typeof range === 'string') return range;
  return tried(visit, () => countFailed(accessScopeOf(visit), range), redeliverySentence);
}

/** @param counted the count of the preview, or a refusal; null for an empty form */
async function redeliveryPage(
  visit: MemberVisit,
  { input, caption }: Asked,
  counted: FailedCount | string | null,
): Promise<Reply> {
  const { deliveries: t, labels } = visit.t;
  const endpoints = await endpointChoices(visit);
  const count = typeof counted === 'string' ? null : counted;
  const isNone = count !== null && count.exhaustedCount + count.skippedCount === 0;
  const sent = visit.query.get('done');
  const list = visit.modePath('/deliveries');
  const time = { type: 'datetime-local', required: true, hint: caption };
  const { redelivery: words } = t;
  const done = sent !== undefined && /^\d{1,4}$/.test(sent) ? t.doneMany(sent) : undefined;
  const sending = { confirm: words.confirm, button: words.button, hidden: { ...input } };
  return ui.page(words.title, { error: typeof counted === 'string' ? counted : undefined, done }, [
    ui.lead(words.lead),
    ui.form(`${list}/redeliver`, { method: 'get', button: words.preview, look: 'quiet' }, [
      ui.field('endpointId', t.table.endpoint, input.endpointId, { options: endpoints, all: '', required: true }),
      ui.field('since', words.since, input.since, time),
      ui.field('before', words.before, input.before, time),
    ]),
    isNone && ui.card(null, [ui.text(words.none, { role: 'status' })]),
    count !== null && !isNone && ui.form(`${list}/redeliver`, sending, ui.text(words.found(count), { role: 'status' })),
    ui.text(ui.link(list, labels.back)),
  ]);
}

async function askedRange(visit: MemberVisit): Promise<Asked> {
  const { scope, t, query, fields } = visit;
  const { caption, timeZone } = await practiceFormats(visit);
  const values = fields.size > 0 ? fields : query;
  const nowMs = scope.clock.now().getTime();
  const input = {
    endpointId: values.get('endpointId') ?? '',
    since: values.get('since') ?? formTimeIn(new Date(nowMs - DEFAULT_RANGE_MS), timeZone),
    // The minute after the present one, so that the newest event is in the range.
    before: values.get('before') ?? formTimeIn(new Date(nowMs + MINUTE_MS), timeZone),
  };
  const { endpointId } = input;
  const [since, before] = [momentNamed(input.since, timeZone), momentNamed(input.before, timeZone)];
  const { refusals } = t.deliveries;
  if (endpointId === '') return { input, caption, range: refusals.unknown_endpoint };
  const isRange = since !== null && before !== null && since < before;
  return { input, caption, range: isRange ? { endpointId, since, before } : refusals.invalid_range };
}
