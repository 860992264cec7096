import { declineWords } from '../../../pages/texts/declines.ts';
import { nextMinute } from '../../../pages/texts/formats.ts';
import type { LinkHistory } from '../../../payment-links/billing/timeline.ts';
import { throttledUntil } from '../../../payment-links/payment/payable.ts';
import type { StaffLink } from '../../../payment-links/staff/link.ts';
import type { MemberVisit } from '../../routing/route.ts';
import { formatsOf } from '../formats.ts';
import { pageTexts } from './visit.ts';

/** Returns in words where a link stands and why, for staff who have the patient on the phone. */
export function situationOf(visit: MemberVisit, { link, location, status }: StaffLink, history: LinkHistory): string {
  const { next, happened: t } = visit.t.links.one;
  const { attempts, transaction, reversals, openings } = history;
  const { day, moment } = formatsOf(visit, location.timeZone);
  const tried = triedText(visit, history, day);
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
      if (transaction?.status !== 'refunded') return next.paid;
      return reversals.length > 0 ? t.reversed : t.refunded;
    case 'returned': {
      const reason = transaction?.failureReason ?? '';
      return t.returned(declineWords(pageTexts(visit), reason).staff);
    }
    case 'expired':
    case 'cancelled':
      return tried === null ? next[status] : `${tried} ${next[status]}`;
    default:
      status satisfies never;
      throw new Error('a link has an unknown status');
  }
}

/** Returns what came of the attempts to pay; null without an attempt that ended. */
function triedText(visit: MemberVisit, { attempts }: LinkHistory, day: (at: Date) => string): string | null {
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
  const reasons = declined.map(({ failureReason }) => declineWords(pageTexts(visit), failureReason ?? '').staff);
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
