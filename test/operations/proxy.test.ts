import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Dispatcher, request } from 'undici';
import { findHaproxy } from '../harness/edge.ts';
import { freePort } from '../harness/free-port.ts';
import { checkout, killGroup, type Running, start, until } from '../harness/processes.ts';
import { newScratchFolder } from '../harness/scratch.ts';

/** An API that says if it is ready, and closes the connection of every other request after it has received it. */
class BreakingApi {
  isReady = true;
  readonly received: string[] = [];
  readonly #server: Server = createServer((incoming, outgoing) => {
    if (incoming.url === '/readyz') return outgoing.writeHead(this.isReady ? 200 : 503).end();
    incoming.resume().on('end', () => {
      this.received.push(`${incoming.method} ${incoming.url}`);
      incoming.socket.destroy();
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/**
 * Sends a request over a connection of its own. On a connection with earlier requests, HAProxy answers a missing answer by closing
 * it.
 */
async function send(url: string, method: Dispatcher.HttpMethod = 'GET') {
  const { statusCode, headers, body } = await request(url, { method, reset: true });
  return { statusCode, headers, text: await body.text() };
}

/** Returns the text of an example with its addresses replaced. Names of the network of Docker are unknown here. */
function placed(file: string, port: number, api: string): string {
  return (
    readFileSync(join(checkout, file), 'utf8')
      // The limit of open files of this machine may be lower.
      .replace(/maxconn .*/, 'maxconn 100')
      .replace(/bind .*/, `bind 127.0.0.1:${port}`)
      .replace(/10\.0\.1\.\d:300\d|api:3000/g, api)
      .replaceAll(' resolvers docker init-addr none', '')
      .replace(/resolvers docker\n(?: .*\n)+/, '')
  );
}

for (const file of ['operations/haproxy/api.cfg', 'operations/container/haproxy.cfg']) {
  describe(`the proxy of ${file}`, () => {
    const api = new BreakingApi();
    let proxy: Running | undefined;
    let folder = '';
    let url = '';

    before(async function () {
      const program = findHaproxy();
      if (program === null) {
        console.log('    skipped: haproxy is not on this machine');
        return this.skip();
      }
      const port = await freePort();
      folder = newScratchFolder('proxy');
      mkdirSync(folder, { recursive: true });
      const configuration = join(folder, 'haproxy.cfg');
      writeFileSync(configuration, placed(file, port, await api.start()));
      const running = start(program, ['-db', '-f', configuration], { env: {} });
      proxy = running;
      url = `http://127.0.0.1:${port}`;
      await until(
        () =>
          send(`${url}/readyz`).then(
            ({ statusCode }) => statusCode === 200,
            () => false,
          ),
        () => running.output(),
      );
    });

    after(async () => {
      api.close();
      if (proxy === undefined) return;
      killGroup(proxy, 'SIGKILL');
      await proxy.finished;
      rmSync(folder, { recursive: true });
    });

    const post = () => send(`${url}/api/v1/payment-links`, 'POST');

    it('the proxy does not repeat a request that an API received, and answers in the form of the contract', async () => {
      const { statusCode, headers, text } = await post();
      expect(api.received).to.deep.equal(['POST /api/v1/payment-links']);
      expect([statusCode, headers['content-type'], headers['retry-after']]).to.deep.equal([
        503,
        'application/json',
        '5',
      ]);
      const requestId = headers['request-id'];
      expect(requestId).to.match(/^req_[0-9a-f-]{36}$/);
      const { error } = JSON.parse(text);
      expect(error).to.include({ code: 'service_unavailable', param: null, requestId }).and.to.have.property('message');
    });

    it('without an API that is ready, callers get the error of the contract, and people get a page', async () => {
      api.isReady = false;
      // The proxy takes an API out after some checks that failed.
      await until(
        async () => {
          const before = api.received.length;
          const { statusCode, text } = await post();
          expect([statusCode, JSON.parse(text).error.code]).to.deep.equal([503, 'service_unavailable']);
          return api.received.length === before;
        },
        () => 'requests still reach the API',
      );
      const { statusCode, headers, text } = await send(`${url}/pay/plt_00`);
      expect([statusCode, headers['content-type']]).to.deep.equal([503, 'text/html']);
      expect(text).to.include('<html>');
    });
  });
}
