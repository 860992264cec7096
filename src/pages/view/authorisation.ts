import { formatPhone } from '../../base/phone.ts';
import type { LinkPage } from '../../payment-links/checkout/port.ts';
import type { Texts } from '../texts/en.ts';
import { formatAmount, formatDay } from '../texts/formats.ts';

/**
 * Returns the text by which a patient authorises a bank debit: amount, day, once only, how to revoke it, whom to contact.
 * It stands above the button. The attempt records the same text.
 *
 * @param now the moment whose day, in the location's time zone, the text names
 */
export function bankAuthorisation(page: LinkPage, t: Texts, now: Date): string {
  const { practice, location, phone } = page;
  const whom = `${practice.name}, ${location.name} (${location.city}, ${location.state})`;
  return t.authorisation.text({
    practice: practice.name,
    whom,
    reach: phone === null ? whom : t.authorisation.byPhone(whom, formatPhone(phone)),
    amount: formatAmount(t, page.amountCents),
    date: formatDay(t, now, location.timeZone),
  });
}
