import { Command } from 'commander';
import { sensitiveFields } from '../../contract/fields.ts';
import { createLogger } from '../../platform/base/log/log.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { systemClock } from '../../platform/base/time/clock.ts';
import type { KeyFaults } from '../../platform/database/query/key-faults.ts';
import type { Processor } from '../../processors/processor.ts';
import { type Config, readConfig } from '../processes/config.ts';
import { checkDatabase, logWrongKeys, openDatabase } from '../processes/open-database.ts';
import { createOrm, createProcessor, createScopes } from '../processes/shared.ts';

/** Exit codes: 0 done, 1 failed, 2 usage. */
export const FAILED = 1;
export const USAGE = 2;

interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
}

/** The environment of a command and the streams that it writes to: of `process`, or of a test. */
export interface ProgramIo {
  env: NodeJS.ProcessEnv;
  stdout: Output;
  stderr: Output;
}

/** The root of all commands. Actions find its environment and streams here, and set its exit code. */
export class Program extends Command {
  exitCode = 0;
  readonly io: ProgramIo;

  constructor(io: ProgramIo) {
    super('paylinks');
    this.io = io;
    this.configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
    });
  }
}

function findProgram(command: Command): Program {
  let root = command;
  while (root.parent !== null) root = root.parent;
  if (!(root instanceof Program)) throw new Error('a command belongs to a program');
  return root;
}

export const JSON_OPTION = ['--json', 'one JSON document on standard output'] as const;

export interface CommandDependencies {
  /** Services record what they do with it as acts of the operator. */
  scope: Scope;
  processor: Processor;
  config: Config;
  /** Result of the comparison of SECRETS_KEY with the stored secrets. */
  keyFaults: KeyFaults;
  /** Sets the exit code of a command that shows its result all the same; writes the text to standard error. */
  fail(text?: string): void;
}

/** Work of a command. Its arguments are those of the command line, then its options. */
type Work<Args extends unknown[]> = (dependencies: CommandDependencies, ...args: Args) => Promise<Shown>;

/** Adds a command that runs `work` on the configured database. It prints a table, or one JSON document with `--json`. */
export function addCommand<Args extends unknown[]>(
  parent: Command,
  usage: string,
  description: string,
  work: Work<Args>,
): Command {
  const command = parent.command(usage).description(description);
  return command.option(...JSON_OPTION).action(async (...args) => {
    const { json = false } = command.opts<{ json?: boolean }>();
    const program = findProgram(command);
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
      const scope: Scope = { ...newScope(), actor: { kind: 'operator' } };
      const fail = (text = '') => {
        program.exitCode = FAILED;
        stderr.write(text);
      };
      // Commander passes what the usage and the options of the command say.
      const result = await work({ scope, processor, config, keyFaults, fail }, ...(args as unknown as Args));
      stdout.write(render(result, json));
    } finally {
      await orm.close();
      await database.close();
    }
  });
}

/** Result of a command: one JSON document with `--json`, otherwise a table, or for a list without items the text `empty`. */
type Shown = { data: readonly object[]; empty?: string } | object;

/** Returns the text of a result for standard output, with a line break at its end. */
export function render(result: Shown, json: boolean): string {
  if (json) return `${JSON.stringify({ ...result, empty: undefined }, null, 2)}\n`;
  if ('data' in result && Array.isArray(result.data)) {
    if (result.data.length > 0) return listTable(result.data);
    return 'empty' in result ? `${result.empty}\n` : 'none\n';
  }
  const rows = Object.entries(result).map(([name, value]) => [name, cell(value)]);
  return table(rows);
}

function listTable(items: readonly object[]): string {
  const names = Object.keys(items[0] ?? {});
  const rows = items.map((item) => Object.values(item).map(cell));
  return table([names, ...rows]);
}

function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: string[]) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
