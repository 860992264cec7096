import type { Api, Json } from '../api.ts';
import { UsageError } from '../failure.ts';
import { configFolder, jsonLine, type Terminal, table } from '../terminal.ts';
import { listeningSecret } from '../webhooks/state.ts';

/** An option of a command. */
export interface Option {
  /** Name of its value in the help, such as `URL`; absent for a switch. */
  value?: string;
  help: string;
  /** True for an option that may be given several times. It needs a `value`. */
  isRepeatable?: boolean;
}

/** A command with its help. */
export interface Command {
  /** One or two words, such as `endpoints create`. */
  name: string;
  summary: string;
  /** Names of its arguments, such as `ID`. One in brackets is optional, `…` allows several. */
  arguments: readonly string[];
  options: Readonly<Record<string, Option>>;
  examples: readonly string[];
  /** True if the command asks the service nothing, and so takes neither its address nor a key. */
  isLocal?: boolean;
  /** Further lines of the help. */
  notes?: readonly string[];
  /** @throws Failure */
  run(call: Call): Promise<void>;
}

/** One call of a command. */
export interface Call {
  arguments: readonly string[];
  /** Values of the given options. A switch is `true`, and a repeatable option has a list. */
  options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  terminal: Terminal;
  isJson: boolean;
  /** Creates the client, by options and environment. @throws UsageError */
  api(): Api;
}

/** Returns the value of an option; undefined if it is absent. */
export function textOption({ options }: Call, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns the values of a repeatable option, in their order. */
export function listOption({ options }: Call, name: string): readonly string[] {
  const values = options[name];
  return typeof values === 'object' ? values : [];
}

/** Returns the value of an option. @throws UsageError if it is absent */
export function requiredOption(call: Call, name: string): string {
  const value = textOption(call, name);
  if (value === undefined) throw new UsageError(`--${name} is missing.`);
  return value;
}

/** Returns an option as a number; undefined if it is absent. @throws UsageError */
export function numberOption(call: Call, name: string): number | undefined {
  const text = textOption(call, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !Number.isFinite(value)) {
    throw new UsageError(`--${name} must be a number, such as 125.5.`);
  }
  return value;
}

/** Returns the secret that signs: an option, a variable, or the one of this machine. @throws UsageError if it is empty */
export function signingSecret(call: Call): string {
  const given = textOption(call, 'secret') ?? call.terminal.environment.PAYLINKS_WEBHOOK_SECRET;
  if (given === undefined) return listeningSecret(configFolder(call.terminal));
  if (given.trim() === '') throw new UsageError('The secret is empty.');
  return given;
}

/** Returns the argument at the place, which the command declares as required. */
export function argument({ arguments: all }: Call, place: number): string {
  const value = all[place];
  if (value === undefined) throw new Error('the arguments were counted');
  return value;
}

/** Returns the path of the item that the first argument names, below the path of its list. */
export function itemPath(call: Call, list: string, rest = ''): string {
  return `${list}/${encodeURIComponent(argument(call, 0))}${rest}`;
}

/** Prints an object: as JSON, or as the chosen members, one per line. */
export function printObject({ terminal, isJson }: Call, object: object, members: readonly string[]): void {
  const text = isJson ? jsonLine(object) : table(members.map((member) => [member, memberOf(object, member)]));
  terminal.write(text);
}

/** Sends a request about the item that the first argument names, and prints the answer. */
export async function runOnItem(
  call: Call,
  [method, list, rest]: readonly [method: 'GET' | 'POST' | 'PATCH', list: string, rest?: string],
  members: readonly string[],
  body?: Json,
): Promise<void> {
  printObject(call, await call.api().call(method, itemPath(call, list, rest), { body }), members);
}

/** Returns a member of an object, by its path. */
export function memberOf(object: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], object);
}
