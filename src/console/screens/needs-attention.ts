import type { NeedsAttention } from '../../payment-links/billing/list-needs-attention.ts';
import { REFUND_SETTLED_REASONS } from '../../payment-links/model/after-payment.entity.ts';
import { settleRefund } from '../../payment-links/office/resolution.ts';
import * as ui from '../../web/blocks.ts';
import { mayDo } from '../model/roles.ts';
import { REFUND_SETTLED_TEXTS } from '../render/labels.ts';
import { type MemberVisit, type Refusal, type Reply, refuse, staffOf } from '../routing/visit.ts';
import { pathWith } from './filters.ts';
import type { Formats } from './formats.ts';

/** Reasons, each with the class of its badge. */
const REASONS = {
  open_dispute: ['Dispute', 'disputed'],
  returned_debit: ['Debit returned', 'returned'],
  failed_refund: ['Refund failed', 'exhausted'],
} satisfies Record<NeedsAttention['reason'], [name: string, look: string]>;

/** Shows payments that need attention, with what to do about each. */
export function attentionTable(visit: MemberVisit, formats: Formats, rows: readonly NeedsAttention[]): ui.Block {
  const { briefDay, money } = formats;
  const patient = ({ id, patientFirstName, patientLastName }: NeedsAttention) =>
    ui.link(visit.modePath(`/payments/${id}`), ui.own(`${patientFirstName} ${patientLastName}`));
  const happened = ({ reason, at }: NeedsAttention) => [
    ui.badge(...REASONS[reason]),
    ui.mark('div', ui.moment(at, briefDay(at)), 'hint'),
  ];
  return ui.table<NeedsAttention>(
    'Needs attention',
    rows,
    [
      ['Patient', patient],
      ['Amount', ({ amountCents }) => money(amountCents), 'amount'],
      ['What happened', happened],
      ['Deadline', (row) => deadline(visit, formats, row)],
      ['What you can do', (row) => actsOn(visit, row)],
    ],
    formats,
  );
}

function deadline({ scope }: MemberVisit, { moment }: Formats, { reason, dueBy }: NeedsAttention): ui.Content {
  if (reason !== 'open_dispute') return '';
  if (dueBy === null) return 'The bank named no deadline.';
  const isOverdue = dueBy < scope.clock.now();
  return [ui.mark('strong', `Evidence due ${moment(dueBy)}`), isOverdue && ' The deadline has passed.'];
}

function actsOn(visit: MemberVisit, { reason, id, recordId }: NeedsAttention): ui.Content {
  const { member } = visit;
  const payment = visit.modePath(`/payments/${id}`);
  switch (reason) {
    case 'open_dispute': {
      const button = { look: 'quiet', hidden: { sent: 'yes' } } as const;
      return [
        ui.link(payment, 'What to send'),
        mayDo(member, 'payments.answer') && ui.button(`${payment}/disputes/${recordId}`, 'The answer is sent', button),
      ];
    }
    case 'returned_debit':
      return [
        mayDo(member, 'links.create') && ui.link(visit.modePath(`/links/new?from=${id}`), 'New link'),
        mayDo(member, 'links.cancel') &&
          ui.link(pathWith(visit.modePath(`/links/${id}/cancel`), { to: visit.modePath('') }), 'Settled elsewhere'),
      ];
    case 'failed_refund': {
      if (!mayDo(member, 'payments.refund')) return null;
      const options = Object.entries(REFUND_SETTLED_TEXTS);
      const field = ui.field('reason', 'Reason', '', { id: `reason-${recordId}`, options, all: '', required: true });
      const form = { button: 'Done', className: '', hidden: { refund: recordId } };
      return [
        ui.link(`${payment}/refund`, 'Refund again'),
        ui.details('Done', {}, [ui.form(visit.modePath('/attention'), form, field)]),
      ];
    }
    default:
      reason satisfies never;
      throw new Error('an entry has an unknown reason');
  }
}

/** Ends a failed refund, which was given back another way or is not due. */
export async function settleOneRefund(visit: MemberVisit): Promise<Reply | Refusal> {
  const { scope, fields } = visit;
  const reason = REFUND_SETTLED_REASONS.find((name) => name === fields.get('reason'));
  if (reason === undefined) return refuse('Choose a reason.');
  const isSettled = await settleRefund(scope, staffOf(visit), fields.get('refund') ?? '', reason);
  if (!isSettled) return refuse('Not changed: this refund needs no attention any more.');
  return { kind: 'redirect', to: visit.modePath('?done=saved') };
}
