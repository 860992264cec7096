import { SECRETS_KEY, type ServiceProcess, serviceEnvironment, startProcess } from '../../scripts/trial/process.ts';
import { SettableClock } from '../harness/clock.ts';
import { createDatabase, query } from '../harness/database.ts';
import { addressOf, until } from '../harness/processes.ts';
import { Receiver } from '../harness/receiver.ts';
import { type TestPractice, TestService } from '../harness/service.ts';
import { createEndpoint, paidLink } from '../harness/webhooks.ts';
import { DatabaseProxy } from './database-proxy.ts';

/** A clock of real time, as child processes have it. */
export class RunningClock extends SettableClock {
  override now(): Date {
    return new Date();
  }
}

/** Short waits of the retry schedule: these tests wait until there is a retry. */
const FAST_RETRIES = '0.1,0.1,0.1,0.1,0.1,0.1,0.1';

export interface AttemptRow {
  number: number;
  error: string | null;
  response_status: number | null;
  duration_ms: number | null;
}

/** A database with a practice, an endpoint and its receiver, an API in this process, and processes to be killed. */
export class CrashSetup {
  readonly databaseUrl: string;
  readonly service: TestService;
  readonly practice: TestPractice;
  readonly receiver: Receiver;
  readonly endpointId: string;
  readonly proxy: DatabaseProxy;
  readonly #processes: ServiceProcess[] = [];

  private constructor(
    setup: Pick<CrashSetup, 'databaseUrl' | 'service' | 'practice' | 'receiver' | 'proxy'> & { endpointId: string },
  ) {
    this.databaseUrl = setup.databaseUrl;
    this.service = setup.service;
    this.practice = setup.practice;
    this.receiver = setup.receiver;
    this.endpointId = setup.endpointId;
    this.proxy = setup.proxy;
  }

  static async start(): Promise<CrashSetup> {
    const databaseUrl = await createDatabase();
    const service = await TestService.start({ databaseUrl, clock: new RunningClock(), env: { SECRETS_KEY } });
    const practice = await service.practice();
    const receiver = await new Receiver().start();
    const { id: endpointId } = await createEndpoint(practice.test, receiver.url);
    const proxy = await new DatabaseProxy(databaseUrl).start();
    return new CrashSetup({ databaseUrl, service, practice, receiver, endpointId, proxy });
  }

  async close(): Promise<void> {
    for (const child of this.#processes) child.signal('SIGKILL');
    await Promise.all(this.#processes.map(({ ended }) => ended));
    await this.proxy.close();
    await this.service.close();
    await this.receiver.close();
  }

  /** A worker whose connections go through the proxy, or directly. */
  worker(
    databaseUrl = this.proxy.url,
    overrides: NodeJS.ProcessEnv = {},
    nodeArguments: string[] = [],
  ): ServiceProcess {
    return this.#start('worker', databaseUrl, overrides, nodeArguments);
  }

  /** An API whose connections go through the proxy, and its base address. */
  async serve(overrides: NodeJS.ProcessEnv = {}): Promise<{ api: ServiceProcess; baseUrl: string }> {
    const api = this.#start('serve', this.proxy.url, { PORT: '0', ...overrides });
    return { api, baseUrl: await addressOf(api.log) };
  }

  /** Creates a paid link, and so an event that waits to be delivered. Returns the event's id. */
  async createEvent(): Promise<string> {
    const link = await paidLink(this.practice.test);
    const [row] = await this.rows<{ id: string }>('select id from webhook_deliveries where payment_link_id = $1', [
      link.id,
    ]);
    if (row === undefined) throw new Error('a paid link has an event');
    return row.id;
  }

  /** Ends the lease, as if its time had passed. */
  async expireLease(): Promise<void> {
    await this.rows('update webhook_endpoints set lease_until = clock_timestamp()');
  }

  async untilStatus(eventId: string, status: string): Promise<void> {
    let seen: string | undefined;
    await until(
      async () => {
        const [row] = await this.rows<{ status: string }>('select status from webhook_deliveries where id = $1', [
          eventId,
        ]);
        seen = row?.status;
        return seen === status;
      },
      () => `${eventId} is ${seen}, not ${status}`,
    );
  }

  attempts(eventId: string): Promise<AttemptRow[]> {
    return this.rows<AttemptRow>(
      'select number, error, response_status, duration_ms from webhook_attempts where delivery_id = $1 order by number',
      [eventId],
    );
  }

  /** Returns how often the receiver got the event. */
  received(eventId: string): number {
    return this.receiver.received.filter(({ id }) => id === eventId).length;
  }

  rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return query<Row & Record<string, unknown>>(this.databaseUrl, text, values);
  }

  #start(
    command: 'serve' | 'worker',
    databaseUrl: string,
    overrides: NodeJS.ProcessEnv,
    nodeArguments: string[] = [],
  ): ServiceProcess {
    const env = serviceEnvironment(databaseUrl, {
      WEBHOOK_TIMEOUT_MS: '5000',
      WEBHOOK_RETRY_SECONDS: FAST_RETRIES,
      ...overrides,
    });
    const child = startProcess(command, env, { nodeArguments });
    this.#processes.push(child);
    return child;
  }
}
