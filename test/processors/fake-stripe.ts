import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import Stripe from 'stripe';
import { LocalServer } from '../harness/local-server.ts';
import { FakeStripeBooks, Refusal } from './fake-stripe-books.ts';

/** Fault of the next request that matches. */
export interface Fault {
  /** A part of method and path, e.g. `POST /v1/refunds`. */
  match: string;
  /**
   * `lost`: Stripe does it, then the socket closes. `refused`: The socket closes before anything happens. `error`:
   * Stripe answers 500, also to repetitions with the same key. `silent`: Stripe does it and never answers. `slowMs`:
   * The answer takes so many milliseconds.
   */
  kind: 'lost' | 'refused' | 'error' | 'silent' | { slowMs: number };
  /** Number of requests; 1 by default. The SDK's own retry counts. */
  times?: number;
}

/** A request that Stripe remembers by its idempotency key. */
interface Remembered {
  fingerprint: string;
  at: number;
  /** Null while the first request is in progress. */
  reply: Reply | null;
}

/** Time for which keys are remembered. */
const KEY_MS = 24 * 3_600_000;

interface Reply {
  status: number;
  body: object;
}

/**
 * A fake Stripe over HTTP. It keeps state per account, applies idempotency keys strictly, and refuses unknown parameters.
 * Its clock is the test's, and it forgets keys after a day. It delivers no events: the test takes `books.events` and
 * delivers them in any order, any number of times.
 */
export class FakeStripe extends LocalServer {
  readonly books: FakeStripeBooks;
  readonly faults: Fault[] = [];
  /** Method, path and body of every request, in order. */
  readonly requests: string[] = [];
  readonly webhookSecret = 'whsec_fake';
  readonly #now: () => Date;
  readonly #remembered = new Map<string, Remembered>();

  constructor(now: () => Date) {
    super();
    this.#now = now;
    this.books = new FakeStripeBooks(now);
  }

  /** Returns an event as it arrives: its bytes and a signature, of the present time or of an earlier one. */
  sign(event: object, secret = this.webhookSecret, ageSeconds = 0): { raw: Buffer; headers: Record<string, string> } {
    const payload = JSON.stringify(event);
    const timestamp = Math.floor(Date.now() / 1_000) - ageSeconds;
    const signature = new Stripe('sk_test_fake').webhooks.generateTestHeaderString({ payload, secret, timestamp });
    return { raw: Buffer.from(payload), headers: { 'stripe-signature': signature } };
  }

  protected async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request);
    const url = new URL(request.url ?? '/', this.url);
    const call = `${request.method} ${url.pathname}`;
    const fault = this.#takeFault(call);
    if (fault?.kind === 'refused') return void request.socket.destroy();
    this.requests.push(`${call}${url.search} ${decodeURIComponent(sent)}`);
    const reply = this.#byKey(request, `${call} ${sent}`, () =>
      fault?.kind === 'error' ? new Refusal(500, 'api_error', 'oops').reply() : this.#handle(request, url, sent),
    );
    if (fault?.kind === 'lost') return void request.socket.destroy();
    if (fault?.kind === 'silent') return;
    const slowMs = typeof fault?.kind === 'object' ? fault.kind.slowMs : 0;
    await new Promise((resolve) => setTimeout(resolve, slowMs));
    const { status, body } = reply;
    const head = { 'content-type': 'application/json', 'request-id': `req_fake${this.requests.length}` };
    response.writeHead(status, head).end(JSON.stringify(body));
  }

  #takeFault(call: string): Fault | undefined {
    const index = this.faults.findIndex(({ match }) => call.includes(match));
    const fault = this.faults[index];
    if (fault === undefined) return undefined;
    fault.times = (fault.times ?? 1) - 1;
    if (fault.times < 1) this.faults.splice(index, 1);
    return fault;
  }

  /** Replays the first answer for a key, also refusals and errors. Refuses a known key with other parameters. */
  #byKey(request: IncomingMessage, fingerprint: string, work: () => Reply): Reply {
    const key = request.headers['idempotency-key'];
    if (request.method !== 'POST' || key === undefined) return work();
    const place = `${request.headers['stripe-account'] ?? 'platform'} ${key}`;
    const earlier = this.#remembered.get(place);
    const now = this.#now().getTime();
    if (earlier === undefined || now >= earlier.at + KEY_MS) {
      const remembered: Remembered = { fingerprint, at: now, reply: null };
      this.#remembered.set(place, remembered);
      remembered.reply = work();
      return structuredClone(remembered.reply);
    }
    if (earlier.fingerprint !== fingerprint) {
      return new Refusal(400, 'idempotency_error', 'Keys can only be used with the same parameters').reply();
    }
    if (earlier.reply === null)
      return new Refusal(409, 'idempotency_error', 'in use', 'idempotency_key_in_use').reply();
    return structuredClone(earlier.reply);
  }

  /** Forgets all keys, as Stripe does after a day. */
  forgetKeys(): void {
    this.#remembered.clear();
  }

  #handle(request: IncomingMessage, url: URL, text: string): Reply {
    try {
      if (!request.headers.authorization?.startsWith('Bearer sk_')) {
        throw new Refusal(401, 'invalid_request_error', 'Invalid API Key');
      }
      const account = request.headers['stripe-account'];
      // Stripe's form encoding, such as `a[b][c]=1` and `a[0]=x`, as flattened names and texts.
      const params = new Map(request.method === 'GET' ? url.searchParams : new URLSearchParams(text));
      const body = this.books.call(
        `${request.method} ${url.pathname}`,
        typeof account === 'string' ? account : null,
        params,
      );
      return { status: 200, body: structuredClone(body) };
    } catch (error) {
      if (error instanceof Refusal) return error.reply();
      throw error;
    }
  }
}
