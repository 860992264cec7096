import { flushCompileCache } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { type Command, CommanderError, InvalidArgumentError } from 'commander';
import type { Logger } from 'pino';
import { sensitiveFields } from '../../contract/fields.ts';
import { ApiError, ConfigError, OperatorError } from '../../platform/base/errors.ts';
import { safeMessage } from '../../platform/base/log/describe-error.ts';
import { createLogger } from '../../platform/base/log/log.ts';
import { readCommit, VERSION } from '../../platform/base/log/version.ts';
import { migratingConnection } from '../../platform/database/connection/connection.ts';
import { checkSession } from '../../platform/database/connection/session-check.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type Config, readConfig } from '../processes/config.ts';
import {
  checkDatabaseAtStart,
  checkOnceBack,
  openDatabase,
  type ReplaceableKeyring,
} from '../processes/open-database.ts';
import { waitForStop } from '../processes/signals.ts';
import { FAILED, JSON_OPTION, Program, type ProgramIo, render, USAGE } from './command.ts';

/**
 * Longest time to stop, and its least part after the drain of an API. Supervisors kill a process after 20 or 30 seconds. All work ends
 * earlier by its own deadlines, unless the database does not answer. Then the process ends as in a crash, and the tables stay consistent.
 */
const STOP_TIMEOUT_MS = 17_500;
const AFTER_DRAIN_MS = 14_000;

/** Runs a long-lived command until a signal ends it, and finishes the work in progress. */
async function runUntilStopped(
  command: 'serve' | 'worker',
  { env }: ProgramIo,
  start: (config: Config & { databaseUrl: string }, log: Logger) => Promise<() => Promise<void>>,
): Promise<void> {
  // For lists of processes, where the command line of Node names a file only.
  process.title = `paylinks ${command}`;
  const config = readConfig(env);
  const log = createLogger(config.logLevel, sensitiveFields);
  const database = await openDatabase(config, log, (text) => log.info(text));
  try {
    const databaseCheck = await checkDatabaseAtStart(database.url, log, config.keyring);
    // Before the start, so that a signal during the start is not lost.
    const stopped = waitForStop();
    const keyring: ReplaceableKeyring = { ...(databaseCheck?.keyring ?? config.keyring) };
    const stop = await start({ ...config, databaseUrl: database.url, keyring }, log);
    process.send?.({ ready: true });
    // Without this call, Node keeps compiled code only if the process ends in order.
    flushCompileCache();
    const stopping = new AbortController();
    const refusals = databaseCheck === null ? [checkOnceBack(database.url, log, keyring, stopping.signal)] : [];
    try {
      log.info({ signal: await Promise.race([stopped, ...refusals]) }, 'stopping');
    } finally {
      stopping.abort();
      const drainMs = command === 'serve' ? config.drainSeconds * 1_000 : 0;
      await stopInTime(stop, Math.max(STOP_TIMEOUT_MS, drainMs + AFTER_DRAIN_MS), log);
    }
  } finally {
    // Listening for the parent's death keeps the channel, and so the process, alive.
    process.channel?.unref();
    await database.close();
    // Open sockets and unanswered DNS queries would keep the process alive, also after a start that failed.
    setTimeout(() => process.exit(), 500).unref();
  }
  log.info('stopped');
}

/** Stops the service. Logs an error and returns if that takes longer than a supervisor waits. */
async function stopInTime(stop: () => Promise<void>, timeoutMs: number, log: Logger): Promise<void> {
  const timer = new AbortController();
  const overdue = pause(timeoutMs, false, { signal: timer.signal }).catch(() => false);
  const isDone = await Promise.race([stop().then(() => true), overdue]);
  timer.abort();
  if (!isDone) log.error('not everything under way ended in time: ending without it; another process takes it up');
}

const LOG_IS_JSON = ['--json', 'changes nothing: the log is JSON in any case'] as const;

