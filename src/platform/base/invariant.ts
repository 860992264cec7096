import type { Scope } from './scope.ts';

/** A rule that all stored data must satisfy. `paylinks check` verifies it while the service runs. */
export interface Invariant {
  name: string;
  /** Next step of an operator. The beginning of a sentence. */
  next: string;
  find(newScope: () => Scope): AsyncIterable<Violation>;
}

export interface Violation {
  practiceId: string;
  problem: string;
}

export interface ReportedViolation extends Violation {
  invariant: string;
  next: string;
}
