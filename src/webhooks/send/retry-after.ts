/** The largest integer of the database's column. The retry schedule limits the wait far below it. */
const MAX_SECONDS = 2_147_483_647;

const DELTA_SECONDS = /^\d+$/;

/** The three shapes of a date in HTTP, all of them in GMT (RFC 9110, section 5.6.7). */
const HTTP_DATES: readonly RegExp[] = [
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/**
 * The wait in whole seconds from `nowMs`, rounded up; zero for a date in the past. Null when the header is missing,
 * repeated, or neither seconds nor an HTTP date (RFC 9110, section 10.2.3).
 */
export function parseRetryAfter(value: string | readonly string[] | undefined, nowMs: number): number | null {
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (DELTA_SECONDS.test(text)) return Math.min(Number(text), MAX_SECONDS);
  if (!HTTP_DATES.some((shape) => shape.test(text))) return null;
  // The asctime shape has no zone, and Date.parse would read it as local time.
  const dateMs = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  if (Number.isNaN(dateMs)) return null;
  return Math.min(Math.max(Math.ceil((dateMs - nowMs) / 1_000), 0), MAX_SECONDS);
}
