import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Ending, type ServiceProcess, startProcess, untilAnswering } from './process.ts';

/** A place for a process. When its process ends, another one starts there, as under a supervisor. */
interface Slot {
  name: string;
  command: 'serve' | 'worker';
  port: number | null;
  process: ServiceProcess;
  /** Stopped by SIGSTOP. It must not be killed before it continues, because only then it can do harm. */
  isFrozen: boolean;
  /** True once we end the process ourselves, so that its end is no fault. */
  isEndExpected: boolean;
}

export interface ProcessGroupOptions {
  env: NodeJS.ProcessEnv;
  /** Folder of the logs, and working directory of the processes. */
  directory: string;
  /** One API per port. */
  ports: number[];
  workers: number;
  nodeArguments?: string[];
}

/** The processes of one run. */
export class ProcessGroup {
  /** Processes that ended without being killed, with their last output. */
  readonly unexpectedEnds: string[] = [];
  readonly #options: ProcessGroupOptions;
  readonly #slots: Slot[] = [];
  #isOver = false;

  constructor(options: ProcessGroupOptions) {
    this.#options = options;
    for (const port of options.ports) this.#slots.push(this.#slot(`serve-${port}`, 'serve', port));
    for (let n = 1; n <= options.workers; n++) this.#slots.push(this.#slot(`worker-${n}`, 'worker', null));
  }

  /** Names of processes that may be chosen as a victim. */
  names(command: 'serve' | 'worker'): string[] {
    return this.#slots.filter((slot) => slot.command === command && !slot.isFrozen).map(({ name }) => name);
  }

  /** Kills a process by SIGKILL. Another one takes its place at once. */
  async kill(name: string): Promise<void> {
    const { process } = this.#expectEnd(name);
    process.signal('SIGKILL');
    await process.ended;
  }

  /** Stops a process by SIGSTOP, and resolves after SIGCONT. */
  async freeze(name: string, forMs: number): Promise<void> {
    const slot = this.#find(name);
    slot.isFrozen = true;
    slot.process.signal('SIGSTOP');
    await pause(forMs);
    slot.process.signal('SIGCONT');
    slot.isFrozen = false;
  }

  /** Resolves when every API answers and every worker works. */
  async untilUp(deadlineMs: number): Promise<void> {
    const deadline = performance.now() + deadlineMs;
    for (const { port } of this.#slots) if (port !== null) await untilAnswering(port, deadlineMs);
    const working = () => this.#slots.every(({ command, process }) => command === 'serve' || isWorking(process));
    while (!working()) {
      if (performance.now() > deadline) throw new Error('a worker does not start');
      await pause(20);
    }
  }

  /** Asks all of them to end. Records each that does not end with 0 in time. */
  async stop(deadlineMs: number): Promise<void> {
    this.#isOver = true;
    await Promise.all(
      this.#slots.map(async (slot) => {
        slot.isEndExpected = true;
        slot.process.signal('SIGTERM');
        const timer = setTimeout(() => slot.process.signal('SIGKILL'), deadlineMs);
        const ending = await slot.process.ended;
        clearTimeout(timer);
        if (ending !== 0) this.#recordUnexpectedEnd(slot, ending, 'after it was asked to end');
      }),
    );
  }

  /** Ends all of them at once, in whatever state they are. */
  async abandon(): Promise<void> {
    this.#isOver = true;
    for (const slot of this.#slots) slot.process.signal('SIGKILL');
    await Promise.all(this.#slots.map(({ process }) => process.ended));
  }

  #slot(name: string, command: 'serve' | 'worker', port: number | null): Slot {
    const slot: Slot = {
      name,
      command,
      port,
      process: this.#start(name, command, port),
      isFrozen: false,
      isEndExpected: false,
    };
    this.#watch(slot);
    return slot;
  }

  #start(name: string, command: 'serve' | 'worker', port: number | null): ServiceProcess {
    const { env, directory, nodeArguments } = this.#options;
    return startProcess(command, port === null ? env : { ...env, PORT: `${port}` }, {
      directory,
      logFile: join(directory, `${name}.log`),
      nodeArguments,
    });
  }

  #watch(slot: Slot): void {
    slot.process.ended.then((ending) => {
      if (!slot.isEndExpected) this.#recordUnexpectedEnd(slot, ending, 'by itself');
      if (this.#isOver) return;
      slot.isEndExpected = false;
      slot.process = this.#start(slot.name, slot.command, slot.port);
      this.#watch(slot);
    });
  }

  #recordUnexpectedEnd({ name, process }: Slot, ending: Ending, circumstance: string): void {
    this.unexpectedEnds.push(`${name} ended with ${ending} ${circumstance}: ${process.log().trimEnd().slice(-600)}`);
  }

  #expectEnd(name: string): Slot {
    const slot = this.#find(name);
    slot.isEndExpected = true;
    return slot;
  }

  #find(name: string): Slot {
    const slot = this.#slots.find((one) => one.name === name);
    if (slot === undefined) throw new Error(`there is no ${name}`);
    return slot;
  }
}

function isWorking(process: ServiceProcess): boolean {
  return process.log().includes('"msg":"working"');
}
