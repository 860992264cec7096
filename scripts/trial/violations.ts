import type { Examination } from './checker.ts';

/** Results at the end of a run. */
export interface Ending {
  /** Endpoints with a due delivery that no worker attempted in time. */
  overdue: readonly string[];
  examination: Examination;
  /** Violations that `paylinks check` found. */
  stored: readonly string[];
  wrongAnswers: readonly string[];
  unexpectedEnds: readonly string[];
}

/** Returns a sentence for everything that broke a rule. */
export function violationsOf({ overdue, examination, stored, wrongAnswers, unexpectedEnds }: Ending): string[] {
  return [
    ...overdue.map((text) => `Q6 due, but not attempted within lease and sweep: ${text}`),
    ...examination.results.flatMap(({ rule, broken }) => broken.map((text) => `${rule}: ${text}`)),
    ...stored.map((text) => `Q9 paylinks check found: ${text}`),
    ...wrongAnswers.map((text) => `wrong answer: ${text}`),
    ...unexpectedEnds.map((text) => `unexpected end: ${text}`),
  ];
}
