import { stopTestServer } from './harness/database.ts';

/** Runs around the whole test run. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    await stopTestServer();
  },
};
