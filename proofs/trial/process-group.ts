import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Ending, type ServiceProcess, startProcess, untilAnswering } from '../../test/harness/service-process.ts';
import { until } from '../../test/harness/until.ts';

export interface ProcessOrder {
  name: string;
  command: 'serve' | 'worker';
  /** Added to the environment of the group, such as `PORT`. */
  env?: NodeJS.ProcessEnv;
  /** The command of another version of the service. */
  program?: string;
}

/** A place for a process. When its process ends, another one starts there, as under a supervisor. */
interface Slot {
  order: ProcessOrder;
  process: ServiceProcess;
  /** True once the process says that it works. */
  isReady: boolean;
  /** Stopped by SIGSTOP. It must not be killed before it continues, because only then it can do harm. */
  isFrozen: boolean;
  /** True once we end the process ourselves, so that its end is no fault. */
  isEndExpected: boolean;
}

export interface ProcessGroupOptions {
  env: NodeJS.ProcessEnv;
  /** Folder of the logs, and working directory of the processes. */
  directory: string;
  /** One API per port, at first. */
  ports?: number[];
  workers?: number;
  nodeArguments?: string[] | undefined;
}

export class ProcessGroup {
  /** Processes that ended without being killed, with their last output. */
  readonly unexpectedEnds: string[] = [];
  readonly #options: ProcessGroupOptions;
  readonly #slots = new Map<string, Slot>();

  constructor(options: ProcessGroupOptions) {
    const { ports = [], workers = 0 } = options;
    this.#options = options;
    for (const port of ports) this.add({ name: `serve-${port}`, command: 'serve', env: { PORT: `${port}` } });
    for (let n = 1; n <= workers; n++) this.add({ name: `worker-${n}`, command: 'worker' });
  }

  add(order: ProcessOrder): void {
    const slot = { order, process: this.#start(order), isReady: false, isFrozen: false, isEndExpected: false };
    this.#slots.set(order.name, slot);
    this.#watch(slot);
  }

  /** Names of processes that may be chosen as a victim. */
  names(command: 'serve' | 'worker'): string[] {
    const slots = [...this.#slots.values()].filter(({ order, isFrozen }) => order.command === command && !isFrozen);
    return slots.map(({ order }) => order.name);
  }

  /** Kills a process by SIGKILL. Another one takes its place at once. */
  async kill(name: string): Promise<void> {
    const slot = this.#find(name);
    slot.isEndExpected = true;
    slot.process.signal('SIGKILL');
    await slot.process.ended;
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
    const slots = [...this.#slots.values()];
    for (const { order } of slots) if (order.env?.PORT) await untilAnswering(Number(order.env.PORT), deadlineMs);
    const areWorking = () => slots.every(({ isReady }) => isReady);
    await until(areWorking, { withinMs: deadlineMs, failure: 'every worker works' });
  }

  /** Asks a process to end, and starts none in its place. Records it if it does not end with 0 in time. */
  async end(name: string, deadlineMs: number): Promise<void> {
    const slot = this.#find(name);
    this.#slots.delete(name);
    slot.isEndExpected = true;
    const ending = await slot.process.stop(deadlineMs);
    if (ending !== 0) this.#recordUnexpectedEnd(slot, ending, 'after it was asked to end');
  }

  async stop(deadlineMs: number): Promise<void> {
    await Promise.all([...this.#slots.keys()].map((name) => this.end(name, deadlineMs)));
  }

  /** Ends all of them at once, in whatever state they are. */
  async abandon(): Promise<void> {
    const slots = [...this.#slots.values()];
    this.#slots.clear();
    for (const { process } of slots) process.signal('SIGKILL');
    await Promise.all(slots.map(({ process }) => process.ended));
  }

  #start({ name, command, env, program }: ProcessOrder): ServiceProcess {
    const { directory, nodeArguments } = this.#options;
    const logFile = join(directory, `${name}.log`);
    return startProcess(command, { ...this.#options.env, ...env }, { directory, logFile, nodeArguments, program });
  }

  #watch(slot: Slot): void {
    slot.process.ready.then(() => {
      slot.isReady = true;
    });
    slot.process.ended.then((ending) => {
      const isOver = this.#slots.get(slot.order.name) !== slot;
      if (!slot.isEndExpected && !isOver) this.#recordUnexpectedEnd(slot, ending, 'by itself');
      if (isOver) return;
      Object.assign(slot, { process: this.#start(slot.order), isReady: false, isEndExpected: false });
      this.#watch(slot);
    });
  }

  #recordUnexpectedEnd({ order, process }: Slot, ending: Ending, circumstance: string): void {
    const output = process.log().trimEnd().slice(-600);
    this.unexpectedEnds.push(`${order.name} ended with ${ending} ${circumstance}: ${output}`);
  }

  #find(name: string): Slot {
    const slot = this.#slots.get(name);
    if (slot === undefined) throw new Error(`there is no ${name}`);
    return slot;
  }
}
