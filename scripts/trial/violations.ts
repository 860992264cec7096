import { examine } from './checker.ts';
import type { Evidence, Query } from './evidence.ts';
import { checkStoredData } from './stored-data.ts';

/** Results at the end of a run. */
interface Ending {
  query: Query;
  databaseUrl: string;
  evidence: Evidence;
  /** Endpoints with a due delivery that no worker attempted in time. */
  overdue: readonly string[];
  wrongAnswers: readonly string[];
  unexpectedEnds: readonly string[];
  /** The command of another version of the service, for `paylinks check`. */
  program?: string;
}

/** Examines the database of a run. `violations` has a sentence for everything that broke a rule. */
export async function judge({ query, databaseUrl, evidence, program, ...ending }: Ending) {
  const examination = await examine(query, evidence);
  const stored = checkStoredData(databaseUrl, program);
  const violations = [
    ...ending.overdue.map((text) => `Q6 due, but not attempted within lease and sweep: ${text}`),
    ...examination.results.flatMap(({ rule, broken }) => broken.map((text) => `${rule}: ${text}`)),
    ...stored.map((text) => `Q9 paylinks check found: ${text}`),
    ...ending.wrongAnswers.map((text) => `wrong answer: ${text}`),
    ...ending.unexpectedEnds.map((text) => `unexpected end: ${text}`),
  ];
  return { ...examination, stored, violations };
}
