import { formatPhone } from '../../base/phone.ts';
import type { LinkPage } from '../../payment-links/page.ts';
import type { Texts } from '../texts/en.ts';
import { formatAmount, formatDay } from '../texts/formats.ts';

/**
 * The words by which a patient authorises a bank debit: how much, when, once, how to revoke it, whom to turn to. They
 * stand above the button, and the same words are kept with the attempt.
 *
 * @param now the moment whose day, at the location, the words name
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
