import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Query } from '../trial/evidence.ts';
import type { LockableRows } from './rows.ts';

const LINKS = '/api/v1/payment-links';
const ENDPOINTS = '/api/v1/webhook-endpoints';

/** Requests per second of the healthy practice. */
const REQUESTS_PER_SECOND = 25;

/** Requests under way at once of a practice that is stuck: more than its APIs have connections. */
const CONCURRENT_REQUESTS = 40;

/** Pause between an answer and the next request, in milliseconds. */
const CONCURRENT_PAUSE_MS = 50;

/** The answer to a request: its status, 0 for none, and its duration. */
interface Answered {
  status: number;
  tookMs: number;
}

/** One practice and its requests. */
export class PracticeLoad {
  readonly #practice: { practiceId: string; testKey: string };
  readonly #ports: number[];
  readonly #query: Query;
  readonly #answers: Answered[] = [];
  readonly #agent = new Agent({ connections: 200 });
  #lockableRows: LockableRows | null = null;
  #isOver = false;

  constructor(practice: { practiceId: string; testKey: string }, ports: number[], query: Query) {
    this.#practice = practice;
    this.#ports = ports;
    this.#query = query;
  }

  get lockableRows(): LockableRows {
    if (this.#lockableRows === null) throw new Error('createRows must be called first');
    return this.#lockableRows;
  }

  /** Creates a link whose row is locked later, and a delivery that can be delivered again. */
  async createRows(): Promise<void> {
    const port = this.#ports[0] ?? 0;
    const create = async () => JSON.parse((await this.#ask(port, 'POST', LINKS, linkBody())).text).id as string;
    const [linkId, paidId] = [await create(), await create()];
    await this.#ask(port, 'POST', `${LINKS}/${paidId}/simulate`, { outcome: 'paid' });
    const [delivery] = await this.#query<{ id: string; endpoint: string }>(
      'select id, endpoint_id as endpoint from webhook_deliveries where payment_link_id = $1 order by id limit 1',
      [paidId],
    );
    if (delivery === undefined) throw new Error('a paid link has an event');
    const { practiceId } = this.#practice;
    this.#lockableRows = { practiceId, linkId, endpointId: delivery.endpoint, deliveryId: delivery.id };
    this.#answers.length = 0;
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Sends requests at a fixed rate, one kind after the other, until it is stopped. */
  async sendSteadily(): Promise<void> {
    const asked: Promise<unknown>[] = [];
    const startedMs = performance.now();
    for (let count = 0; !this.#isOver; count++) {
      asked.push(this.#kind(count));
      await pause(Math.max(0, startedMs + ((count + 1) * 1_000) / REQUESTS_PER_SECOND - performance.now()));
    }
    await Promise.all(asked);
    await this.#agent.close();
  }

  /** Sends requests that need the locked rows, many at once, until it is stopped. */
  async sendConcurrently(): Promise<void> {
    const { linkId, endpointId, deliveryId } = this.lockableRows;
    const kinds: ((port: number) => Promise<unknown>)[] = [
      (port) => this.#ask(port, 'POST', LINKS, linkBody()),
      (port) => this.#ask(port, 'PATCH', `${LINKS}/${linkId}`, { amount: 90 }),
      (port) => this.#ask(port, 'POST', LINKS, linkBody()),
      (port) => this.#ask(port, 'POST', `${ENDPOINTS}/${endpointId}/rotate-secret`),
      (port) => this.#ask(port, 'POST', `/api/v1/webhook-deliveries/${deliveryId}/redeliver`),
      (port) => this.#ask(port, 'GET', LINKS),
      (port) => this.#ask(port, 'PATCH', `${ENDPOINTS}/${endpointId}`, { enabled: true }),
    ];
    const one = async (number: number) => {
      for (let count = number; !this.#isOver; count++) {
        await kinds[count % kinds.length]?.(this.#port(count));
        await pause(CONCURRENT_PAUSE_MS);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, (_, number) => one(number)));
    await this.#agent.close();
  }

  /** Sends a request to this API that needs the row. */
  requestRow(row: string, port: number): void {
    const { linkId, endpointId, deliveryId } = this.lockableRows;
    const requests: Record<string, () => Promise<unknown>> = {
      practice: () => this.#ask(port, 'POST', ENDPOINTS, { url: 'https://127.0.0.1/hook' }),
      endpoint: () => this.#ask(port, 'PATCH', `${ENDPOINTS}/${endpointId}`, { enabled: true }),
      link: () => this.#ask(port, 'PATCH', `${LINKS}/${linkId}`, { amount: 80 }),
      delivery: () => this.#ask(port, 'POST', `/api/v1/webhook-deliveries/${deliveryId}/redeliver`),
    };
    void (requests[row] ?? (() => this.#ask(port, 'POST', LINKS, linkBody())))();
  }

  latencies() {
    const sorted = this.#answers.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
    return {
      requests: sorted.length,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      maxMs: at(1),
      failed: this.#answers.filter(({ status }) => status === 0 || status >= 500).length,
    };
  }

  /** Lists how often each status was answered. */
  statuses(): string {
    const counts = new Map<number, number>();
    for (const { status } of this.#answers) counts.set(status, (counts.get(status) ?? 0) + 1);
    return [...counts].map(([status, count]) => `${status === 0 ? 'none' : status}: ${count}`).join(', ');
  }

  /** Returns the longest times until links expired and events were delivered, since then. Late ones count up to now. */
  async lags(since: string) {
    const [expiry] = await this.#query<{ ms: number }>(
      `select coalesce(max(extract(epoch from coalesce(closed_at, clock_timestamp()) - expires_at)) * 1000, 0)::integer as ms
       from payment_links where practice_id = $1 and created_at >= $2 and expires_at < clock_timestamp()`,
      [this.#practice.practiceId, since],
    );
    const [delivery] = await this.#query<{ ms: number }>(
      `select coalesce(max(extract(epoch from coalesce(delivered_at, clock_timestamp()) - created_at)) * 1000, 0)::integer as ms
       from webhook_deliveries where practice_id = $1 and created_at >= $2 and status <> 'skipped'`,
      [this.#practice.practiceId, since],
    );
    return { expiredAfterMs: expiry?.ms ?? 0, deliveredAfterMs: delivery?.ms ?? 0 };
  }

  /** Sends one request of the next kind. One kind is a link that expires at once. */
  async #kind(count: number): Promise<void> {
    const port = this.#port(count);
    const { linkId, endpointId } = this.lockableRows;
    const create = async () => {
      const { text, status } = await this.#ask(port, 'POST', LINKS, linkBody());
      return status === 201 ? (JSON.parse(text).id as string) : null;
    };
    const kinds = [
      create,
      () => this.#ask(port, 'GET', LINKS),
      () => this.#ask(port, 'PATCH', `${LINKS}/${linkId}`, { amount: 50 + (count % 50) }),
      () => this.#ask(port, 'GET', `${LINKS}/${linkId}`),
      async () => {
        const id = await create();
        if (id !== null) await this.#ask(port, 'POST', `${LINKS}/${id}/simulate`, { outcome: 'paid' });
      },
      () => this.#ask(port, 'PATCH', `${ENDPOINTS}/${endpointId}`, { description: `${count}` }),
      () => this.#ask(port, 'GET', '/api/v1/webhook-deliveries'),
      async () => {
        const id = await create();
        const expire = 'update payment_links set expires_at = clock_timestamp() where id = $1';
        if (id !== null) await this.#query(expire, [id]);
      },
    ];
    await kinds[count % kinds.length]?.();
  }

  #port(count: number): number {
    return this.#ports[count % this.#ports.length] ?? 0;
  }

  async #ask(port: number, method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) {
    const startedMs = performance.now();
    let answered = { status: 0, text: '' };
    try {
      const answer = await request(`http://127.0.0.1:${port}${path}`, {
        method,
        dispatcher: this.#agent,
        headers: {
          authorization: `Bearer ${this.#practice.testKey}`,
          'idempotency-key': randomUUID(),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      answered = { status: answer.statusCode, text: await answer.body.text() };
    } catch {
      // Counted as no answer.
    }
    this.#answers.push({ status: answered.status, tookMs: performance.now() - startedMs });
    return answered;
  }
}

function linkBody(): object {
  return { amount: 125.5, description: 'Cleaning', patient: { firstName: 'Ada', lastName: 'Byron' } };
}
