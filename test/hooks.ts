import { checker } from './harness/client.ts';
import { stopTestServer } from './harness/database.ts';

/** Documented responses that no test can bring about, each with its reason. */
const NOT_EXERCISED: ReadonlyMap<string, string> = new Map();

/** Runs around the whole test run. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    await stopTestServer();
    // Only the whole suite can have seen everything; `make test` says that it runs the whole.
    if (process.env.CONTRACT_COVERAGE !== undefined) requireCoverage();
  },
};

/** Fails the run for a documented response that no test has exercised, and for an exception that is none any more. */
function requireCoverage(): void {
  const missing = checker.neverExercised();
  const unexplained = missing.filter((response) => !NOT_EXERCISED.has(response));
  const outdated = [...NOT_EXERCISED.keys()].filter((response) => !missing.includes(response));
  if (unexplained.length + outdated.length === 0) return;
  throw new Error(
    [
      ...unexplained.map((response) => `documented, but no test exercises it: ${response}`),
      ...outdated.map((response) => `exercised, so no longer an exception: ${response}`),
    ].join('\n'),
  );
}
