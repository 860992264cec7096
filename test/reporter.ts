import { writeFileSync } from 'node:fs';
import { format } from 'node:util';
import Mocha from 'mocha';
import { LEFT_OUT } from './harness/leave-out.ts';

/** The outcome of a run of mocha, as `make test` adds it up. */
export interface Outcome {
  passed: number;
  /** Each failed test: its file, and what mocha prints of it. */
  failures: string[];
  /** For each test that was left out the reason, or else its name. */
  leftOut: string[];
}

/** Prints what the reporter `spec` prints, and writes the outcome to the file that `TEST_OUTCOME` names. */
class OutcomeReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const leftOut: string[] = [];
    runner.on('pending', (test) => leftOut.push(LEFT_OUT.exec(test.fullTitle())?.[1] ?? test.fullTitle()));
    runner.once('end', () => {
      const failures = this.failures.map((test) => `${test.file}\n${describeFailure(test)}`);
      const outcome: Outcome = { passed: this.stats.passes, failures, leftOut };
      writeFileSync(process.env.TEST_OUTCOME ?? '', JSON.stringify(outcome));
    });
  }
}

/** Returns what mocha prints of a failed test: its name and its error, with the difference. */
function describeFailure(test: Mocha.Test): string {
  const { Base } = Mocha.reporters;
  const { consoleLog } = Base;
  const lines: string[] = [];
  Base.consoleLog = (...args: unknown[]) => lines.push(format(...args));
  try {
    Base.list([test]);
  } finally {
    Base.consoleLog = consoleLog;
  }
  return lines.join('\n').trim();
}

// Mocha loads reporters with `require`.
export { OutcomeReporter as 'module.exports' };
