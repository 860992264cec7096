import type { Command } from 'commander';
import { sensitiveFields } from '../../contract/sensitive-fields.ts';
import { createLogger } from '../../platform/base/log/log.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { systemClock } from '../../platform/base/time/clock.ts';
import type { KeyFaults } from '../../platform/database/query/key-faults.ts';
import type { Processor } from '../../processors/processor.ts';
import { isSandbox } from '../../processors/sandbox.ts';
import { type Config, readConfig } from '../processes/config.ts';
import { checkDatabase, logWrongKeys, openDatabase } from '../processes/open-database.ts';
import { createOrm, createProcessor, createScopes } from '../processes/shared.ts';
import { render, type Shown } from './output.ts';
import { findProgram } from './program-io.ts';

/** Adds a command that prints its result: a table, or one JSON document with `--json`. */
export function addCommand(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).option('--json', 'one JSON document on standard output');
}

export interface CommandDependencies {
  scope: Scope;
  processor: Processor;
  config: Config;
  /** Result of the comparison of SECRETS_KEY with the stored secrets. */
  keyFaults: KeyFaults;
  /** Sets the exit code of a command that shows its result all the same; writes the text to standard error. */
  exitWith(code: number, text?: string): void;
}

/** Returns the action of a command. It runs `work` with a scope on the configured database. */
export function createAction<Args extends unknown[]>(work: (scope: Scope, ...args: Args) => Promise<Shown>) {
  return createProcessorAction<Args>(({ scope }, ...args) => work(scope, ...args));
}

/**
 * Returns the action of a command that needs the payment processor.
 *
 * @param limit for commands that simulate the actions of a bank; they are refused with a real processor
 */
export function createProcessorAction<Args extends unknown[]>(
  work: (dependencies: CommandDependencies, ...args: Args) => Promise<Shown>,
  limit?: 'sandbox only',
) {
  return async function (this: Command, ...args: Args): Promise<void> {
    const { json = false } = this.opts<{ json?: boolean }>();
    const program = findProgram(this);
    const { env, stdout, stderr } = program.io;
    const config = readConfig(env);
    const log = createLogger('warn', sensitiveFields, stderr);
    const database = await openDatabase(config, log, (text) => stderr.write(`${text}\n`));
    const orm = createOrm(database.url, log, 4);
    try {
      const { keyring, ...keyFaults } = await checkDatabase(database.url, log, config.keyring);
      logWrongKeys(log, keyFaults);
      const newScope = createScopes(orm, { ...config, keyring }, log, systemClock);
      const processor = await createProcessor(config, newScope);
      if (limit === 'sandbox only' && !isSandbox(processor)) {
        throw new Error(`This command is for PROCESSOR=sandbox only; with ${processor.name}, do it there.`);
      }
      const dependencies = {
        scope: newScope(),
        processor,
        config,
        keyFaults,
        exitWith: (code: number, text = '') => {
          program.exitCode = code;
          stderr.write(text);
        },
      };
      const result = await work(dependencies, ...args);
      stdout.write(render(result, json));
    } finally {
      await orm.close();
      await database.close();
    }
  };
}