function addServiceCommands(program: Program): void {
  const { io } = program;
  program
    .command('serve')
    .description('API and hosted pages, on HOST and PORT')
    .option(...LOG_IS_JSON)
    .action(() => {
      // Each process loads its own half of the service, while the database is checked.
      const loading = import('../processes/serve.ts');
      return runUntilStopped('serve', io, async (config, log) => {
        const { startServer } = await loading;
        const server = await startServer(config, log);
        const { host, publicUrl } = config;
        log.info({ port: server.port, host, publicUrl, version: VERSION, commit: readCommit() }, 'serving');
        return () => server.close();
      });
    });
  program
    .command('worker')
    .description('background jobs; any number may share one database')
    .option(...LOG_IS_JSON)
    .action(() => {
      const loading = import('../processes/worker.ts');
      return runUntilStopped('worker', io, async (config, log) => {
        const { startWorker } = await loading;
        const worker = await startWorker(config, log);
        log.info({ version: VERSION, commit: readCommit() }, 'working');
        // A backlog makes garbage fast, and V8 would let it double the heap. During the start, the limit would cause collections.
        setFlagsFromString('--heap-growing-percent=40');
        return () => worker.stop();
      });
    });
}

function addMigrateCommand(program: Program): void {
  const { env, stdout, stderr } = program.io;
  program
    .command('migrate')
    .description('brings the database up to date')
    .option(...JSON_OPTION)
    .action(async ({ json = false }: { json?: boolean }) => {
      const config = readConfig(env);
      const log = createLogger('warn', sensitiveFields, stderr);
      const database = await openDatabase(config, log);
      try {
        await checkSession(migratingConnection(database.url));
        const migrations = await migrate(database.url, log);
        const text = migrations.map((name) => `Applied ${name}.\n`).join('') || 'The schema is up to date.\n';
        stdout.write(json ? render({ data: migrations.map((name) => ({ name })) }, true) : text);
      } finally {
        await database.close();
      }
    });
}

/** Adds all other commands. Their code is loaded here, because it would delay the start of the service. */
async function addOperatorCommands(program: Command): Promise<void> {
  (await import('./practices.ts')).addPracticeCommands(program);
  (await import('./users.ts')).addUserCommands(program);
  (await import('./links.ts')).addLinkCommands(program);
  (await import('./upkeep.ts')).addUpkeepCommands(program);
}

/** Commands that a supervisor starts. It collects their standard error with the log. */
const LOGGED = ['serve', 'worker', 'migrate'];

/** Writes the reason why a command ended as a line of the log, whose reader parses JSON. */
function logFailure(error: unknown, stderr: ProgramIo['stderr']): void {
  const log = createLogger('fatal', sensitiveFields, stderr);
  // The message without its list of faults, which is a field.
  if (error instanceof ConfigError) log.fatal({ faults: error.faults }, error.message.split(':\n', 1)[0]);
  else if (error instanceof OperatorError) log.fatal({ next: error.hint }, error.message);
  else log.fatal(explain(error));
}

/** Returns the fact and, if the error has one, the next step. */
function explain(error: unknown): string {
  if (error instanceof OperatorError) return `${error.message}\n${error.hint}`;
  if (!(error instanceof ApiError)) return error instanceof Error ? safeMessage(error) : String(error);
  const { param } = error.details;
  return `${error.code}${param === undefined ? '' : ` (${param})`}: ${error.message}`;
}

/** Runs a command, given by the words behind `paylinks`. Prints its error, if there is one, and returns its exit code. */
export async function runCli(args: readonly string[], io: ProgramIo): Promise<number> {
  const { stdout, stderr } = io;
  const program = new Program(io)
    .description('Payment links and webhooks: the service and its operator’s commands.')
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .option('--version', 'prints the version and the commit')
    .on('option:version', () => {
      stdout.write(`${VERSION} (commit ${readCommit()})\n`);
      throw new CommanderError(0, 'commander.version', VERSION);
    });
  addServiceCommands(program);
  addMigrateCommand(program);
  try {
    if (!program.commands.some((command) => command.name() === args[0])) await addOperatorCommands(program);
    await program.parseAsync(args, { from: 'user' });
    return program.exitCode;
  } catch (error) {
    if (error instanceof InvalidArgumentError) {
      // Of an action: Commander prints the errors of its own parsers, and throws another error.
      stderr.write(`paylinks: ${error.message}\n`);
      return USAGE;
    }
    // Commander has already printed the error. A request for help is no failure.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    if (LOGGED.includes(args[0] ?? '') && !stderr.isTTY) logFailure(error, stderr);
    else stderr.write(`paylinks: ${explain(error)}\n`);
    return FAILED;
  }
}
