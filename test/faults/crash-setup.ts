import { Client } from '../harness/client.ts';
import { SettableClock } from '../harness/clock.ts';
import { query } from '../harness/database.ts';
import { addressOf, until } from '../harness/processes.ts';
import { Receiver } from '../harness/receiver.ts';
import { type ServiceOptions, type TestPractice, TestService } from '../harness/service.ts';
import { SECRETS_KEY, type ServiceProcess, serviceEnvironment, startProcess } from '../harness/service-process.ts';
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

/** A practice with an endpoint and its receiver, an API in this process that prepares rows, and the processes under test. */
export class FaultSetup {
  service!: TestService;
  receiver!: Receiver;
  practice!: TestPractice;
  endpointId!: string;
  /** Stands between the database and the processes under test. */
  proxy!: DatabaseProxy;
  readonly #processes: ServiceProcess[] = [];

  /** @param options of the API in this process */
  async start(options: ServiceOptions = {}): Promise<this> {
    this.service = await TestService.start({ clock: new RunningClock(), env: { SECRETS_KEY }, ...options });
    this.receiver = await new Receiver().start();
    this.practice = await this.service.practice();
    this.endpointId = (await createEndpoint(this.practice.test, this.receiver.url)).id;
    this.proxy = await new DatabaseProxy(this.databaseUrl).start();
    return this;
  }

  async reset(): Promise<void> {
    for (const child of this.#processes) child.signal('SIGKILL');
    await Promise.all(this.#processes.splice(0).map(({ ended }) => ended));
  }

  async close(): Promise<void> {
    await this.reset();
    await this.proxy.close();
    await this.service.close();
    await this.receiver.close();
  }

  get databaseUrl(): string {
    return this.service.config.databaseUrl;
  }

  /** The command itself, as an operator starts it. */
  process(
    command: 'serve' | 'worker',
    overrides: NodeJS.ProcessEnv = {},
    databaseUrl = this.proxy.url,
    nodeArguments: string[] = [],
  ): ServiceProcess {
    const child = startProcess(command, serviceEnvironment(databaseUrl, overrides), { nodeArguments });
    this.#processes.push(child);
    return child;
  }

  /** An API whose connections go through the proxy, and a client of it. */
  async serve(overrides: NodeJS.ProcessEnv = {}): Promise<{ serve: ServiceProcess; client: Client }> {
    const serve = this.process('serve', { PORT: '0', ...overrides });
    return { serve, client: new Client(await addressOf(serve.log), this.practice.test.key) };
  }

  rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return query<Row & Record<string, unknown>>(this.databaseUrl, text, values);
  }
}

/** Returns the setup of a `describe`, which each test has anew. */
export function useCrashSetup(): CrashSetup {
  const setup = new CrashSetup();
  beforeEach(() => setup.start());
  afterEach(() => setup.close());
  return setup;
}

/** A setup with processes to be killed. */
export class CrashSetup extends FaultSetup {
  /** A worker whose connections go through the proxy, or directly. */
  worker(databaseUrl = this.proxy.url, overrides: NodeJS.ProcessEnv = {}, nodeArguments?: string[]): ServiceProcess {
    const env = { WEBHOOK_TIMEOUT_MS: '5000', WEBHOOK_RETRY_SECONDS: FAST_RETRIES, ...overrides };
    return this.process('worker', env, databaseUrl, nodeArguments);
  }

  /** Creates a paid link, and so an event that waits to be delivered. Returns the event's id. */
  async createEvent(): Promise<string> {
    const link = await paidLink(this.practice.test);
    const select = 'select id from webhook_deliveries where payment_link_id = $1';
    const [row] = await this.rows<{ id: string }>(select, [link.id]);
    if (row === undefined) throw new Error('a paid link has an event');
    return row.id;
  }

  /** Ends the lease, as if its time had passed. */
  async expireLease(): Promise<void> {
    await this.rows('update webhook_endpoints set lease_until = clock_timestamp()');
  }

  async untilStatus(eventId: string, status: string): Promise<void> {
    const reached = 'select from webhook_deliveries where id = $1 and status = $2';
    await until(
      async () => (await this.rows(reached, [eventId, status])).length > 0,
      () => `${eventId} is not ${status}`,
    );
  }

  attempts(eventId: string): Promise<AttemptRow[]> {
    return this.rows<AttemptRow>(
      'select number, error, response_status, duration_ms from webhook_attempts where delivery_id = $1 order by number',
      [eventId],
    );
  }

  received(eventId: string): number {
    return this.receiver.received.filter(({ id }) => id === eventId).length;
  }
}
