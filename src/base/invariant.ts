import type { Scope } from './scope.ts';

/** A rule that all stored data must satisfy. `paylinks check` verifies it while the service runs. */
export interface Invariant {
  /** In lower case, with underscores. */
  name: string;
  /** Yields the violations of one practice or of all. It changes nothing. */
  find(newScope: () => Scope, options: { practiceId: string | null }): AsyncIterable<Violation>;
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
  /** Description, as an infinitive without "to": `end the lease`. */
  does: string;
  /**
   * Repairs in one transaction, by the functions of the service. It looks again first, under the locks of the service, and
   * changes nothing if the violation is gone.
   *
   * @param scope a new scope of the operator, whose act the repair records
   * @returns true if it changed something
   */
  run(scope: Scope): Promise<boolean>;
}

/** A violation as `paylinks check` shows it. */
export interface ReportedViolation {
  invariant: string;
  practiceId: string;
  problem: string;
  repaired: boolean;
  /** Result of the repair, or the next step. */
  next: string;
}
