export const CURRENCY = 'usd' as const;

/** 999,999.99 dollars, the largest amount of a payment link (openapi.yaml, `CreatePaymentLinkRequest`). */
export const MAX_AMOUNT_CENTS = 99_999_999;

/**
 * Returns null if the number has more than two decimals. `multipleOf: 0.01` refuses one in six valid amounts, because of binary
 * floating point.
 */
export function centsFromDollars(dollars: number): number | null {
  const cents = Math.round(dollars * 100);
  return Number.isSafeInteger(cents) && cents / 100 === dollars ? cents : null;
}

export function dollarsFromCents(cents: number): number {
  return cents / 100;
}

/** Reads dollars such as `120`, `$1,250` or `99.95`. Returns NaN for other texts, which no schema accepts. */
export function parseDollars(text: string): number {
  const plain = text.trim().replace(/^\$\s*/, '');
  return /^(?:\d{1,3}(?:,\d{3})+|\d{1,7})(?:\.\d{1,2})?$/.test(plain) ? Number(plain.replaceAll(',', '')) : Number.NaN;
}
