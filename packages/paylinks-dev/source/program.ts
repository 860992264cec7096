import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { Api, apiSettings, isReadableOnTheWay } from './api.ts';
import type { Call, Command, Option } from './commands/command.ts';
import { endpointCommands } from './commands/endpoints.ts';
import { listenCommand } from './commands/listen.ts';
import { signCommand } from './commands/sign.ts';
import { triggerCommand } from './commands/trigger.ts';
import { verifyCommand } from './commands/verify.ts';
import { Failure, similarName, UsageError } from './failure.ts';
import { commandHelp, groupHelp, overview } from './help.ts';
import type { Terminal } from './terminal.ts';

/** Options of commands that ask the service. */
const SERVICE_OPTIONS: Readonly<Record<string, Option>> = {
  'base-url': { value: 'URL', help: 'Address of the service. Default: PAYLINKS_BASE_URL.' },
  'api-key': { value: 'KEY', help: 'API key. Default: PAYLINKS_API_KEY, which stays out of the list of processes.' },
};

/** Options that every command has. */
const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  json: { help: 'Prints JSON, one document per line.' },
  help: { help: 'Prints this help.' },
};

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  listenCommand,
  triggerCommand,
  ...endpointCommands,
  verifyCommand,
  signCommand,
];

function optionsOf({ options, isLocal = false }: Command): Readonly<Record<string, Option>> {
  return { ...options, ...(isLocal ? {} : SERVICE_OPTIONS), ...COMMON_OPTIONS };
}

/**
 * Runs a command line, and returns the exit status: 0 done, 1 failed, 2 usage. Errors go to standard error, and repeat no key
 * and no secret.
 */
export async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await runWords(words, terminal);
    return 0;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    terminal.warn(`paylinks-dev: ${error.message}\n`);
    if (error.hint !== null) terminal.warn(`${error.hint}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function runWords(words: readonly string[], terminal: Terminal): Promise<void> {
  const [first, second] = words;
  if (first === '--version') return terminal.write(`${manifest.version}\n`);
  if (first === 'help' && second !== undefined) return runWords([...words.slice(1), '--help'], terminal);
  if (first === undefined || first === 'help' || isHelp(first)) return terminal.write(overview(COMMANDS));
  const command = COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`);
  if (command !== undefined) return runCommand(command, words.slice(command.name.split(' ').length), terminal);
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length > 0 && (second === undefined || isHelp(second))) return terminal.write(groupHelp(group));
  throw unknownCommand(group.length > 0 ? `${first} ${second}` : first);
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

/** Returns the error for a command that does not exist. It repeats words, never options, which may contain a key. */
function unknownCommand(given: string): UsageError {
  if (given.startsWith('-')) return new UsageError('The command comes before its options.', 'See paylinks-dev --help.');
  const names = COMMANDS.map(({ name }) => name);
  const similar = similarName(given, [...names, ...names.map((name) => name.split(' ')[0] ?? name)]);
  const hint = similar === null ? 'See paylinks-dev --help.' : `Did you mean ${similar}?`;
  return new UsageError('There is no such command.', hint);
}

async function runCommand(command: Command, words: readonly string[], terminal: Terminal): Promise<void> {
  const { options, positionals } = parsed(command, words);
  if (options.help === true) return terminal.write(commandHelp(command, optionsOf(command)));
  const missing = command.arguments[positionals.length];
  if (missing !== undefined && !missing.startsWith('[')) throw wrongArguments(command, `${missing} is missing.`);
  if (positionals.length > command.arguments.length) {
    throw wrongArguments(command, `It takes ${countOf(command)}, and got ${positionals.length}.`);
  }
  const text = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined);
  const { PAYLINKS_BASE_URL, PAYLINKS_API_KEY } = terminal.environment;
  const call: Call = {
    arguments: positionals,
    options,
    terminal,
    isJson: options.json === true,
    api: () => {
      const settings = apiSettings(text('base-url') ?? PAYLINKS_BASE_URL, text('api-key') ?? PAYLINKS_API_KEY);
      if (isReadableOnTheWay(settings)) terminal.warn('The key is sent without encryption. Use an https:// address.\n');
      return new Api(settings);
    },
  };
  try {
    await command.run(call);
  } catch (error) {
    throw error instanceof UsageError && error.hint === null ? usage(command, error.message) : error;
  }
}

function countOf({ arguments: names }: Command): string {
  if (names.length === 0) return 'no argument';
  return names.join(' ');
}

function wrongArguments({ name, arguments: names }: Command, message: string): UsageError {
  const line = ['paylinks-dev', name, ...names, '[options]'].join(' ');
  return new UsageError(message, `Usage: ${line}\nSee paylinks-dev ${name} --help.`);
}

function usage({ name }: Command, message: string): UsageError {
  return new UsageError(message, `See paylinks-dev ${name} --help.`);
}

function parsed(command: Command, words: readonly string[]) {
  const known = optionsOf(command);
  const config: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries(known).map(([name, { value, isRepeatable = false }]) => [
      name,
      {
        type: value === undefined ? 'boolean' : 'string',
        multiple: isRepeatable,
        ...(name === 'help' && { short: 'h' }),
      },
    ]),
  );
  // An unknown option is found here: the parser's own message would repeat its value.
  for (const word of beforeTerminator(words)) {
    const [, name] = /^--([^=]+)/.exec(word) ?? [];
    if (name === undefined || Object.hasOwn(known, name)) continue;
    const similar = similarName(name, Object.keys(known));
    throw usage(
      command,
      similar === null ? 'An option is not known.' : `An option is not known; did you mean --${similar}?`,
    );
  }
  try {
    const { values, positionals } = parseArgs({ args: [...words], options: config, allowPositionals: true });
    // Only options with a value are repeatable, so a list contains texts.
    return { options: values as Call['options'], positionals };
  } catch {
    throw usage(command, 'An option has no value, or a value that it does not take.');
  }
}

function beforeTerminator(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return end === -1 ? words : words.slice(0, end);
}
