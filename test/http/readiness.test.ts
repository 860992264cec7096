import { expect } from 'chai';
import { DatabaseSetup } from '../faults/database-setup.ts';
import { Client } from '../harness/client.ts';
import { until } from '../harness/processes.ts';

/**
 * Longest wait for a new answer: two seconds by the promise, and room for a loaded machine. Without its own timeout the
 * check would wait 20 seconds, the timeout of a statement.
 */
const NOTICED_MS = 8_000;

/** Requests at once. More would keep this process busy, which also runs API and proxy, until the query times out. */
const AT_ONCE = 5;

describe('GET /readyz', function () {
  this.timeout(180_000);
  let setup: DatabaseSetup;

  before(async () => {
    setup = await DatabaseSetup.start();
  });

  afterEach(() => setup.reset());

  after(() => setup.close());

  const ready = async (client: Client): Promise<number> => {
    const response = await fetch(`${client.baseUrl}/readyz`);
    await response.body?.cancel();
    return response.status;
  };

  async function untilAnswering(client: Client, status: number, withinMs: number): Promise<void> {
    let seen: number | undefined;
    await until(
      async () => {
        seen = await ready(client);
        return seen === status;
      },
      () => `it answers ${seen}`,
      withinMs,
    );
  }

  /** Asks for at least two seconds and a hundred times. Returns the statuses and the seconds that it took. */
  async function askOften(client: Client): Promise<{ statuses: number[]; seconds: number }> {
    const statuses: number[] = [];
    const startedMs = performance.now();
    const elapsedMs = () => performance.now() - startedMs;
    while (elapsedMs() < 2_000 || statuses.length <= 100) {
      statuses.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => ready(client)))));
    }
    return { statuses, seconds: elapsedMs() / 1000 };
  }

  it('GET /readyz asks the database about once a second, however often it is asked', async () => {
    const client = await setup.api();
    // The first query also opens the connection, which may take longer than a second on a loaded machine.
    await untilAnswering(client, 200, NOTICED_MS);
    let queries = 0;
    setup.proxy.onStatement = (text) => {
      if (text.includes('schema_functions')) queries += 1;
    };
    const { statuses, seconds } = await askOften(client);
    expect(statuses).to.not.include(503);
    expect(statuses.length).to.be.greaterThan(100);
    expect(queries).to.be.within(1, Math.ceil(seconds) + 2);
  });

  it('GET /readyz answers 503 from SIGTERM on, while requests are served with Connection: close until the drain is over', async () => {
    const serve = setup.process('serve', { PORT: '0', DRAIN_SECONDS: '2' });
    const port = () => /"port":(\d+)/.exec(serve.log())?.[1];
    await until(() => port() !== undefined, serve.log);
    const client = new Client(`http://127.0.0.1:${port()}`, setup.practice.test.key);
    await untilAnswering(client, 200, NOTICED_MS);
    serve.signal('SIGTERM');
    await until(() => serve.log().includes('"stopping"'), serve.log);
    expect(await ready(client)).to.equal(503);
    const { status, headers } = await setup.create(client);
    expect([status, headers.connection]).to.deep.equal([201, 'close']);
    expect(await serve.ended, serve.log()).to.equal(0);
    expect(serve.log()).to.not.match(/"level":[45]0/);
    expect(await setup.create(client).catch((error) => error)).to.be.instanceOf(Error);
  });

  it('GET /readyz reports a silent database and its return within two seconds, over one connection', async () => {
    const client = await setup.api();
    await untilAnswering(client, 200, NOTICED_MS);
    setup.proxy.blackHole(true);
    await untilAnswering(client, 503, NOTICED_MS);
    const before = setup.proxy.accepted;
    const { statuses, seconds } = await askOften(client);
    expect(statuses).to.not.include(200);
    // Its own, one after the other, and those of the watch, which looks for the database's return.
    expect(setup.proxy.accepted - before, 'connections').to.be.at.most(Math.ceil(seconds) * 4);
    setup.proxy.blackHole(false);
    await untilAnswering(client, 200, NOTICED_MS);
  });
});
