import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { checker } from './client.ts';
import { LocalServer } from './local-server.ts';

export interface Received {
  id: string;
  type: string;
  headers: IncomingMessage['headers'];
  raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of every type, and the checker has judged them
  event: any;
}

export type Answer = (received: Received, response: ServerResponse, request: IncomingMessage) => void;

/** Answers 200 and nothing else. */
export const accept: Answer = (_, response) => void response.writeHead(200).end();

/** An answer that waits for the test: `arrived` resolves with a function that sends it. */
export function delayedAnswer(status: number): { answer: Answer; arrived: Promise<() => void> } {
  const { promise: arrived, resolve } = Promise.withResolvers<() => void>();
  return { arrived, answer: (_, response) => resolve(() => void response.writeHead(status).end()) };
}

export function refuse(status: number, headers: Record<string, string> = {}): Answer {
  return (_, response) => void response.writeHead(status, headers).end();
}

/** A receiver of webhooks that holds every request against the contract and remembers it. */
export class Receiver extends LocalServer {
  readonly received: Received[] = [];
  /** Answers requests. A test may change it at any time. */
  answer: Answer = accept;
  maxInFlight = 0;
  /** Faults against the contract. A test that ends with any should fail. */
  readonly faults: string[] = [];
  #inFlight = 0;

  override get url(): string {
    return `${super.url}/hook`;
  }

  get types(): string[] {
    return this.received.map(({ type }) => type);
  }

  protected async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.maxInFlight = Math.max(this.maxInFlight, ++this.#inFlight);
    response.on('close', () => this.#inFlight--);
    const raw = await text(request);
    this.faults.push(...checker.checkWebhook({ headers: request.headers, body: raw }));
    const event = JSON.parse(raw);
    const received = { id: event.id, type: event.type, headers: request.headers, raw, event };
    this.received.push(received);
    this.answer(received, response, request);
  }
}

/** Returns true if a request is signed with the secret as the contract says. Uses no code of the service. */
export function isSignedWith(secret: string, { headers, raw }: Pick<Received, 'headers' | 'raw'>): boolean {
  const [time, ...signatures] = String(headers['service-signature']).split(',');
  const expected = createHmac('sha256', secret)
    .update(`${time?.slice(2)}.${raw}`)
    .digest('hex');
  return signatures.includes(`v1=${expected}`);
}
