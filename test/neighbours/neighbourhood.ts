import pg from 'pg';
import { RunningClock } from '../faults/crash-setup.ts';
import { Client, type Exchange } from '../harness/client.ts';
import { createDatabase } from '../harness/database.ts';
import { Receiver } from '../harness/receiver.ts';
import { createLink, idempotent, linkBody, type TestPractice, TestService } from '../harness/service.ts';
import { SECRETS_KEY } from '../harness/service-process.ts';
import { createEndpoint, ENDPOINTS, paidLink } from '../harness/webhooks.ts';

const LINKS = '/api/v1/payment-links';

/** A practice with one row of each kind that a test locks. Its delivery can be redelivered. */
export interface LockablePractice {
  practice: TestPractice;
  practiceId: string;
  receiver: Receiver;
  endpointId: string;
  linkId: string;
  deliveryId: string;
}

/** Selects rows of a practice to lock, by the kind of row: the id that a statement takes, and the statement. */
export const ROWS = {
  practice: ['practiceId', 'select from practices where id = $1'],
  key: ['practiceId', 'select from api_keys where practice_id = $1 and test'],
  location: ['practiceId', 'select from locations where practice_id = $1'],
  endpoint: ['endpointId', 'select from webhook_endpoints where id = $1'],
  link: ['linkId', 'select from payment_links where id = $1'],
  delivery: ['deliveryId', 'select from webhook_deliveries where id = $1'],
  'daily count': [
    'practiceId',
    'select from daily_link_counts where api_key_id in (select id from api_keys where practice_id = $1)',
  ],
  'rate window': [
    'practiceId',
    `select from rate_windows where subject like any (
       select 'key:' || id || '/%' from api_keys where practice_id = $1)`,
  ],
} as const;

export type Row = keyof typeof ROWS;

/** Two APIs on one database, in real time. */
export class Neighbourhood {
  readonly databaseUrl: string;
  readonly services: readonly [TestService, TestService];
  readonly #receivers: Receiver[] = [];

  private constructor(databaseUrl: string, services: readonly [TestService, TestService]) {
    this.databaseUrl = databaseUrl;
    this.services = services;
  }

  static async start(): Promise<Neighbourhood> {
    const databaseUrl = await createDatabase();
    const start = () => TestService.start({ databaseUrl, clock: new RunningClock(), env: { SECRETS_KEY } });
    return new Neighbourhood(databaseUrl, [await start(), await start()]);
  }

  async close(): Promise<void> {
    for (const service of this.services) await service.close();
    for (const receiver of this.#receivers) await receiver.close();
  }

  async lockablePractice(): Promise<LockablePractice> {
    const practice = await this.services[0].practice();
    const receiver = await new Receiver().start();
    this.#receivers.push(receiver);
    const { id: endpointId } = await createEndpoint(practice.test, receiver.url);
    const { id: paidId } = await paidLink(practice.test);
    const [delivery] = await this.rows<{ id: string }>(
      `update webhook_deliveries set status = 'delivered', delivered_at = now(), due_at = null
       where payment_link_id = $1 returning id`,
      [paidId],
    );
    if (delivery === undefined) throw new Error('a paid link has an event');
    const { id: linkId } = await createLink(practice.test);
    return { practiceId: practice.practiceId, practice, receiver, endpointId, linkId, deliveryId: delivery.id };
  }

  clients({ key }: Client): Client[] {
    return this.services.map(({ baseUrl }) => new Client(baseUrl, key));
  }

  rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.services[0].query<Row & Record<string, unknown>>(text, values);
  }

  /** Locks a row of the practice until the returned function is called. */
  lockRow(of: LockablePractice, row: Row): Promise<() => Promise<void>> {
    const [id, select] = ROWS[row];
    return this.lock([select, [of[id]]]);
  }

  async lock([text, values]: [text: string, values: string[]]): Promise<() => Promise<void>> {
    const holder = new pg.Client({ connectionString: this.databaseUrl, application_name: 'holder' });
    await holder.connect();
    await holder.query('begin');
    const { rowCount } = await holder.query(`${text} for update`, values);
    if (rowCount === 0) throw new Error(`there is nothing to lock: ${text}`);
    return async () => {
      await holder.query('rollback');
      await holder.end();
    };
  }

