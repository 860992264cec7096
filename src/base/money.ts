/** 999,999.99 dollars, the largest amount of a payment link (section 8 of the interface). */
export const MAX_AMOUNT_CENTS = 99_999_999;

/**
 * Whole cents of an amount in dollars, or null unless the number has at most two decimals. The contract can't say
 * `multipleOf: 0.01`: in binary floating point that refuses one in six valid amounts. Rounding and dividing back gives
 * the same double exactly when the number was written with two decimals.
 */
export function centsFromDollars(dollars: number): number | null {
  const cents = Math.round(dollars * 100);
  return Number.isSafeInteger(cents) && cents / 100 === dollars ? cents : null;
}

/** Dollars as the contract shows them, the double nearest to the two decimals. */
export function dollarsFromCents(cents: number): number {
  return cents / 100;
}
