import type { Scope } from './scope.ts';

/** A rule that all stored data must satisfy. `paylinks check` verifies it while the service runs. */
export interface Invariant {
  /** In lower case, with underscores. */
  name: string;
  /** Yields the violations of one practice or of all. With `repair`, it repairs those that it can. */
  find(
    newScope: () => Scope,
    options: { practiceId: string | null; repair: boolean },
  ): AsyncIterable<Omit<Finding, 'invariant'>>;
}

/** A violation of an invariant, as `paylinks check` shows it. */
export interface Finding {
  invariant: string;
  practiceId: string;
  /** Description for operators. */
  problem: string;
  repaired: boolean;
}
