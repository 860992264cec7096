import type { Scope } from './scope.ts';

/** Something that must always hold of what is stored, and by which it can be checked while the service runs. */
export interface Invariant {
  /** In lower case, with underscores. */
  name: string;
  /** Yields what does not hold, of one practice or of all; repairs it first where asked to and able to. */
  find(
    newScope: () => Scope,
    options: { practiceId: string | null; repair: boolean },
  ): AsyncIterable<Omit<Finding, 'invariant'>>;
}

/** Something that does not hold, as `paylinks check` shows it. */
export interface Finding {
  invariant: string;
  practiceId: string;
  /** The fact, for operators. */
  problem: string;
  repaired: boolean;
}
