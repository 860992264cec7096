import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { until } from '../../test/harness/until.ts';

const CHECK_EVERY_MS = 200;

/**
 * The APIs behind a load balancer. An API gets requests from its first good answer to `/readyz` on, and none after a bad one.
 */
export class Rotation {
  /** Ports that get requests at present. The load picks one for each request. */
  readonly ports: number[] = [];
  /** Bad answers of APIs that should have been ready, with their moments. */
  readonly unready: string[] = [];
  readonly #members = new Set<number>();
  readonly #ending = new Set<number>();
  #isOver = false;
  #loop: Promise<void> = Promise.resolve();

  start(): void {
    this.#loop = this.#check();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#loop;
  }

  async add(port: number, withinMs = 180_000): Promise<void> {
    await until(async () => (await statusOf(port)) === 200, { withinMs, failure: `nothing is ready on port ${port}` });
    this.#members.add(port);
    this.ports.push(port);
  }

  /** Allows that an API is not ready any more. It gets requests until a check says so. */
  expectEnd(port: number): void {
    this.#ending.add(port);
  }

  #take(port: number): void {
    const at = this.ports.indexOf(port);
    if (at >= 0) this.ports.splice(at, 1);
  }

  async #check(): Promise<void> {
    while (!this.#isOver) {
      for (const port of this.#members) {
        const status = await statusOf(port);
        if (!this.#members.has(port)) continue;
        if (status === 200 && !this.ports.includes(port)) this.ports.push(port);
        if (status === 200) continue;
        if (this.#ending.delete(port)) {
          this.#members.delete(port);
          this.#take(port);
          continue;
        }
        this.unready.push(`port ${port} answered ${status ?? 'nothing'}`);
        // A balancer without a ready server has nobody else to ask.
        if (this.ports.length > 1) this.#take(port);
      }
      await pause(CHECK_EVERY_MS);
    }
  }
}

async function statusOf(port: number): Promise<number | null> {
  try {
    const { statusCode, body } = await request(`http://127.0.0.1:${port}/readyz`, { headersTimeout: 2_000 });
    await body.dump();
    return statusCode;
  } catch {
    return null;
  }
}
