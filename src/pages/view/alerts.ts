import type { LinkPage, PageState } from '../../payment-links/page.ts';
import { declineSentence } from '../texts/declines.ts';
import type { Texts } from '../texts/en.ts';
import { formatAmount } from '../texts/formats.ts';
import type { Language } from '../texts/language.ts';
import { TEXTS } from '../texts/texts.ts';

/** A message above everything else; it gets the focus. */
export interface Alert {
  heading: string;
  /** Each with the field that it is about, if any. */
  lines: readonly { text: string; field: string | null }[];
}

/** Says why the latest payment was declined; null when none was. */
export function declinedAlert({ lastFailure }: LinkPage, t: Texts): Alert | null {
  if (lastFailure === null) return null;
  const { declined } = t.states;
  const reason = declineSentence(t, lastFailure) ?? declined.first();
  return alert(declined.heading(), `${reason} ${declined.second()}`);
}

/**
 * What the page has to say of the submission before it, which its address names. A throttled page says itself why nothing
 * came of it. On a page that can be paid, no submission has taken money; on any other, somebody or something came first.
 */
export function noticeAlert(page: LinkPage, notice: string | null, language: Language): Alert | null {
  const t = TEXTS[language];
  const { notices } = t;
  if (page.state === 'throttled' || !isRefusal(notice)) return null;
  const isOpen = page.state === 'payable' || (page.state === 'requires_action' && notice === 'try_later');
  if (!isOpen) {
    const { heading, text } = notices[OVERTAKEN_BY[page.state]];
    return alert(heading, text);
  }
  const texts: Readonly<Record<Refusal, string>> = {
    not_payable: notices.cancelled,
    cancelled: notices.cancelled,
    amount_changed: notices.amount_changed(formatAmount(t, page.amountCents)),
    try_later: notices.try_later,
  };
  return alert(notices.heading, texts[notice]);
}

/** By what the link is now, what came before the submission. */
const OVERTAKEN_BY: Readonly<Record<PageState, 'already_paid' | 'already_debited' | 'under_way' | 'closed'>> = {
  paid: 'already_paid',
  refunded: 'already_paid',
  bank_reversed: 'already_debited',
  bank_pending: 'already_debited',
  bank_failed: 'already_debited',
  in_progress: 'under_way',
  requires_action: 'under_way',
  payable: 'closed',
  throttled: 'closed',
  expired: 'closed',
  cancelled: 'closed',
  unavailable: 'closed',
};

const REFUSALS = ['not_payable', 'cancelled', 'amount_changed', 'try_later'] as const;

type Refusal = (typeof REFUSALS)[number];

function isRefusal(notice: string | null): notice is Refusal {
  return REFUSALS.some((refusal) => refusal === notice);
}

function alert(heading: string, text: string): Alert {
  return { heading, lines: [{ text, field: null }] };
}
