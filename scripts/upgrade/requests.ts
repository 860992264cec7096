import type { Failure } from '../trial/caller.ts';
import { type Load, startLoad } from '../trial/load.ts';
import type { Random } from '../trial/random.ts';
import type { ChaosPractice } from '../trial/setup.ts';
import type { Timeline } from '../trial/timeline.ts';
import { Reads } from './reads.ts';

/** More links than a run creates. */
const LINKS = 1_000_000;

/** Creates and reads of a run. From 1.x they pause while no version runs. */
export class Requests {
  readonly #loads: Load[] = [];
  readonly #reads: Reads[] = [];
  readonly #options: RequestOptions;

  constructor(options: RequestOptions) {
    this.#options = options;
  }

  /** Starts to send, also again after a stop. */
  start(): void {
    const { ports, practices, linksPerSecond, random, creates } = this.#options;
    const [first] = practices;
    if (first === undefined) throw new Error('there are practices');
    const spreadMs = (LINKS / linksPerSecond) * 1_000;
    const observeCreate = (status: number) => creates.record(status === 201);
    this.#loads.push(startLoad({ ports, practices, links: LINKS, spreadMs, random, observeCreate }));
    const reads = new Reads(ports, first);
    reads.start();
    this.#reads.push(reads);
  }

  /** Resolves when all that was sent has its outcome. */
  async stop(): Promise<void> {
    for (const load of this.#loads) load.stop();
    await Promise.all(this.#loads.map(({ done }) => done));
    await Promise.all(this.#reads.map((reads) => reads.stop()));
  }

  /** Links by id, with the status that an API confirmed last. */
  get confirmed(): Map<string, string> {
    return new Map(this.#loads.flatMap(({ confirmed }) => [...confirmed]));
  }

  /** Number of answered reads. */
  get answeredReads(): number {
    return this.#reads.reduce((sum, { answered }) => sum + answered, 0);
  }

  /** Requests of the load that failed and were repeated. */
  failures(kind: Failure): number {
    return this.#loads.reduce((sum, { failures }) => sum + failures[kind], 0);
  }

  /** Faults that nothing excuses, each as a sentence. */
  get faults(): string[] {
    return [
      ...this.#loads.flatMap(({ wrongAnswers }) => wrongAnswers.map((text) => `wrong answer: ${text}`)),
      ...this.#reads.flatMap(({ failures }) => failures.map((text) => `failed read: ${text}`)),
      ...Array(this.failures('broken')).fill('a request got no answer'),
    ];
  }
}

interface RequestOptions {
  /** Ports that get requests at present. */
  ports: number[];
  practices: ChaosPractice[];
  linksPerSecond: number;
  random: Random;
  /** Notes the moments of creates. */
  creates: Timeline;
}
