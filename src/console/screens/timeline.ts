import type { TimelineActor, TimelineEntry } from '../../payment-links/billing/timeline.ts';
import * as ui from '../../web/blocks.ts';
import { readLabels } from '../identity/people/members.ts';
import {
  ACTS,
  CANCEL_REASON_TEXTS,
  FORMER_REASON_TEXTS,
  REFUND_SETTLED_TEXTS,
  REFUND_STATUSES,
  wordOf,
} from '../render/labels.ts';
import type { MemberVisit } from '../routing/visit.ts';
import { readKeyNames } from './developers/visit.ts';
import type { Formats } from './formats.ts';
import { describeReason } from './payments/disputes.ts';

const OCCURRENCES = {
  link_created: 'Link created',
  link_expired: 'Link expired',
  opened: 'Page opened',
  opened_again: 'Page last opened',
  attempt_started: 'Payment submitted',
  attempt_failed: 'Payment declined',
  attempt_cancelled: 'Payment not completed, no money taken',
  attempt_in_doubt: 'Payment ended, outcome unknown',
  debit_submitted: 'Debit submitted to the bank',
  paid: 'Paid',
  settled: 'Debit confirmed by the bank',
  returned: 'Returned by the bank',
  refund_requested: 'Refund requested',
  reversed: 'Taken back by the bank',
  dispute_opened: 'Dispute opened',
  dispute_won: 'Dispute won',
  dispute_lost: 'Dispute lost',
} satisfies Record<Exclude<TimelineEntry['what'], 'act'>, string>;

const ACTORS = {
  api: 'software of the practice',
  api_key: 'API key',
  staff: 'office staff',
  website: 'the website',
  operator: 'the operator of the service',
  patient: 'the patient',
  processor: 'the payment processor',
  bank: 'the patient’s bank',
  system: 'this service',
  simulation: 'a simulation',
} satisfies Record<Exclude<TimelineActor['kind'], 'person'>, string>;

/** Shows a timeline. A proof of a payment has network addresses and names of keys. */
export async function timelineBlock(
  visit: MemberVisit,
  entries: readonly TimelineEntry[],
  { money, moment, decline }: Formats,
  isProof: boolean,
): Promise<ui.Block> {
  const { scope, member } = visit;
  const idsOf = (kind: 'person' | 'api_key') => entries.map(({ actor }) => (actor.kind === kind ? actor.id : null));
  const people = await readLabels(scope, member.practiceId, idsOf('person'));
  const names = isProof ? new Map([...people, ...(await readKeyNames(visit, idsOf('api_key')))]) : people;
  const lines = entries.map((entry) => {
    const { at, what, actor, act, amountCents } = entry;
    const name = what === 'act' ? wordOf(ACTS, act ?? '') : OCCURRENCES[what];
    const further = [amountCents === null ? null : money(amountCents), detailText(decline, entry)];
    const from = isProof && 'address' in actor ? actor.address : null;
    return [
      ui.text([ui.mark('strong', name), ...further.map((text) => text && ` · ${text}`)]),
      ui.text(
        [
          at === null ? 'time not recorded' : ui.moment(at, moment(at)),
          ` · by `,
          ui.own(actorText(actor, names, isProof)),
          from && ` · from ${from}`,
        ],
        { class: 'hint' },
      ),
    ];
  });
  return ui.section('Timeline', [ui.list('ol', lines, 'timeline')]);
}

function actorText(actor: TimelineActor, names: ReadonlyMap<string, string>, isProof: boolean): string {
  if (actor.kind === 'person') return names.get(actor.id) ?? actor.id;
  if (actor.kind !== 'api_key') return ACTORS[actor.kind];
  return isProof ? `API key ${names.get(actor.id) ?? actor.id}` : 'software of the practice';
}

function detailText(decline: Formats['decline'], { what, detail }: TimelineEntry): string | null {
  if (detail === null) return null;
  switch (what) {
    case 'act':
      return wordOf({ ...FORMER_REASON_TEXTS, ...CANCEL_REASON_TEXTS, ...REFUND_SETTLED_TEXTS }, detail);
    case 'opened_again':
      return `${detail} times in all`;
    case 'refund_requested':
      return wordOf(REFUND_STATUSES, detail);
    case 'dispute_opened':
      return describeReason(detail)[0];
    case 'attempt_failed':
    case 'returned':
      return decline(detail);
    default:
      return null;
  }
}
