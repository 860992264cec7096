import type { Transaction } from '../../payment-links/model/transaction.entity.ts';
import { momentIn, timeFormat } from '../../platform/base/time/zoned-time.ts';
import type { Texts } from './texts.ts';

/** Formats an amount in US dollars as readers of the language write it in the United States: $125.50. */
export function formatAmount(texts: Texts, cents: number): string {
  const { locale } = texts.language;
  const format = amountFormats.get(locale) ?? new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' });
  amountFormats.set(locale, format);
  return format.format(cents / 100);
}

export function formatDay(texts: Texts, moment: Date, timeZone: string): string {
  return timeFormat(texts.language.locale, { year: 'numeric', month: 'long', day: 'numeric', timeZone }).format(moment);
}

/** Formats day, time and zone. Without the zone, readers would take a deadline for one in their own zone. */
export function formatMoment(texts: Texts, moment: Date, timeZone: string): string {
  return momentIn(texts.language.locale, moment, timeZone);
}

/** Rounds up to the full minute, for times until which the patient must wait. Rounding down would be too early. */
export function nextMinute(moment: Date): Date {
  return new Date(Math.ceil(moment.getTime() / MINUTE_MS) * MINUTE_MS);
}

const MINUTE_MS = 60_000;

/** Formats the number of a payment in groups of three, for reading aloud: 123-456-789. */
export function formatPaymentNumber(number: string): string {
  return number.replaceAll(/\d{3}(?=\d)/g, '$&-');
}

/** Formats a card or account so that its owner recognizes it: Visa ending in 4242. */
export function formatMethod(
  { form, receipt }: Texts,
  {
    paymentMethodType: type,
    paymentMethodBrand: brand,
    paymentMethodLast4: last4,
  }: Pick<Transaction, 'paymentMethodType' | 'paymentMethodBrand' | 'paymentMethodLast4'>,
): string {
  const network = brand === null ? null : (BRANDS[brand.toLowerCase()] ?? brand);
  const name = network ?? (type === 'card' ? form.card : form.us_bank_account);
  return last4 === null ? name : receipt.ending(name, last4);
}

/** Brand names of card networks. Processors report them in lower case. */
const BRANDS: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};

/** Formats that pages have used, by locale. Creating one costs as much as a tenth of a page. */
const amountFormats = new Map<string, Intl.NumberFormat>();
