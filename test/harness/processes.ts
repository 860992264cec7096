import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCli } from '../../src/main/cli/program.ts';
import { afterThisTest } from './after-this-test.ts';

/** The checkout under test. */
export const checkout = fileURLToPath(new URL('../..', import.meta.url));

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  output(): string;
  finished: Promise<Finished>;
}

/** Starts a program in a process group of its own, so that a test can end all of it. An API ends without a drain. */
export function start(program: string, args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv }): Running {
  const env = { DRAIN_SECONDS: '0', ...(options.env ?? process.env) };
  const child = spawn(program, args, { cwd: options.cwd ?? checkout, env, detached: true });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, output: () => stdout + stderr, finished };
}

/**
 * Runs a command of the operator's in this process, which takes a twentieth of the time. `test/cli/cli.test.ts` starts processes.
 *
 * @throws for `serve` and `worker`, which at their end let go of the parent, and would so end a process of `mocha --parallel`
 */
export async function runPaylinks(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Finished> {
  if (args[0] === 'serve' || args[0] === 'worker') throw new Error(`${args[0]} needs a process of its own`);
  const printed = { stdout: '', stderr: '' };
  const into = (name: keyof typeof printed) => ({
    write: (text: string) => {
      printed[name] += text;
    },
  });
  const code = await runCli(args, { env, stdout: into('stdout'), stderr: into('stderr') });
  return { code, ...printed };
}

/** Returns functions that run commands: one for any result, and one for the document of a command that must succeed. */
export function commandsIn(env: () => NodeJS.ProcessEnv) {
  const run = (...args: string[]): Promise<Finished> => runPaylinks(args, env());
  // biome-ignore lint/suspicious/noExplicitAny: documents of every command, read by the test that asked for them
  const json = async (...args: string[]): Promise<any> => {
    const { code, stdout, stderr } = await run(...args, '--json');
    if (code !== 0) throw new Error(`paylinks ${args.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  };
  return { run, json };
}

/**
 * Starts a command of the operator's in another folder. `scripts/paylinks` looks for Node first, which takes a process more
 * and has tests of its own.
 */
export function startPaylinks(args: string[], env: NodeJS.ProcessEnv): Running {
  return start(process.execPath, [join(checkout, 'src/main/cli/main.js'), ...args], { cwd: '/', env });
}

/** Returns the address of an API of this machine as soon as its log names the port. */
export async function addressOf(log: () => string): Promise<string> {
  const port = () => /"port":(\d+)/.exec(log())?.[1];
  await until(() => port() !== undefined, log);
  return `http://127.0.0.1:${port()}`;
}

/** Resolves when the process at the address says that it can work. */
export function untilReady(baseUrl: string, explanation: () => string): Promise<void> {
  const isReady = () =>
    fetch(`${baseUrl}/readyz`)
      .then(({ ok }) => ok)
      .catch(() => false);
  return until(isReady, explanation);
}

/** Kills the process after the present test, if it still runs. */
export function killAfterThisTest(running: Running): Running {
  afterThisTest(() => {
    killGroup(running, 'SIGKILL');
    return running.finished;
  });
  return running;
}

export function killGroup({ child }: Running, signal: NodeJS.Signals): void {
  const isRunning = child.exitCode === null && child.signalCode === null;
  if (child.pid !== undefined && isRunning) process.kill(-child.pid, signal);
}

/** Resolves when the condition holds; rejects with the explanation when it doesn't within the deadline. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  explanation: string | (() => string),
  deadlineMs = 30_000,
): Promise<void> {
  const startedMs = performance.now();
  while (!(await condition())) {
    if (performance.now() - startedMs > deadlineMs) {
      const said = typeof explanation === 'string' ? explanation : explanation();
      throw new Error(`not within ${deadlineMs} ms: ${said}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
