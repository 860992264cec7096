/**
 * Whole seconds for a `Retry-After` after trouble: as many as given, up to twice as many, by chance. Callers that were
 * refused together must not come back together.
 */
export function withJitter(seconds: number, random: () => number = Math.random): number {
  return seconds + Math.floor(random() * (seconds + 1));
}