  /** Resolves when a statement waits for a lock. */
  untilWaiting(): Promise<void> {
    return this.services[0].untilWaiting();
  }
}

/** Far longer than an answer takes on a busy machine, and shorter than any wait for a lock used to be. */
const NEIGHBOUR_MS = 5_000;

/** Fails when there is no answer in time: one that comes after the lock is free proves nothing. */
export async function answers(what: string, asked: Promise<Exchange>): Promise<Exchange> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: no answer within ${NEIGHBOUR_MS} ms`)), NEIGHBOUR_MS);
  });
  try {
    const answer = await Promise.race([asked, late]);
    if (answer.status >= 300) throw new Error(`${what}: ${answer.status} ${answer.text}`);
    return answer;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Every kind of operation, one after the other, each of which must succeed. Leaves no endpoint behind.
 *
 * @param beside called along with each request: what it asks is in the same batches
 */
export async function liveOn(client: Client, locationId: string, beside: () => void = () => {}): Promise<void> {
  const ask = (what: string, asked: Promise<Exchange>) => {
    beside();
    return answers(what, asked);
  };
  const link = (await ask('create', client.post(LINKS, linkBody(), idempotent()))).body;
  await ask('get', client.get(`${LINKS}/${link.id}`));
  await ask('list', client.get(LINKS));
  await ask('update', client.patch(`${LINKS}/${link.id}`, { amount: 80 }));
  await ask('locations', client.get('/api/v1/locations'));
  await ask('location', client.get(`/api/v1/locations/${locationId}`));
  const endpoint = (await ask('create endpoint', client.post(ENDPOINTS, { url: 'https://127.0.0.1/hook' }))).body;
  await ask('list endpoints', client.get(ENDPOINTS));
  await ask('update endpoint', client.patch(`${ENDPOINTS}/${endpoint.id}`, { description: 'another' }));
  await ask('ping', client.post(`${ENDPOINTS}/${endpoint.id}/test`));
  await ask('rotate', client.post(`${ENDPOINTS}/${endpoint.id}/rotate-secret`));
  await ask('cancel', client.post(`${LINKS}/${link.id}/cancel`));
  const other = (await ask('create', client.post(LINKS, linkBody(), idempotent()))).body;
  await ask('simulate', client.post(`${LINKS}/${other.id}/simulate`, { outcome: 'paid' }));
  await ask('deliveries', client.get('/api/v1/webhook-deliveries'));
  const since = new Date(Date.now() - 60_000).toISOString();
  await ask('replay', client.post(`${ENDPOINTS}/${endpoint.id}/replay`, { since }));
  await ask('delete endpoint', client.delete(`${ENDPOINTS}/${endpoint.id}`));
}

/** Creates a link, whatever comes of it. */
export function create(client: Client): Promise<Exchange> {
  return client.post(LINKS, linkBody(), idempotent());
}

/** More requests of every kind than a pool has connections, at once. */
export function crowd(client: Client, lockable: LockablePractice): Promise<Exchange>[] {
  const { endpointId, linkId, deliveryId } = lockable;
  const times = <T>(count: number, of: () => T) => Array.from({ length: count }, of);
  return [
    ...times(12, () => create(client)),
    ...times(12, () => client.patch(`${LINKS}/${linkId}`, { amount: 90 })),
    ...times(6, () => client.patch(`${ENDPOINTS}/${endpointId}`, { enabled: true })),
    ...times(3, () => client.post(`${ENDPOINTS}/${endpointId}/rotate-secret`)),
    ...times(3, () => client.post(ENDPOINTS, { url: 'https://127.0.0.1/hook' })),
    ...times(3, () => client.post(`/api/v1/webhook-deliveries/${deliveryId}/redeliver`)),
    client.post(`${LINKS}/${linkId}/simulate`, { outcome: 'failed' }),
    ...times(6, () => client.get(LINKS)),
  ];
}

/** A request and its answer are bounded: ten seconds, and a machine that is busy. */
export const OWN_ANSWER_MS = 14_000;

/** Answers that the practice itself may get while its row is locked, besides success. */
export function isClear({ status, headers, body }: Exchange): boolean {
  if (status === 503) return body.error.code === 'service_unavailable' && headers['retry-after'] !== undefined;
  // Among the crowd some lose to others: a link that is paid, a tenth endpoint, a delivery that waits already.
  return status < 300 || status === 409;
}
