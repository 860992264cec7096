import type { Command, Option } from './commands/command.ts';
import { table } from './terminal.ts';

const ENVIRONMENT = [
  ['PAYLINKS_BASE_URL', 'address of the service'],
  ['PAYLINKS_API_KEY', 'API key; a test key begins with pp_test_'],
  ['PAYLINKS_WEBHOOK_SECRET', 'secret of listen, sign and verify'],
  ['PAYLINKS_CONFIG_DIR', "folder of the command's own files"],
];

/** Returns the help of the whole program. */
export function overview(commands: readonly Command[]): string {
  return [
    'paylinks-dev: test webhooks of the Payment Links API on your machine\n',
    `Commands\n${indented(table(commands.map(({ name, summary }) => [name, summary])))}`,
    `Environment\n${indented(table(ENVIRONMENT))}`,
    'Exit status: 0 done, 1 failed, 2 wrong usage.',
    'Help of a command: paylinks-dev COMMAND --help. Version: paylinks-dev --version.\n',
  ].join('\n');
}

/** Returns the help of commands with the same first word. */
export function groupHelp(commands: readonly Command[]): string {
  return `Commands\n${indented(table(commands.map(({ name, summary }) => [name, summary])))}`;
}

/** Returns the help of a command, with examples. */
export function commandHelp(command: Command, options: Readonly<Record<string, Option>>): string {
  const { name, summary, arguments: names, notes = [], examples } = command;
  const rows = Object.entries(options).map(([option, { value, help }]) => [
    value === undefined ? `--${option}` : `--${option} ${value}`,
    help,
  ]);
  return [
    `paylinks-dev ${[name, ...names].join(' ')} [options]\n`,
    [summary, ...notes].map((line) => `${line}\n`).join(''),
    `Options\n${indented(table(rows))}`,
    `Examples\n${indented(examples.map((example) => `paylinks-dev ${example}\n`).join(''))}`,
  ].join('\n');
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
