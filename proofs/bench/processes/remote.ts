import { type ChildProcess, fork } from 'node:child_process';
import { machineMs } from '../statistics.ts';

/** Functions of another process, by their names; one argument each. */
export type Procedures = Record<string, (argument: never) => unknown>;

interface Call {
  id: number;
  name: string;
  argument: unknown;
}

type Reply = { id: number; result: unknown } | { id: number; error: string };

/** In the child: answers calls until the parent is gone. */
export function serveProcedures(procedures: Procedures): void {
  process.on('message', async ({ id, name, argument }: Call) => {
    const procedure = procedures[name] as ((argument: unknown) => unknown) | undefined;
    try {
      if (procedure === undefined) throw new Error(`no procedure ${name}`);
      process.send?.({ id, result: await procedure(argument) } satisfies Reply);
    } catch (error) {
      process.send?.({
        id,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      } satisfies Reply);
    }
  });
  process.on('disconnect', () => process.exit(0));
}

/** Does the work for all items, some at once. Returns the milliseconds it took. */
export async function timeInLanes<T>(atOnce: number, items: readonly T[], work: (item: T) => Promise<void>) {
  const waiting = [...items];
  const startedMs = machineMs();
  const lane = async () => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return machineMs() - startedMs;
}

/** In the parent: a child process that answers calls. It ends with the parent. */
export class Remote<P extends Procedures> {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  #calls = 0;

  constructor(script: URL, args: string[] = []) {
    this.#child = fork(script, args, {
      serialization: 'advanced',
      // Out of a terminal's reach: the parent ends its children in order.
      detached: true,
    });
    this.#child.on('message', (reply: Reply) => {
      const call = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ('error' in reply) call?.reject(new Error(`${script.pathname}: ${reply.error}`));
      else call?.resolve(reply.result);
    });
    this.#child.on('exit', (code, signal) => {
      for (const { reject } of this.#waiting.values())
        reject(new Error(`${script.pathname} ended with ${signal ?? code}`));
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Calls a procedure there. Rejects with what it threw, or when the process ends. */
  call<N extends keyof P & string>(name: N, argument: Parameters<P[N]>[0]): Promise<Awaited<ReturnType<P[N]>>> {
    return new Promise((resolve, reject) => {
      const id = ++this.#calls;
      this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#child.send({ id, name, argument } satisfies Call, (error) => error && reject(error));
    });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }
}
