import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../packages/paylinks-dev/source/program.ts';
import { until } from '../harness/processes.ts';

/** A line of `--json` output. */
// biome-ignore lint/suspicious/noExplicitAny: tests read documents of every shape
type Line = any;

/** A consumer's machine: environment, a folder of the command's files, and the commands that run. */
export class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), 'paylinks-dev-'));
  readonly environment: Record<string, string | undefined>;
  readonly #commands: RunningCommand[] = [];

  constructor(environment: Record<string, string | undefined> = {}) {
    this.environment = { PAYLINKS_CONFIG_DIR: this.folder, ...environment };
  }

  /** Starts a command in this process. */
  start(words: readonly string[], input = ''): RunningCommand {
    const command = new RunningCommand(this, words, input);
    this.#commands.push(command);
    return command;
  }

  /** Runs a command to its end. */
  async run(words: readonly string[], input = ''): Promise<{ status: number; output: string; errors: string }> {
    const command = this.start(words, input);
    const status = await command.ended;
    return { status, output: command.output, errors: command.errors };
  }

  /** Runs a command with `--json`, which must succeed, and returns its document. */
  async json(words: readonly string[]): Promise<Line> {
    const { status, output, errors } = await this.run([...words, '--json']);
    if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${errors}`);
    return JSON.parse(output);
  }

  /** Ends all commands, and removes the folder. */
  async remove(): Promise<void> {
    await Promise.allSettled(this.#commands.map((command) => command.stop()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A command that runs. */
export class RunningCommand {
  output = '';
  errors = '';
  /** The exit status. */
  readonly ended: Promise<number>;
  readonly #stop = new AbortController();

  constructor({ environment }: Machine, words: readonly string[], input: string) {
    this.ended = run(words, {
      environment,
      write: (text) => {
        this.output += text;
      },
      warn: (text) => {
        this.errors += text;
      },
      readInput: async () => Buffer.from(input),
      stopped: this.#stop.signal,
    });
  }

  /** The documents that `--json` printed so far. */
  get lines(): Line[] {
    return this.output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  /** Waits until the output has this text. */
  async wrote(text: string): Promise<void> {
    await until(
      () => this.output.includes(text),
      () => `"${text}" in ${this.output}${this.errors}`,
    );
  }

  /** Waits until so many lines report this. */
  async saw(event: string, count = 1): Promise<void> {
    await until(
      () => this.lines.filter((line) => line.event === event).length >= count,
      () => `${count} lines "${event}" in ${this.output}${this.errors}`,
    );
  }

  /** Ends the command as Ctrl-C does. */
  stop(): Promise<number> {
    this.#stop.abort();
    return this.ended;
  }
}
