import { join } from 'node:path';
import { type Ending, type ServiceProcess, startProcess, untilAnswering } from './process.ts';

/** A place for a process: whatever ends the one in it, another one follows, as under a supervisor. */
interface Post {
  name: string;
  command: 'serve' | 'worker';
  port: number | null;
  process: ServiceProcess;
  /** Stopped by SIGSTOP: it must not be killed before it had the chance to do harm. */
  isFrozen: boolean;
  /** Ends by our own hand, so not by a fault of its own. */
  isDoomed: boolean;
}

export interface FleetOptions {
  env: NodeJS.ProcessEnv;
  /** Folder of the logs, and working directory of the processes. */
  directory: string;
  /** One API per port. */
  ports: number[];
  workers: number;
  nodeArguments?: string[];
}

/** The processes of one run. */
export class Fleet {
  /** Processes that ended without being killed, with their last output. */
  readonly surprises: string[] = [];
  readonly #options: FleetOptions;
  readonly #posts: Post[] = [];
  #isOver = false;

  constructor(options: FleetOptions) {
    this.#options = options;
    for (const port of options.ports) this.#posts.push(this.#post(`serve-${port}`, 'serve', port));
    for (let n = 1; n <= options.workers; n++) this.#posts.push(this.#post(`worker-${n}`, 'worker', null));
  }

  /** Names of processes that may be chosen as a victim. */
  names(command: 'serve' | 'worker'): string[] {
    return this.#posts.filter((post) => post.command === command && !post.isFrozen).map(({ name }) => name);
  }

  /** kill -9; another process takes its place at once. */
  async kill(name: string): Promise<void> {
    const { process } = this.#doom(name);
    process.signal('SIGKILL');
    await process.ended;
  }

  /** SIGSTOP, and SIGCONT after a while; resolves then. */
  async freeze(name: string, forMs: number): Promise<void> {
    const post = this.#find(name);
    post.isFrozen = true;
    post.process.signal('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, forMs));
    post.process.signal('SIGCONT');
    post.isFrozen = false;
  }

  /** Resolves when every API answers and every worker works. */
  async untilUp(deadlineMs: number): Promise<void> {
    const deadline = performance.now() + deadlineMs;
    for (const { port } of this.#posts) if (port !== null) await untilAnswering(port, deadlineMs);
    const working = () => this.#posts.every(({ command, process }) => command === 'serve' || isWorking(process));
    while (!working()) {
      if (performance.now() > deadline) throw new Error('a worker does not start');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Asks all of them to end. What doesn't end with 0, or not in time, is a surprise. */
  async stop(deadlineMs: number): Promise<void> {
    this.#isOver = true;
    await Promise.all(
      this.#posts.map(async (post) => {
        post.isDoomed = true;
        post.process.signal('SIGTERM');
        const timer = setTimeout(() => post.process.signal('SIGKILL'), deadlineMs);
        const ending = await post.process.ended;
        clearTimeout(timer);
        if (ending !== 0) this.#surprise(post, ending, 'after it was asked to end');
      }),
    );
  }

  /** Ends all of them at once, in whatever state they are. */
  async abandon(): Promise<void> {
    this.#isOver = true;
    for (const post of this.#posts) post.process.signal('SIGKILL');
    await Promise.all(this.#posts.map(({ process }) => process.ended));
  }

  #post(name: string, command: 'serve' | 'worker', port: number | null): Post {
    const post: Post = {
      name,
      command,
      port,
      process: this.#start(name, command, port),
      isFrozen: false,
      isDoomed: false,
    };
    this.#watch(post);
    return post;
  }

  #start(name: string, command: 'serve' | 'worker', port: number | null): ServiceProcess {
    const { env, directory, nodeArguments } = this.#options;
    return startProcess(command, port === null ? env : { ...env, PORT: `${port}` }, {
      directory,
      logFile: join(directory, `${name}.log`),
      nodeArguments,
    });
  }

  #watch(post: Post): void {
    post.process.ended.then((ending) => {
      if (!post.isDoomed) this.#surprise(post, ending, 'by itself');
      if (this.#isOver) return;
      post.isDoomed = false;
      post.process = this.#start(post.name, post.command, post.port);
      this.#watch(post);
    });
  }

  #surprise({ name, process }: Post, ending: Ending, circumstance: string): void {
    this.surprises.push(`${name} ended with ${ending} ${circumstance}: ${process.log().trimEnd().slice(-600)}`);
  }

  #doom(name: string): Post {
    const post = this.#find(name);
    post.isDoomed = true;
    return post;
  }

  #find(name: string): Post {
    const post = this.#posts.find((one) => one.name === name);
    if (post === undefined) throw new Error(`there is no ${name}`);
    return post;
  }
}

function isWorking(process: ServiceProcess): boolean {
  return process.log().includes('"msg":"working"');
}
