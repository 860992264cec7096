import type { LinkPage, PageState } from '../../payment-links/checkout/port.ts';
import { declineSentence } from '../texts/declines.ts';
import type { Texts } from '../texts/en.ts';
import { formatAmount } from '../texts/formats.ts';
import type { Language } from '../texts/language.ts';
import { TEXTS } from '../texts/texts.ts';

/** A message at the top of the page. It gets the focus. */
export interface Alert {
  heading: string;
  /** The sentences, each with the id of its field or null. */
  lines: readonly { text: string; field: string | null }[];
}

/** Explains why the latest payment was declined; null when none was. */
export function declinedAlert({ lastFailure }: LinkPage, t: Texts): Alert | null {
  if (lastFailure === null) return null;
  const { declined } = t.states;
  const reason = declineSentence(t, lastFailure) ?? declined.first();
  return alert(declined.heading(), `${reason} ${declined.second()}`);
}

/**
 * Explains the result of the form before, which the page's address names; null when there is nothing to explain. A
 * throttled page explains itself. A payable page took no money. On any other page, another payment or change came first.
 */
export function resultAlert(page: LinkPage, result: string | null, language: Language): Alert | null {
  const t = TEXTS[language];
  const { alerts } = t;
  if (page.state === 'throttled' || !isRefusal(result)) return null;
  const isOpen = page.state === 'payable' || (page.state === 'requires_action' && result === 'try_later');
  if (isOpen) return alert(alerts.heading, refusalText(result, page, t));
  const { heading, text } = alerts[whatCameFirst(page.state)];
  return alert(heading, text);
}

function refusalText(refusal: Refusal, page: LinkPage, t: Texts): string {
  switch (refusal) {
    case 'not_payable':
    case 'cancelled':
      return t.alerts.cancelled;
    case 'amount_changed':
      return t.alerts.amount_changed(formatAmount(t, page.amountCents));
    case 'try_later':
      return t.alerts.try_later;
    default:
      return refusal satisfies never;
  }
}

/** Names what came before the submission, by the present state of the link. */
function whatCameFirst(state: PageState): 'already_paid' | 'already_debited' | 'under_way' | 'closed' {
  switch (state) {
    case 'paid':
    case 'refunded':
      return 'already_paid';
    case 'bank_pending':
    case 'bank_failed':
    case 'bank_reversed':
      return 'already_debited';
    case 'in_progress':
    case 'requires_action':
      return 'under_way';
    case 'payable':
    case 'throttled':
    case 'expired':
    case 'cancelled':
    case 'unavailable':
      return 'closed';
    default:
      return state satisfies never;
  }
}

const REFUSALS = ['not_payable', 'cancelled', 'amount_changed', 'try_later'] as const;

/** A result for which the page shows an alert. */
type Refusal = (typeof REFUSALS)[number];

function isRefusal(result: string | null): result is Refusal {
  return REFUSALS.some((refusal) => refusal === result);
}

function alert(heading: string, text: string): Alert {
  return { heading, lines: [{ text, field: null }] };
}
