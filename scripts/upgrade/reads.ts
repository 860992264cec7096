import { request } from 'undici';
import type { ChaosPractice } from '../trial/setup.ts';

/** Interval between two rounds of reads. */
const EVERY_MS = 100;

/** A file that a hosted page loads, in its HTML. */
const FILE = /(?:src|href)="[^"]*(\/pay-assets\/[^"]+)"/g;

/**
 * Reads links, deliveries and hosted pages. A page comes from one API and its files from another, as in a browser behind a
 * load balancer.
 */
export class Reads {
  /** Number of answers 200. */
  answered = 0;
  /** Requests without an answer, and answers other than 200. */
  readonly failures: string[] = [];
  readonly #ports: readonly number[];
  readonly #practice: ChaosPractice;
  #count = 0;
  #isOver = false;
  #loop: Promise<void> = Promise.resolve();

  /** @param ports those that get requests at present */
  constructor(ports: readonly number[], practice: ChaosPractice) {
    this.#ports = ports;
    this.#practice = practice;
  }

  start(): void {
    this.#loop = this.#read();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#loop;
  }

  async #read(): Promise<void> {
    while (!this.#isOver) {
      const list = await this.#get('/api/v1/payment-links?pageSize=5');
      const [link] = list === null ? [] : (JSON.parse(list) as { data: { id: string; url: string }[] }).data;
      await this.#get('/api/v1/webhook-deliveries?pageSize=5');
      if (link !== undefined) {
        await this.#get(`/api/v1/payment-links/${link.id}`);
        const page = await this.#get(new URL(link.url).pathname);
        for (const [, path = ''] of page?.matchAll(FILE) ?? []) await this.#get(path);
      }
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }

  /** Asks the next API. Returns the body of an answer 200. */
  async #get(path: string): Promise<string | null> {
    const port = this.#ports[this.#count++ % this.#ports.length];
    try {
      const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`, {
        headers: path.startsWith('/api/') ? { authorization: `Bearer ${this.#practice.testKey}` } : {},
      });
      const text = await body.text();
      if (statusCode === 200) {
        this.answered += 1;
        return text;
      }
      this.failures.push(`${path.slice(0, 30)}: ${statusCode} ${text.slice(0, 200)}`);
    } catch (error) {
      this.failures.push(`${path.slice(0, 30)}: ${error}`);
    }
    return null;
  }
}
