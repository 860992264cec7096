import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listen } from '../harness/free-port.ts';
import { Gate } from '../harness/gate.ts';

/** A request that came through the gateway. */
export interface Passed {
  method: string;
  path: string;
  idempotencyKey: string | undefined;
}

/**
 * Treatment of a request. `arrive`: its answer arrives. `lose`: its answer is lost, after the service did the work.
 * `refuse`: it gets a 503 and never reaches the service. `wait`: its answer waits at the gate.
 */
export type Fate = 'arrive' | 'lose' | 'refuse' | 'wait';

/** A network between an example and the service, whose answers a test can lose or delay. */
export class Gateway {
  readonly passed: Passed[] = [];
  readonly gate = new Gate();
  /** Decides about each request. A test may change it at any time. */
  fate: (passed: Passed) => Fate = () => 'arrive';
  readonly #target: string;
  readonly #server = createServer((request, response) => void this.#pass(request, response));

  constructor(target: string) {
    this.#target = target;
  }

  async start(): Promise<this> {
    await listen(this.#server);
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const idempotencyKey = headers['idempotency-key']?.toString();
    const passed = { method, path: url, idempotencyKey };
    this.passed.push(passed);
    const fate = this.fate(passed);
    if (fate === 'refuse') return void response.writeHead(503, { 'Retry-After': '0' }).end('{}');
    const answer = await fetch(`${this.#target}${url}`, {
      method,
      headers: {
        authorization: `${headers.authorization}`,
        'content-type': 'application/json',
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      body: chunks.length === 0 ? undefined : Buffer.concat(chunks),
    });
    const text = await answer.text();
    if (fate === 'lose') return void request.socket.destroy();
    if (fate === 'wait') await this.gate.pass();
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(text);
  }
}
