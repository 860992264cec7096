import type { TimelineActor, TimelineEntry } from '../../payment-links/billing/timeline.ts';
import { readLabels } from '../people/users.ts';
import * as ui from '../render/blocks.ts';
import type { MemberVisit } from '../routing/visit.ts';
import { type Texts, wordOf } from '../texts/texts.ts';
import { readKeyNames } from './developers/visit.ts';
import { type Formats, formatsOf } from './formats.ts';
import { SETTLED_TEXTS } from './links/fields.ts';

/** Shows a timeline in the time zone of its location. Network addresses and names of keys are shown to those who prove a payment. */
export async function timelineBlock(
  visit: MemberVisit,
  entries: readonly TimelineEntry[],
  timeZone: string,
  { isProof }: { isProof: boolean },
): Promise<ui.Block> {
  const { scope, member, t } = visit;
  const { timeline: words } = t.payments.payment;
  const { money, moment, decline } = formatsOf(timeZone);
  const idsOf = (kind: 'person' | 'api_key') => entries.map(({ actor }) => (actor.kind === kind ? actor.id : null));
  const people = await readLabels(scope, member.practiceId, idsOf('person'));
  const names = isProof ? new Map([...people, ...(await readKeyNames(visit, idsOf('api_key')))]) : people;
  const lines = entries.map((entry) => {
    const { at, what, actor, act, amountCents } = entry;
    const name = what === 'act' ? wordOf(t.auditLog.actions, act ?? '') : words.what[what];
    const further = [amountCents === null ? null : money(amountCents), detailText(t, decline, entry)];
    const from = isProof && 'address' in actor ? actor.address : null;
    return [
      ui.text([ui.mark('strong', name), ...further.map((text) => text && ` · ${text}`)]),
      ui.text(
        [
          at === null ? 'time not recorded' : ui.moment(at, moment(at)),
          ` · by `,
          ui.own(actorText(t, actor, names, isProof)),
          from && ` · from ${from}`,
        ],
        { class: 'hint' },
      ),
    ];
  });
  return ui.section('Timeline', [ui.list('ol', lines, 'timeline')]);
}

function actorText(t: Texts, actor: TimelineActor, names: ReadonlyMap<string, string>, isProof: boolean): string {
  const { actors } = t.payments.payment.timeline;
  if (actor.kind === 'person') return names.get(actor.id) ?? actor.id;
  if (actor.kind !== 'api_key') return actors[actor.kind];
  return isProof ? `API key ${names.get(actor.id) ?? actor.id}` : 'software of the practice';
}

function detailText(t: Texts, decline: Formats['decline'], { what, detail }: TimelineEntry): string | null {
  const { payment } = t.payments;
  if (detail === null) return null;
  switch (what) {
    case 'act':
      return wordOf({ ...t.links.cancel.reasons, ...SETTLED_TEXTS }, detail);
    case 'opened_again':
      return `${detail} times in all`;
    case 'refund_requested':
      return wordOf(payment.refundStatus, detail);
    case 'dispute_opened':
      return disputeReason(t, detail);
    case 'attempt_failed':
    case 'returned':
      return decline(detail);
    default:
      return null;
  }
}

/** Returns the reason of a dispute in words. */
export function disputeReason({ payments: { payment } }: Texts, code: string): string {
  const { disputeReasons: t } = payment;
  return new Map(Object.entries(t)).get(code) ?? 'Another reason';
}
