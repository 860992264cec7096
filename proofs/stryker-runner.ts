import { INSTRUMENTER_CONSTANTS, type InstrumenterContext } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  type DryRunOptions,
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import Mocha from 'mocha';

/*
 * Runs the tests of pure files for Stryker. Its own runner for mocha does not know mocha 12, and a process per mutant would take
 * ten times as long.
 */

/** Tests that need no database and no service. */
const FILES = [
  'test/base/state-machines.test.ts',
  'test/webhooks/retry-schedule.test.ts',
  'test/webhooks/signature.test.ts',
  'test/payment-links/decisions.test.ts',
  'test/payment-links/refund-decisions.test.ts',
  'test/payment-links/old-answers.test.ts',
  'test/simulator/simulator.test.ts',
];

/** Longer than any of the tests takes on a busy machine. */
const TIMEOUT_MS = 60_000;

class PureTests implements TestRunner {
  readonly #mocha = new Mocha({ reporter: Mocha.reporters.Base, timeout: TIMEOUT_MS }).cleanReferencesAfterRun(false);
  readonly #context: InstrumenterContext = {};
  #isLoaded = false;

  constructor() {
    // The mutated files share this object with the runner.
    Object.assign(globalThis, { [INSTRUMENTER_CONSTANTS.NAMESPACE]: this.#context });
    for (const file of FILES) this.#mocha.addFile(file);
    const context = this.#context;
    this.#mocha.suite.beforeEach(function () {
      context.currentTestId = this.currentTest?.fullTitle();
    });
  }

  /** Modules cannot be loaded twice, so a mutant of their top level needs another process. */
  capabilities() {
    return { reloadEnvironment: false };
  }

  async dryRun(_: DryRunOptions): Promise<DryRunResult> {
    const result = await this.#run();
    return { ...result, mutantCoverage: this.#context.mutantCoverage };
  }

  async mutantRun({
    activeMutant,
    testFilter,
    hitLimit,
    mutantActivation,
  }: MutantRunOptions): Promise<MutantRunResult> {
    const titles = testFilter?.map((title) => `^${RegExp.escape(title)}$`) ?? [''];
    this.#mocha.grep(new RegExp(titles.join('|')));
    Object.assign(this.#context, { hitLimit, hitCount: hitLimit === undefined ? undefined : 0 });
    if (mutantActivation === 'static') this.#context.activeMutant = activeMutant.id;
    const result = await this.#run(activeMutant.id);
    const { hitCount } = this.#context;
    return toMutantRunResult(determineHitLimitReached(hitCount, hitLimit) ?? result);
  }

  async #run(activeMutant?: string) {
    if (!this.#isLoaded) await this.#mocha.loadFilesAsync();
    this.#isLoaded = true;
    this.#context.activeMutant = activeMutant;
    const tests: TestResult[] = [];
    await new Promise<void>((resolve) => {
      const runner = this.#mocha.run(() => resolve());
      const result = (test: Mocha.Test) => ({
        id: test.fullTitle(),
        name: test.fullTitle(),
        timeSpentMs: test.duration ?? 0,
      });
      runner.on('pass', (test) => tests.push({ ...result(test), status: TestStatus.Success }));
      runner.on('fail', (test, { message }) => {
        tests.push({ ...result(test), status: TestStatus.Failed, failureMessage: message });
        // One failure is enough.
        runner.abort();
      });
    });
    return { status: DryRunStatus.Complete, tests } as const;
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'pure-tests', PureTests)];
