import { formTimeIn, parseMoment } from '../../../base/time/zoned-time.ts';
import { countFailed, type FailedCount, type FailedRange, redeliverFailed } from '../../../webhooks/events/replay.ts';
import { Refused } from '../../model/refusals.ts';
import * as ui from '../../render/blocks.ts';
import { catchRefusals } from '../../routing/handlers.ts';
import { accessScopeOf, type MemberVisit, type Reply } from '../../routing/visit.ts';
import { developerDoneText, readEndpointChoices } from '../developers/visit.ts';
import { readPracticeFormats } from '../formats.ts';

/** Range of an empty form: seven days, as in the block of failing endpoints. */
const DEFAULT_RANGE_MS = 7 * 86_400_000;

const MINUTE_MS = 60_000;

/** Shows the form; with an endpoint, also how many deliveries a redelivery would queue. Nothing is sent. */
export const showRedelivery = catchRefusals(async (visit: MemberVisit) => {
  const asked = await askedRange(visit);
  if (asked.input.endpointId === '') return redeliveryPage(visit);
  return redeliveryPage(visit, undefined, await countFailed(accessScopeOf(visit), rangeOf(visit, asked)));
}, redeliveryPage);

/** Queues the deliveries again. */
export const redeliverMany = catchRefusals(async (visit: MemberVisit) => {
  const range = rangeOf(visit, await askedRange(visit));
  const { exhaustedCount, skippedCount } = await redeliverFailed(accessScopeOf(visit), range);
  return {
    kind: 'redirect',
    to: visit.modePath(`/deliveries/redeliver?done=replayed&count=${exhaustedCount + skippedCount}`),
  };
}, redeliveryPage);

async function redeliveryPage(visit: MemberVisit, error?: string, count?: FailedCount): Promise<Reply> {
  const { deliveries: t, labels } = visit.t;
  const { input, caption } = await askedRange(visit);
  const endpoints = await readEndpointChoices(visit);
  const isNone = count !== undefined && count.exhaustedCount + count.skippedCount === 0;
  const list = visit.modePath('/deliveries');
  const time = { type: 'datetime-local', required: true, hint: caption };
  const { redelivery: words } = t;
  const sending = { label: words.confirm, button: words.button, hidden: { ...input } };
  return ui.page(words.title, { error, done: developerDoneText(visit) }, [
    ui.lead(words.lead),
    ui.form(`${list}/redeliver`, { method: 'get', button: words.preview, look: 'quiet' }, [
      ui.field('endpointId', t.table.endpoint, input.endpointId, { options: endpoints, all: '', required: true }),
      ui.field('since', words.since, input.since, time),
      ui.field('before', words.before, input.before, time),
    ]),
    isNone && ui.card(null, [ui.text(words.none, { role: 'status' })]),
    count !== undefined &&
      !isNone &&
      ui.form(`${list}/redeliver`, sending, ui.text(words.found(count), { role: 'status' })),
    ui.text(ui.link(list, labels.back)),
  ]);
}

/** Returns the range of the address or form, as it was typed. */
async function askedRange(visit: MemberVisit) {
  const { scope, query, fields } = visit;
  const { caption, timeZone } = await readPracticeFormats(visit);
  const values = fields.size > 0 ? fields : query;
  const nowMs = scope.clock.now().getTime();
  const input = {
    endpointId: values.get('endpointId') ?? '',
    since: values.get('since') ?? formTimeIn(new Date(nowMs - DEFAULT_RANGE_MS), timeZone),
    // The minute after the present one, so that the newest event is in the range.
    before: values.get('before') ?? formTimeIn(new Date(nowMs + MINUTE_MS), timeZone),
  };
  return { input, caption, timeZone };
}

/** Returns the range as moments. @throws Refused for no endpoint, or no range */
function rangeOf({ t }: MemberVisit, { input, timeZone }: Awaited<ReturnType<typeof askedRange>>): FailedRange {
  const { refusals } = t.deliveries;
  const { endpointId } = input;
  if (endpointId === '') throw new Refused(refusals.unknown_endpoint);
  const [since, before] = [parseMoment(input.since, timeZone), parseMoment(input.before, timeZone)];
  if (since === null || before === null || since >= before) throw new Refused(refusals.invalid_range);
  return { endpointId, since, before };
}
