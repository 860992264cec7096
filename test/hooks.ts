import { endTest } from './harness/after-this-test.ts';
import { closeAtEnd } from './harness/at-end.ts';
import { checker } from './harness/client.ts';
import { dropDatabases, shareTestServer, stopTestServer } from './harness/database.ts';

/** Starts one server for all test processes; a run in a single process starts it when the first test asks. */
export async function mochaGlobalSetup(): Promise<void> {
  if (process.argv.includes('--parallel')) await shareTestServer();
}

export async function mochaGlobalTeardown(): Promise<void> {
  await stopTestServer();
}

export const mochaHooks = {
  async afterEach(): Promise<void> {
    await endTest();
  },
  /** Runs after each test file in a parallel run, and after the last one otherwise. */
  async afterAll(): Promise<void> {
    // Databases of files that ended would fill the memory in which they lie.
    if (process.env.TEST_POSTGRES !== undefined) await dropDatabases();
    else await closeAtEnd();
    // `make test` names the folder: only the whole suite can have seen everything.
    const directory = process.env.CONTRACT_COVERAGE;
    if (directory !== undefined) checker.saveExercised(directory);
  },
};
