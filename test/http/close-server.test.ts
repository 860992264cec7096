import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import type { RequestState } from '../../src/http/context.ts';
import { listen } from '../../src/http/server.ts';

describe('the end of the server', () => {
  it('a closing server waits for the work of a request whose client has left', async () => {
    const begun = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const steps: string[] = [];
    const app = new Koa<RequestState>();
    app.use(async (ctx) => {
      ctx.req.once('close', left.resolve);
      begun.resolve();
      await left.promise;
      // A statement of the database takes a while.
      for (let step = 0; step < 100; step++) await new Promise(setImmediate);
      steps.push('worked');
    });
    const server = await listen(app, 0, '127.0.0.1');
    const client = connect(server.port, '127.0.0.1');
    await once(client, 'connect');
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await begun.promise;
    client.destroy();
    await left.promise;
    await server.close();
    steps.push('closed');
    expect(steps).to.deep.equal(['worked', 'closed']);
  });
});
