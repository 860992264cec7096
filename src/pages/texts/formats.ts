import type { Texts } from './texts.ts';

/** Formats an amount in US dollars as readers of the language write it in the United States: $125.50. */
export function formatAmount(texts: Texts, cents: number): string {
  const { locale } = texts.language;
  const create = () => new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' });
  return kept(amountFormats, locale, create).format(cents / 100);
}

export function formatDay(texts: Texts, moment: Date, timeZone: string): string {
  return format(texts, moment, timeZone, { year: 'numeric', month: 'long', day: 'numeric' });
}

/** Formats day, time and zone. Without the zone, readers would take a deadline for one in their own zone. */
export function formatMoment(texts: Texts, moment: Date, timeZone: string): string {
  return format(texts, moment, timeZone, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  });
}

/** Formats the calendar day in a time zone as YYYY-MM-DD, for forms. */
export function isoDay(moment: Date, timeZone: string): string {
  return timeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(moment);
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

/** Formats a card or account so that its owner recognises it: Visa ending in 4242. */
export function formatMethod(
  texts: Texts,
  method: { methodType: string; brand: string | null; last4: string | null },
): string {
  const { receipt } = texts;
  const brand = method.brand === null ? null : (BRANDS[method.brand.toLowerCase()] ?? method.brand);
  const name = brand ?? (method.methodType === 'card' ? receipt.card : receipt.bank);
  return method.last4 === null ? name : receipt.ending(name, method.last4);
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

function format(texts: Texts, moment: Date, timeZone: string, options: Intl.DateTimeFormatOptions): string {
  return timeFormat(texts.language.locale, { ...options, timeZone }).format(moment);
}

/** Formats that pages have used. Creating one costs as much as a tenth of a page. */
const amountFormats = new Map<string, Intl.NumberFormat>();
const timeFormats = new Map<string, Intl.DateTimeFormat>();

/** Limit of kept formats of a kind. The time zones of the United States in two languages need fewer. */
const MAX_FORMATS = 64;

function timeFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const create = () => new Intl.DateTimeFormat(locale, options);
  return kept(timeFormats, JSON.stringify([locale, options]), create);
}

function kept<Format>(formats: Map<string, Format>, key: string, create: () => Format): Format {
  const format = formats.get(key) ?? create();
  if (!formats.has(key) && formats.size >= MAX_FORMATS) formats.clear();
  formats.set(key, format);
  return format;
}
