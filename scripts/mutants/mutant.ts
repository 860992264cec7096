import type { Mutation } from './mutation.ts';

/** A fault that a plausible mistake would make, and the test that must notice it. */
export interface Mutant extends Mutation {
  /** The fault as a sentence. */
  name: string;
  /** The text that is replaced; it stands in the file exactly once. */
  text: string;
  /** Path of the test file. */
  test: string;
  /** Part of the title of the tests to run; without it, the whole file runs. */
  title?: string;
  /** Reason why no test can notice the fault; such a mutant is listed, and not run. */
  equivalent?: string;
}
