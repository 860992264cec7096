import type { LinkPage } from '../../payment-links/checkout/port.ts';
import type { Language } from '../../web/language.ts';
import { declineWords } from '../texts/declines.ts';
import { formatAmount } from '../texts/formats.ts';
import type { Texts } from '../texts/texts.ts';
import { TEXTS } from '../texts/texts.ts';
import { STATES } from './states.ts';

/** A message at the top of the page. It gets the focus. */
export interface Alert {
  heading: string;
  text: string;
  /** Id of the field that is wrong; null for none. */
  field: string | null;
}

/** Explains why the latest payment was declined; null when none was. */
export function declinedAlert({ lastFailure }: LinkPage, t: Texts): Alert | null {
  if (lastFailure === null) return null;
  const { declined } = t.states;
  return {
    heading: declined.heading(),
    text: `${declineWords(t, lastFailure).patient} ${declined.second()}`,
    field: null,
  };
}

/**
 * Explains the result of the form before, which the page's address names; null when there is nothing to explain. A
 * throttled page explains itself. A payable page took no money. On any other page, another payment or change came first.
 */
export function resultAlert(page: LinkPage, result: string | null, language: Language): Alert | null {
  const { alerts } = TEXTS[language];
  const refusals = new Map([
    ['not_payable', alerts.cancelled],
    ['cancelled', alerts.cancelled],
    ['amount_changed', alerts.amount_changed(formatAmount(TEXTS[language], page.amountCents))],
    ['try_later', alerts.try_later],
  ]);
  const text = refusals.get(result ?? '');
  if (text === undefined || page.state === 'throttled') return null;
  const isOpen = page.state === 'payable' || (page.state === 'requires_action' && result === 'try_later');
  return { ...(isOpen ? { heading: alerts.heading, text } : alerts[STATES[page.state].cameFirst]), field: null };
}
