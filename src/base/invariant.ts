import type { Scope } from './scope.ts';

/** A rule that all stored data must satisfy. `paylinks check` verifies it while the service runs. */
export interface Invariant {
  /** In lower case, with underscores. */
  name: string;
  /** Yields the violations. It changes nothing. */
  find(newScope: () => Scope): AsyncIterable<Violation>;
}

export interface Violation {
  practiceId: string;
  /** Description for operators. */
  problem: string;
  /** The repair, or what a person does where the right state cannot be known. */
  remedy: Repair | string;
}

/** A repair of one violation, safe while the service runs. */
export interface Repair {
  /** An infinitive without "to", such as `end the lease`. */
  description: string;
  /**
   * Repairs in the caller's transaction, by the functions of the service. It looks again first, under the locks of the service, and
   * changes nothing if the violation is gone.
   *
   * @returns the repaired object, for the audit log; null if nothing was changed
   */
  run(scope: Scope): Promise<Repaired | null>;
}

export interface Repaired {
  target: { kind: string; id: string };
  details?: object;
}

/** A violation as `paylinks check` shows it. */
export interface ReportedViolation extends Omit<Violation, 'remedy'> {
  invariant: string;
  repaired: boolean;
  /** Result of the repair, or the next step. */
  next: string;
}
