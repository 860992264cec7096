import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import type { Random } from '../../test/harness/random.ts';

/** A request to one of the APIs. */
export interface Call {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** The answer of an API. */
export interface Answer {
  status: number;
  text: string;
  /** Address of a redirect, or null. */
  location: string | null;
  hasRetryAfter: boolean;
}

/**
 * Kinds of failed requests that are repeated. `refused`: no connection, so nothing was sent. `broken`: sent, and no answer.
 * `unavailable`: 503 with Retry-After. `inFlight`: 409, because the first request with the key still runs.
 */
export type Failure = 'refused' | 'broken' | 'unavailable' | 'inFlight';

export interface CallerOptions {
  ports: number[];
  random: Random;
  /** Pause before a request is repeated, and time for which it is. */
  retry?: { everyMs: number; forMs: number };
}

/** No fault of a process lasts a minute. */
const RETRY = { everyMs: 50, forMs: 60_000 };

/** Asks one of the APIs until one gives a final answer. */
export class Caller {
  /** Answers that no fault excuses, such as a 500. */
  readonly wrongAnswers: string[] = [];
  readonly failures: Record<Failure, number> = { refused: 0, broken: 0, unavailable: 0, inFlight: 0 };
  readonly #options: CallerOptions;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  /**
   * Repeats a request until its answer is final. Returns null, and records a wrong answer, if there is none.
   *
   * @param observe called with the status of each answer, at its moment
   */
  async send(call: Call, isFinal: (answer: Answer) => boolean, observe?: (status: number) => void) {
    const { retry = RETRY } = this.#options;
    const deadline = performance.now() + retry.forMs;
    while (performance.now() < deadline) {
      const answer = await this.#once(call);
      if (typeof answer !== 'string') {
        observe?.(answer.status);
        if (isFinal(answer)) return answer;
      }
      const failure = typeof answer === 'string' ? answer : failureOf(answer);
      if (failure === null) {
        this.wrongAnswers.push(`${call.path}: ${JSON.stringify(answer).slice(0, 2_000)}`);
        return null;
      }
      this.failures[failure] += 1;
      await pause(retry.everyMs);
    }
    this.wrongAnswers.push(`${call.path}: no answer for ${retry.forMs} ms`);
    return null;
  }

  /** Sends a JSON body with an API key. */
  post(key: string, path: string, body: object, isFinal: (answer: Answer) => boolean, idempotencyKey?: string) {
    return this.send(jsonCall(key, path, body, idempotencyKey), isFinal);
  }

  /** Sends a request once. The process may have died, or is not up yet. */
  async #once({ method, path, headers, body = '' }: Call): Promise<Answer | 'refused' | 'broken'> {
    const { ports, random } = this.#options;
    try {
      const answer = await request(`http://127.0.0.1:${random.pick(ports)}${path}`, {
        method,
        headers,
        body: method === 'GET' ? null : body,
      });
      const { location } = answer.headers;
      return {
        status: answer.statusCode,
        text: await answer.body.text(),
        location: typeof location === 'string' ? location : null,
        hasRetryAfter: answer.headers['retry-after'] !== undefined,
      };
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED' ? 'refused' : 'broken';
    }
  }
}

/** Returns a POST of a JSON body with an API key. */
export function jsonCall(key: string, path: string, body: object, idempotencyKey?: string): Call {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  };
  return { method: 'POST', path, headers, body: JSON.stringify(body) };
}

/** Returns a POST of a form, as a browser sends it from a page of the same site. */
export function formCall(path: string, headers: Record<string, string>, fields: Record<string, string>): Call {
  const ofForm = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
  return { method: 'POST', path, headers: { ...headers, ...ofForm }, body: new URLSearchParams(fields).toString() };
}

/** Returns the hidden fields of forms in a text. */
export function hiddenFields(html: string): Record<string, string> {
  const hidden = html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
  return Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]));
}

/** Returns the kind of an answer after which a caller repeats the request; null if no fault excuses the answer. */
function failureOf({ status, text, hasRetryAfter }: Answer): Failure | null {
  const isExplained = text.startsWith('<!') || text.includes('"service_unavailable"');
  if (status === 503 && hasRetryAfter && isExplained) return 'unavailable';
  return status === 409 && text.includes('"idempotency_key_in_flight"') ? 'inFlight' : null;
}
