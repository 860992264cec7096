import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Gate } from '../harness/gate.ts';
import { LocalServer } from '../harness/local-server.ts';

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
export class Gateway extends LocalServer {
  readonly passed: Passed[] = [];
  readonly gate = new Gate();
  /** Decides about each request. A test may change it at any time. */
  fate: (passed: Passed) => Fate = () => 'arrive';
  readonly #target: string;

  constructor(target: string) {
    super();
    this.#target = target;
  }

  protected async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    const body = await text(request);
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
      body: body === '' ? undefined : body,
    });
    const answered = await answer.text();
    if (fate === 'lose') return void request.socket.destroy();
    if (fate === 'wait') await this.gate.pass();
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answered);
  }
}
