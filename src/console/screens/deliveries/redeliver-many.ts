import { audit } from '../../../audit/audit.ts';
import { formTimeIn, momentNamed } from '../../../base/time/zoned-time.ts';
import { countFailed, type FailedCount, type FailedRange, redeliverFailed } from '../../../webhooks/events/replay.ts';
import * as ui from '../../render/blocks.ts';
import type { MemberVisit, Reply } from '../../routing/route.ts';
import { accessScopeOf, isConfirmed } from '../../routing/visit.ts';
import { endpointChoices, redeliverySentence, tried } from '../developers/visit.ts';
import { type Formats, practiceFormats } from '../formats.ts';

/** Range of an empty form: seven days, as in the block of failing endpoints. */
const DEFAULT_RANGE_MS = 7 * 86_400_000;

const MINUTE_MS = 60_000;

type RangeInput = Record<'endpointId' | 'since' | 'before', string>;

/** Shows the form; with an endpoint, also how many deliveries a redelivery would queue. Nothing is sent. */
export async function showRedelivery(visit: MemberVisit): Promise<Reply> {
  const formats = await practiceFormats(visit);
  const input = rangeInput(visit, visit.query, formats);
  const counted = input.endpointId === '' ? null : await preview(visit, input, formats);
  return redeliveryPage(visit, input, formats, counted);
}

/** Queues the deliveries again, and records the act in the same transaction. */
export async function redeliverMany(visit: MemberVisit): Promise<Reply> {
  const { member, fields, t } = visit;
  const formats = await practiceFormats(visit);
  const input = rangeInput(visit, fields, formats);
  const range = rangeOf(visit, input, formats);
  if (typeof range === 'string') return redeliveryPage(visit, input, formats, range);
  if (!isConfirmed(visit)) {
    const counted = await preview(visit, input, formats);
    const error = typeof counted === 'string' ? counted : t.deliveries.refusals.not_confirmed;
    return redeliveryPage(visit, input, formats, counted, error);
  }
  const redelivery = () =>
    redeliverFailed(accessScopeOf(visit), range, (scope, count) => {
      const { endpointId, since, before } = range;
      audit(scope, visit.actor, {
        practiceId: member.practiceId,
        action: 'deliveries.redelivered',
        target: { kind: 'endpoint', id: endpointId },
        after: { since: since.toISOString(), before: before.toISOString(), ...count },
      });
    });
  const count = await tried(visit, redelivery, redeliverySentence);
  if (typeof count === 'string') return redeliveryPage(visit, input, formats, count);
  const done = count.exhaustedCount + count.skippedCount;
  return { kind: 'redirect', to: visit.modePath(`/deliveries/redeliver?done=${done}`) };
}

/** Returns how many deliveries a redelivery would queue, or the sentence that refuses the range. */
async function preview(visit: MemberVisit, input: RangeInput, formats: Formats): Promise<FailedCount | string> {
  const range = rangeOf(visit, input, formats);
  if (typeof range === 'string') return range;
  return tried(visit, () => countFailed(accessScopeOf(visit), range), redeliverySentence);
}

/** @param counted the count of the preview, or a refusal; null for an empty form */
async function redeliveryPage(
  visit: MemberVisit,
  input: RangeInput,
  { caption }: Formats,
  counted: FailedCount | string | null,
  error = typeof counted === 'string' ? counted : undefined,
): Promise<Reply> {
  const { deliveries: t } = visit.t;
  const endpoints = await endpointChoices(visit);
  const count = typeof counted === 'string' ? null : counted;
  const isNone = count !== null && count.exhaustedCount + count.skippedCount === 0;
  const sent = visit.query.get('done');
  const list = visit.modePath('/deliveries');
  const time = { type: 'datetime-local', required: true, hint: caption };
  const { redelivery: words } = t;
  const done = sent !== undefined && /^\d{1,4}$/.test(sent) ? t.doneMany(sent) : undefined;
  const sending = { confirm: words.confirm, button: words.button, hidden: { ...input } };
  return ui.page(words.title, { error, done }, [
    ui.lead(words.lead),
    ui.form(`${list}/redeliver`, { method: 'get', button: words.preview, look: 'quiet' }, [
      ui.select('endpointId', t.table.endpoint, input.endpointId, endpoints, { all: '', required: true }),
      ui.field('since', words.since, input.since, time),
      ui.field('before', words.before, input.before, time),
    ]),
    isNone && ui.card(null, [ui.text(words.none, { role: 'status' })]),
    count !== null && !isNone && ui.form(`${list}/redeliver`, sending, ui.text(words.found(count), { role: 'status' })),
    ui.text(ui.link(list, t.one.back)),
  ]);
}

function rangeInput({ scope }: MemberVisit, values: ReadonlyMap<string, string>, { timeZone }: Formats): RangeInput {
  const nowMs = scope.clock.now().getTime();
  return {
    endpointId: values.get('endpointId') ?? '',
    since: values.get('since') ?? formTimeIn(new Date(nowMs - DEFAULT_RANGE_MS), timeZone),
    // The minute after the present one, so that the newest event is in the range.
    before: values.get('before') ?? formTimeIn(new Date(nowMs + MINUTE_MS), timeZone),
  };
}

function rangeOf(
  { t }: MemberVisit,
  { endpointId, since, before }: RangeInput,
  { timeZone }: Formats,
): FailedRange | string {
  const { refusals } = t.deliveries;
  const [from, until] = [momentNamed(since, timeZone), momentNamed(before, timeZone)];
  if (endpointId === '') return refusals.unknown_endpoint;
  if (from === null || until === null || from >= until) return refusals.invalid_range;
  return { endpointId, since: from, before: until };
}
