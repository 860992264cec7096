import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import Koa from 'koa';
import type { RequestState } from '../../src/http/context.ts';
import { listen, type RunningServer } from '../../src/http/server.ts';
import { until } from '../harness/processes.ts';

const MEGABYTE = 1_048_576;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('a client that does not read its answers', () => {
  const clients: Socket[] = [];
  let server: RunningServer;
  /** The server's side of each connection. */
  let connections: Set<Socket>;
  /** Answers that the server has begun. */
  let answers: number;
  let bodies: WeakRef<Buffer>[];

  before(async () => {
    const app = new Koa<RequestState>();
    app.silent = true;
    app.use((ctx) => {
      answers += 1;
      connections.add(ctx.socket);
      const body = Buffer.alloc(ctx.path === '/large' ? 16 * MEGABYTE : MEGABYTE);
      bodies.push(new WeakRef(body));
      ctx.body = body;
    });
    server = await listen(app, 0, '127.0.0.1', { silenceMs: 3_000 });
  });

  beforeEach(() => {
    connections = new Set();
    answers = 0;
    bodies = [];
  });

  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
  });

  after(() => server.close());

  async function askWithoutReading(requests: string): Promise<void> {
    const client = connect(server.port, '127.0.0.1');
    client.on('error', () => undefined);
    clients.push(client);
    await once(client, 'connect');
    client.pause();
    client.write(requests);
  }

  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

  async function untilClosed(count: number): Promise<void> {
    await until(
      () => connections.size === count && [...connections].every(({ destroyed }) => destroyed),
      () => `${[...connections].filter(({ destroyed }) => !destroyed).length} of ${connections.size} are open`,
    );
  }

  it('a client that does not read loses its connection after a bounded time, and the server keeps nothing of its answers', async () => {
    await Promise.all(Array.from({ length: 20 }, () => askWithoutReading(request('/large'))));
    await until(
      () => answers === 20,
      () => `${answers} answers`,
    );
    await untilClosed(20);
    connections.clear();
    await until(
      () => {
        collectGarbage();
        return bodies.every((body) => body.deref() === undefined);
      },
      () => `${bodies.filter((body) => body.deref() !== undefined).length} answers are still in memory`,
    );
  });

  it('a client that does not read makes the server work on a few of its requests only, however many it sends', async () => {
    const padded = request('/').replace('Host: x', `Host: x\r\nX-Padding: ${'x'.repeat(2_000)}`);
    await askWithoutReading(padded.repeat(500));
    await untilClosed(1);
    // Node reads 64 kB of requests at a time, and the system's buffers of a connection hold several megabytes.
    expect(answers).to.be.within(1, 100);
  });

  it('a client that reads slowly keeps its connection as long as it goes on to read', async () => {
    const client = connect(server.port, '127.0.0.1');
    clients.push(client);
    client.write(request('/large'));
    let read = 0;
    // The pauses together are longer than the limit.
    for await (const chunk of client) {
      read += chunk.length;
      if (read >= 16 * MEGABYTE) break;
      await new Promise((resolve) => setTimeout(resolve, 16));
    }
    expect([...connections].map(({ destroyed }) => destroyed)).to.deep.equal([false]);
  });
});
