import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import type { Random } from './random.ts';
import type { ChaosPractice } from './setup.ts';

/** Requests of callers and their answers. */
export interface Load {
  /** Links by id, with the status that an API confirmed last. */
  readonly confirmed: Map<string, string>;
  /** Answers that no fault excuses, such as a 500. */
  readonly wrongAnswers: string[];
  /** Requests that got no answer, or a 503. */
  readonly failed: number;
  /** The same by kind. */
  readonly failures: Readonly<Record<Failure, number>>;
  /** Resolves when the last link has its outcome. */
  done: Promise<void>;
  /** Starts no further link. */
  stop(): void;
}

/**
 * Kinds of failed requests that are repeated. `refused`: no connection, so nothing was sent. `broken`: sent, and no answer.
 * `unavailable`: 503 with Retry-After. `inFlight`: 409, because the first request with the key still runs.
 */
export type Failure = 'refused' | 'broken' | 'unavailable' | 'inFlight';

export interface LoadOptions {
  ports: number[];
  practices: ChaosPractice[];
  links: number;
  /** Time over which the links are spread. */
  spreadMs: number;
  random: Random;
  /** Pause before a request is repeated, and time for which it is. */
  retry?: { everyMs: number; forMs: number };
  /** Called with the status of each answer to a create, at its moment. */
  observeCreate?: (status: number) => void;
}

/** Shares of the outcomes of links, in tenths. */
const OUTCOMES = [
  'paid',
  'paid',
  'paid',
  'paid',
  'paid',
  'processing_then_paid',
  'processing',
  'failed',
  'expired',
  'cancel',
];

/** Keys in an order that a sorting store would change. */
const METADATA = { zebra: 'last first', chart: 'A-17', b: '2', aa: '1' };

/** No fault of a process lasts a minute. */
const RETRY = { everyMs: 50, forMs: 60_000 };

const LINKS = '/api/v1/payment-links';

/** Creates links and ends them, as callers do who repeat what got no final answer. */
export function startLoad(options: LoadOptions): Load {
  const { practices, links, spreadMs, random } = options;
  const confirmed = new Map<string, string>();
  const caller = new Caller(options);
  const weighted = practices.flatMap((practice) => Array.from({ length: practice.share }, () => practice));
  const everyMs = spreadMs / links;
  let isStopped = false;
  const done = (async () => {
    const started: Promise<void>[] = [];
    for (let n = 0; n < links && !isStopped; n++) {
      started.push(completeLink(caller, random.pick(weighted).testKey, random.pick(OUTCOMES), confirmed));
      await pause(everyMs);
    }
    await Promise.all(started);
  })();
  return {
    confirmed,
    wrongAnswers: caller.wrongAnswers,
    get failed() {
      return Object.values(caller.failures).reduce((sum, count) => sum + count, 0);
    },
    failures: caller.failures,
    done,
    stop() {
      isStopped = true;
    },
  };
}

/** Creates one link and moves it to its outcome. */
async function completeLink(
  caller: Caller,
  key: string,
  outcome: string,
  confirmed: Map<string, string>,
): Promise<void> {
  const idempotencyKey = randomUUID();
  const created = await caller.post(
    key,
    LINKS,
    {
      amount: 125.5,
      description: 'Cleaning',
      patient: { firstName: 'Ada', lastName: 'Byron' },
      externalReference: idempotencyKey,
      metadata: METADATA,
    },
    idempotencyKey,
  );
  if (created?.status !== 201) return;
  const { id } = JSON.parse(created.text) as { id: string };
  confirmed.set(id, 'active');
  const path = `${LINKS}/${id}`;
  const changed =
    outcome === 'cancel'
      ? await caller.post(key, `${path}/cancel`, {})
      : await caller.post(key, `${path}/simulate`, { outcome });
  // A 409 means that an earlier try succeeded and its answer was lost.
  if (changed !== null)
    confirmed.set(id, outcome === 'cancel' ? 'cancelled' : outcome === 'expired' ? 'expired' : 'paid');
}

/** Asks one of the APIs until one gives a final answer. */
class Caller {
  readonly wrongAnswers: string[] = [];
  readonly failures: Record<Failure, number> = { refused: 0, broken: 0, unavailable: 0, inFlight: 0 };
  readonly #options: LoadOptions;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  async post(key: string, path: string, body: object, idempotencyKey?: string) {
    const { retry = RETRY, observeCreate } = this.#options;
    const deadline = performance.now() + retry.forMs;
    while (performance.now() < deadline) {
      const answer = await this.#once(key, path, body, idempotencyKey);
      if (typeof answer !== 'string') {
        if (path === LINKS) observeCreate?.(answer.status);
        if (isFinal(answer)) return answer;
      }
      const failure = typeof answer === 'string' ? answer : failureOf(answer);
      if (failure === null) {
        this.wrongAnswers.push(`${path}: ${JSON.stringify(answer)}`);
        return null;
      }
      this.failures[failure] += 1;
      await pause(retry.everyMs);
    }
    this.wrongAnswers.push(`${path}: no answer for ${retry.forMs} ms`);
    return null;
  }

  /** Sends a request once. The process may have died, or is not up yet. */
  async #once(
    key: string,
    path: string,
    body: object,
    idempotencyKey: string | undefined,
  ): Promise<Answer | 'refused' | 'broken'> {
    const { ports, random } = this.#options;
    try {
      const {
        statusCode,
        headers,
        body: answer,
      } = await request(`http://127.0.0.1:${random.pick(ports)}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        body: JSON.stringify(body),
      });
      return { status: statusCode, text: await answer.text(), hasRetryAfter: headers['retry-after'] !== undefined };
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED' ? 'refused' : 'broken';
    }
  }
}

interface Answer {
  status: number;
  text: string;
  hasRetryAfter: boolean;
}

function isFinal({ status, text }: Answer): boolean {
  return status === 200 || status === 201 || (status === 409 && text.includes('"link_not_active"'));
}

/** Returns the kind of an answer after which a caller repeats the request; null if no fault excuses the answer. */
function failureOf({ status, text, hasRetryAfter }: Answer): Failure | null {
  if (status === 503 && hasRetryAfter && text.includes('"service_unavailable"')) return 'unavailable';
  return status === 409 && text.includes('"idempotency_key_in_flight"') ? 'inFlight' : null;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
