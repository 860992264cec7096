/** A fraction of a second that is finer than a millisecond. */
const FINER = /\.\d{3}\d*[1-9]/;

/**
 * Returns a time of a filter as a bound for stored times, which have whole milliseconds. A fraction of a millisecond is
 * rounded up. So `>=` and `<` with the bound give the same as with the exact time.
 *
 * @param text a timestamp of the contract
 */
export function timeBound(text: string): Date {
  return new Date(Date.parse(text) + (FINER.test(text) ? 1 : 0));
}
