import { listActsOn } from '../../../audit/list.ts';
import { nextMinute } from '../../../pages/texts/formats.ts';
import { type LinkHistory, timelineOf } from '../../../payment-links/billing/timeline.ts';
import { throttledUntil } from '../../../payment-links/payment/payable.ts';
import { findStaffLink, readRecords, type StaffLink } from '../../../payment-links/staff/link.ts';
import { mayDo } from '../../model/roles.ts';
import * as ui from '../../render/blocks.ts';
import { qrPicture } from '../../render/qr-code.ts';
import { withRecord } from '../../routing/handlers.ts';
import { doneText, type MemberVisit, type Reply, viewerOf } from '../../routing/visit.ts';
import { type Formats, formatsOf } from '../formats.ts';
import { timelineBlock } from '../timeline.ts';
import { factsOfLink, isPayable } from './fields.ts';
import { statusMark } from './list.ts';
import { slipPage } from './slip.ts';

const withLink = withRecord(findLinkOfPath, linkPage);

export const showLink = withLink();

export const showSlip = withLink(slipPage);

/** Returns the link of the path. A link that the person does not see is unknown. */
export function findLinkOfPath(visit: MemberVisit): Promise<StaffLink | null> {
  return findStaffLink(visit.scope, viewerOf(visit), visit.params.linkId ?? '');
}

async function linkPage(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  const { link, location, transaction, url } = found;
  const { links: t, labels } = visit.t;
  const { moment, money } = formatsOf(location.timeZone);
  const isActive = isPayable(found);
  const { one } = t;
  const fact = (name: string, value: string | null) => (value === null ? null : ([name, ui.own(value)] as const));
  const amount = ui.mark('strong', money(link.amountCents), 'sum');
  const actions = actionsOf(visit, found, isActive);
  const history = { link, transaction, ...(await readRecords(visit.scope, link)) };
  const title = one.title(`${link.patientFirstName} ${link.patientLastName}`);
  // A reload after the payment must not say again that the link is ready.
  return ui.page(title, { done: link.status === 'paid' ? undefined : doneText(visit, t.done) }, [
    ui.text([statusMark(visit, found), ' ', amount], { class: 'summary' }),
    ui.lead(situationOf(visit, found, history)),
    (isActive || link.status === 'paid') && addressCard(visit, url, isActive),
    actions.length > 0 && ui.nav(one.actions, actions),
    ui.card(null, [
      ui.facts('facts', [
        ...factsOfLink(visit, found),
        fact(labels.location, location.name),
        fact(labels.created, moment(link.createdAt)),
        fact(one.facts.source, one.sources[link.source]),
        fact(t.statuses.paid, link.paidAt === null ? null : moment(link.paidAt)),
        fact(one.facts.expires, isActive ? moment(link.expiresAt) : null),
      ]),
    ]),
    await timelineOfLink(visit, found, history),
    ui.text(ui.link(visit.modePath('/links'), visit.t.labels.back)),
  ]);
}

/** Shows the address to copy; with its QR code while the patient can pay. */
function addressCard({ t }: MemberVisit, url: string, hasCode: boolean): ui.Block {
  const { one } = t.links;
  return ui.card(null, [
    ui.field('address', one.address, url, { class: 'address', readonly: true }),
    ui.copyButton('address', one),
    hasCode && [qrPicture(url, one.code), ui.text(one.codeText, { class: 'hint' })],
  ]);
}

/** Returns the pages to which the person may go from the link, in the order of their use. */
function actionsOf(visit: MemberVisit, { link, transaction }: StaffLink, isActive: boolean) {
  const { member } = visit;
  const { one, cancel, send } = visit.t.links;
  const { labels } = visit.t;
  const path = visit.modePath(`/links/${link.id}`);
  const mayChange = isActive && mayDo(member, 'links.change');
  const seesPayment = transaction !== null && mayDo(member, 'payments.view');
  const actions: readonly (readonly [isOffered: boolean, name: string, href: string])[] = [
    [isActive, one.slip, `${path}/slip`],
    [mayChange && visit.mailsPatients, send.title, `${path}/send`],
    [mayChange, labels.change, `${path}/change`],
    [isActive && mayDo(member, 'links.cancel'), cancel.title, `${path}/cancel`],
    [!isActive && mayDo(member, 'links.create'), one.again, visit.modePath(`/links/new?from=${link.id}`)],
    [seesPayment, one.payment, visit.modePath(`/payments/${link.id}`)],
  ];
  const button = { class: 'button quiet' };
  return actions.flatMap(([isOffered, name, href]) => (isOffered ? [ui.link(href, name, button)] : []));
}

