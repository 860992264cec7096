import { Command } from 'commander';
import { sensitiveFields } from '../../contract/fields.ts';
import { createLogger } from '../../platform/base/log/log.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { systemClock } from '../../platform/base/time/clock.ts';
import type { KeyFaults } from '../../platform/database/query/key-faults.ts';
import { inTransaction } from '../../platform/database/query/transaction.ts';
import { type Act, audit } from '../../practices/audit/audit.ts';
import type { Processor } from '../../processors/processor.ts';
import { isSandbox } from '../../processors/sandbox.ts';
import { type Config, readConfig } from '../processes/config.ts';
import { checkDatabase, logWrongKeys, openDatabase } from '../processes/open-database.ts';
import { createOrm, createProcessor, createScopes } from '../processes/shared.ts';

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

/** Adds a command that prints its result: a table, or one JSON document with `--json`. */
export function addCommand(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).option('--json', 'one JSON document on standard output');
}

interface CommandDependencies {
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

/** Returns the scope with which services record what they do as an act of the operator. */
export function asOperator(scope: Scope): Scope {
  return { ...scope, actor: { kind: 'operator' } };
}

/**
 * Runs an act of the operator, and records it in the practice's audit log. Both are one transaction.
 *
 * @param act describes the act by its result, without keys and data of patients
 */
export function runRecorded<T>(scope: Scope, work: (scope: Scope) => Promise<T>, act: (result: T) => Act): Promise<T> {
  return inTransaction(scope, async (scope) => {
    const result = await work(scope);
    audit(scope, { kind: 'operator' }, act(result));
    return result;
  });
}

/** Returns the action of a command that shows the view of a recorded act's result. */
export function createRecordedAction<Args extends unknown[], T>(
  work: (scope: Scope, ...args: Args) => Promise<T>,
  act: (result: T) => Act,
  view: (result: T) => object,
) {
  return createAction<Args>(async (scope, ...args) =>
    view(await runRecorded(scope, (scope) => work(scope, ...args), act)),
  );
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
