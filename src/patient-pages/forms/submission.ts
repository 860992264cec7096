import type { LinkPage, Submission } from '../../payment-links/checkout/port.ts';
import { dayIn } from '../../platform/base/time/zoned-time.ts';
import type { MethodType } from '../../processors/processor.ts';
import { formatAmount } from '../texts/formats.ts';
import { TEXTS } from '../texts/texts.ts';
import { bankAuthorisation } from '../view/document.ts';
import type { Alert, ViewContext } from '../view/link-view.ts';

/** The sender of a form, for the record of the authorisation. */
export interface Sender {
  address: string;
  userAgent: string;
}

/** One day. A form is accepted on the day that its page names and on the next. */
const DAY_MS = 86_400_000;

/** Longest user agent on record, in characters. Browsers send less. */
const MAX_USER_AGENT_LENGTH = 500;

/** Id of a confirmation token of Stripe. */
const CONFIRMATION_TOKEN = /^ctoken_\w{1,200}$/;

/**
 * Returns what the patient submits, or an alert that explains what is wrong. The amount and the day must be those that
 * the patient saw. The practice can change the amount while the page is open, and the authorisation names a day.
 */
export function readSubmission(
  page: LinkPage,
  fields: ReadonlyMap<string, string>,
  { language, now }: Pick<ViewContext, 'language' | 'now'>,
  sender: Sender,
): Submission | Alert {
  const t = TEXTS[language];
  const { alerts } = t;
  const makeAlert = (text: string, field: string | null): Alert => ({ heading: alerts.heading, text, field });
  const methodType = page.methods.find((type) => type === fields.get('method_type'));
  if (methodType === undefined) return makeAlert(alerts.choose_type, `method_type_${page.methods[0] ?? 'card'}`);
  if (fields.get('amount_cents') !== `${page.amountCents}`) {
    return makeAlert(alerts.amount_changed(formatAmount(t, page.amountCents)), null);
  }
  const shownAt = [now, new Date(now.getTime() - DAY_MS)].find(
    (moment) => dayIn(moment, page.location.timeZone) === fields.get('day'),
  );
  if (shownAt === undefined) return makeAlert(alerts.outdated, null);
  const methodToken = readMethodToken(page, methodType, fields);
  if (methodToken === null) {
    return page.client.collects === 'script'
      ? makeAlert(alerts.no_details, null)
      : makeAlert(alerts.choose_type, listTokens(methodType)[0] ?? null);
  }
  return {
    amountCents: page.amountCents,
    methodType,
    methodToken,
    locale: language,
    address: sender.address,
    userAgent: sender.userAgent.slice(0, MAX_USER_AGENT_LENGTH),
    authorisationText: methodType === 'us_bank_account' ? bankAuthorisation(page, t, shownAt) : null,
  };
}

function readMethodToken(page: LinkPage, type: MethodType, fields: ReadonlyMap<string, string>): string | null {
  if (page.client.collects === 'script') {
    const token = fields.get('confirmation_token') ?? '';
    return CONFIRMATION_TOKEN.test(token) ? token : null;
  }
  return listTokens(type).find((token) => token === fields.get(`${type}_method`)) ?? null;
}

/** Returns the tokens of the test methods that the page offers. */
function listTokens(type: MethodType): string[] {
  return Object.keys(TEXTS.en.testMethods[type]);
}