/** Shows what happened to the link. Refunds and disputes are for those who see payments. */
async function timelineOfLink(
  visit: MemberVisit,
  { link, location }: StaffLink,
  history: LinkHistory,
): Promise<ui.Block> {
  const { scope, member } = visit;
  const acts = await listActsOn(scope, link.practiceId, link.id);
  const open = history.attempts.find(({ closedAt }) => closedAt === null);
  const hidden = mayDo(member, 'payments.view')
    ? []
    : ['refund_requested', 'dispute_opened', 'dispute_won', 'dispute_lost'];
  // The outcome of an attempt says that it began.
  const shown = timelineOf(history, acts).filter(
    ({ what, at }) => !hidden.includes(what) && (what !== 'attempt_started' || at === open?.createdAt),
  );
  return timelineBlock(visit, shown, location.timeZone, { isProof: false });
}

/** Returns in words where a link stands and why, for staff who have the patient on the phone. */
function situationOf(
  visit: MemberVisit,
  { link, location, status, afterPayment }: StaffLink,
  history: LinkHistory,
): string {
  const { next, happened: t } = visit.t.links.one;
  const { attempts, transaction, reversals, openings } = history;
  const formats = formatsOf(location.timeZone);
  const { day, moment, decline } = formats;
  const tried = triedText(visit, history, formats);
  switch (status) {
    case 'waiting': {
      if (tried === null) return openings === null ? next.waiting : t.opened(day(openings.lastOpenedAt));
      if (tried === t.inDoubt) return tried;
      const until = pausedUntil(history, visit.scope.clock.now());
      const pause = until && t.paused(moment(nextMinute(until)));
      return `${tried} ${pause ?? t.again}`;
    }
    case 'under_way':
      if (link.paidAt !== null) return t.debit(day(link.paidAt));
      return attempts.at(-1)?.status === 'requires_action' ? t.confirm : next.under_way;
    case 'paid':
      if (afterPayment === 'refunded' && reversals.length > 0) return t.reversed;
      return afterPayment === null ? next.paid : t[afterPayment];
    case 'returned':
      return t.returned(decline(transaction?.failureReason ?? ''));
    case 'expired':
    case 'cancelled':
      return tried === null ? next[status] : `${tried} ${next[status]}`;
    default:
      status satisfies never;
      throw new Error('a link has an unknown status');
  }
}

/** Returns what came of the attempts to pay; null without an attempt that ended. */
function triedText(visit: MemberVisit, { attempts }: LinkHistory, { day, decline }: Formats): string | null {
  const { happened: t } = visit.t.links.one;
  if (attempts.some(({ closedAt, reconcileAt }) => closedAt !== null && reconcileAt !== null)) return t.inDoubt;
  const latest = attempts.at(-1);
  if (latest === undefined || latest.closedAt === null) return null;
  const onDay = day(latest.closedAt);
  if (latest.status === 'cancelled') return t.notCompleted(onDay);
  if (latest.status !== 'failed') return null;
  // Several declines of the same day and method are one sentence.
  const declined = attempts.filter(
    ({ status, methodType, closedAt }) =>
      status === 'failed' && methodType === latest.methodType && closedAt !== null && day(closedAt) === onDay,
  );
  const reasons = declined.map(({ failureReason }) => decline(failureReason ?? ''));
  const distinct = [...new Set(reasons.toReversed())].join('; ');
  return t.declined[latest.methodType](declined.length, onDay, distinct);
}

/** Returns the end of the pause after several declines in a row; null without a pause. */
function pausedUntil({ attempts }: LinkHistory, now: Date): Date | null {
  const declinedAt = attempts.toReversed().flatMap(({ status, processorReference, closedAt }) => {
    const counts = status === 'failed' || (status === 'cancelled' && processorReference !== null);
    return counts && closedAt !== null ? [closedAt.toISOString()] : [];
  });
  return throttledUntil({ isInDoubt: false, declinedAt }, now);
}
