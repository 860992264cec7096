import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deliverer } from '../../src/webhooks/delivery/deliverer.ts';
import { signatureHeader } from '../../src/webhooks/model/signature.ts';
import type { Client } from '../harness/client.ts';
import { SettableClock } from '../harness/clock.ts';
import { freePort } from '../harness/free-port.ts';
import { type PayableLink, Payments } from '../harness/payments.ts';
import { checkout, killGroup, type Running, start, until } from '../harness/processes.ts';
import { type TestPractice, TestService } from '../harness/service.ts';
import { createEndpoint, DELIVERIES, deliver, type Endpoint, listDeliveries } from '../harness/webhooks.ts';
import { Gateway } from './gateway.ts';

/** Days by which a scenario begins in the past, so that debits settle and retries end before the present. */
const PAST_DAYS = 4;

/** Program of an example, with its arguments. */
export interface Program {
  command: string;
  args: readonly string[];
  env?: Record<string, string>;
}

/** The example as its own process, with a practice of its own, and a gateway on its way to the API. */
export class Example {
  readonly service: TestService;
  readonly practice: TestPractice;
  readonly payments: Payments;
  readonly gateway: Gateway;
  readonly deliverer: Deliverer;
  /** Folder with the files of the example. */
  readonly folder: string;
  endpoint: Endpoint | null = null;
  #program: Program | null = null;
  #running: Running | null = null;
  /** Port of its webhooks, also while it is down. */
  readonly #port: number;
  /** Address of its webhooks; empty until it listens. */
  #url = '';

  private constructor(service: TestService, practice: TestPractice, gateway: Gateway, port: number) {
    this.service = service;
    this.practice = practice;
    this.gateway = gateway;
    this.#port = port;
    this.payments = new Payments(service);
    this.deliverer = service.deliverer();
    this.folder = mkdtempSync(join(tmpdir(), 'paylinks-example-'));
  }

  /** Starts a service whose clock is four days in the past. */
  static async prepare(): Promise<Example> {
    const clock = new SettableClock(new Date().toISOString());
    clock.advance({ days: -PAST_DAYS });
    const service = await TestService.start({ clock });
    const gateway = await new Gateway(service.baseUrl).start();
    return new Example(service, await service.practice(), gateway, await freePort());
  }

  /** The environment of programs of the example. */
  get env(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      PAYLINKS_BASE_URL: this.gateway.url,
      PAYLINKS_API_KEY: this.practice.live.key ?? '',
      PAYLINKS_ENDPOINT_ID: this.endpoint?.id ?? '',
      RECEIVER_PORT: `${this.#port}`,
      SECRET_FILE: this.path('webhook-secret'),
      BOOKS_FILE: this.path('books.sqlite'),
    };
  }

  path(file: string): string {
    return join(this.folder, file);
  }

  /** Starts the example, and registers its endpoint the first time. It listens on the same port every time. */
  async start(program: Program): Promise<void> {
    this.#program = program;
    const running = start(program.command, [...program.args], {
      cwd: checkout,
      env: { ...this.env, ...program.env },
    });
    this.#running = running;
    const listening = /listening on (http:\S+)/;
    await until(() => listening.test(running.output()), running.output);
    this.#url = listening.exec(running.output())?.[1] ?? '';
    if (this.endpoint !== null) return;
    this.endpoint = await createEndpoint(this.practice.live, this.#url);
    this.useSecrets(this.endpoint.secret);
  }

  useSecrets(...secrets: string[]): void {
    writeFileSync(this.path('webhook-secret'), `${secrets.join('\n')}\n`);
  }

  /** Ends the process as a crash does. */
  async kill(): Promise<void> {
    if (this.#running === null) return;
    killGroup(this.#running, 'SIGKILL');
    await this.#running.finished;
    this.#running = null;
  }

  async restart(): Promise<void> {
    await this.kill();
    if (this.#program !== null) await this.start(this.#program);
  }

  async close(): Promise<void> {
    await this.kill();
    await this.gateway.close();
    await this.service.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Sets the service's clock to the present, as the receiver's clock has it. */
  arriveInPresent(): void {
    this.service.clock.set(new Date().toISOString());
  }

  /** Sends a request to the example's own interface. */
  async ask(method: string, path: string, body?: unknown) {
    const response = await fetch(new URL(path, this.#url), {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : null };
  }

  /** Sends all webhooks that are due. */
  deliver(): Promise<void> {
    return deliver(this.deliverer, this.#endpoint.id);
  }

  /** Sends every webhook of a link again, with the same event ids. */
  async redeliver({ id }: { id: string }, client: Client = this.practice.live): Promise<void> {
    for (const delivery of await listDeliveries(client, `paymentLinkId=${id}`)) {
      await client.post(`${DELIVERIES}/${delivery.id}/redeliver`);
    }
    await this.deliver();
  }

  /** Returns the bodies of a link's webhooks, oldest first. */
  async bodies({ id }: { id: string }): Promise<string[]> {
    const rows = await this.payments.service.query<{ payload: string }>(
      'select payload from webhook_deliveries where payment_link_id = $1 order by id',
      [id],
    );
    return rows.map(({ payload }) => payload);
  }

  /** Posts a signed webhook and returns the status of the answer. */
  async post(payload: string, options: { secret?: string; secondsAgo?: number } = {}): Promise<number> {
    const { secret = this.#endpoint.secret, secondsAgo = 0 } = options;
    const timestampSeconds = Math.floor(Date.now() / 1_000) - secondsAgo;
    const signature = signatureHeader({ secrets: [secret], timestampSeconds, payload });
    const headers = { 'Service-Signature': signature, 'Content-Type': 'application/json' };
    return (await fetch(this.#url, { method: 'POST', headers, body: payload })).status;
  }

  /** Returns statuses of forgeries: a wrong secret, a late one, a changed body, no signature. */
  async postForgeries(payload: string): Promise<number[]> {
    const changed = payload.replace('"object":"event"', '"object":"event" ');
    const timestampSeconds = Math.floor(Date.now() / 1_000);
    const genuine = signatureHeader({ secrets: [this.#endpoint.secret], timestampSeconds, payload });
    const send = async (headers: Record<string, string>, body: string) =>
      (await fetch(this.#url, { method: 'POST', headers, body })).status;
    return [
      await this.post(payload, { secret: 'whsec_of_nobody' }),
      await this.post(payload, { secondsAgo: 600 }),
      await send({ 'Service-Signature': genuine }, changed),
      await send({}, payload),
    ];
  }

  get #endpoint(): Endpoint {
    if (this.endpoint === null) throw new Error('start the example first');
    return this.endpoint;
  }
}

/** An event of a type that did not exist when the example was written. */
export const UNKNOWN_TYPE = JSON.stringify({
  id: 'evt_of_the_future',
  object: 'event',
  type: 'practice.moved',
  test: false,
  createdAt: '2030-01-01T00:00:00.000Z',
  data: { practice: {} },
});

/** Returns the parts of a link that its patient's page needs. */
export function payable(link: { id: string; url: string; amount: number }): PayableLink {
  return {
    id: link.id,
    token: link.url.slice(link.url.lastIndexOf('/') + 1),
    amountCents: Math.round(link.amount * 100),
  };
}
