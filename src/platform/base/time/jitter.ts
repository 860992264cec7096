/**
 * Returns random whole seconds for `Retry-After`, from the given number to twice as many. So clients that were refused
 * together do not all retry together.
 */
export function withJitter(seconds: number): number {
  return seconds + Math.floor(Math.random() * (seconds + 1));
}
