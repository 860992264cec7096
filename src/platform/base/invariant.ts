import type { Scope } from './scope.ts';

/** A rule that all stored data must satisfy. `paylinks check` verifies it while the service runs. */
export interface Invariant {
  /** In lower case, with underscores. */
  name: string;
  /** Next step of an operator after a violation. The beginning of a sentence. */
  next: string;
  /** Yields the violations. It changes nothing. */
  find(newScope: () => Scope): AsyncIterable<Violation>;
}

export interface Violation {
  practiceId: string;
  /** Description for operators. */
  problem: string;
}

/** A violation as `paylinks check` shows it. */
export interface ReportedViolation extends Violation {
  invariant: string;
  next: string;
}
