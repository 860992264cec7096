import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { type Dispatcher, request } from 'undici';
import { afterThisTest } from '../harness/after-this-test.ts';
import { listen } from '../harness/free-port.ts';
import { leaveOut } from '../harness/leave-out.ts';
import { until } from '../harness/processes.ts';
import { type ShippedProxy, startShippedProxy } from '../harness/shipped-proxy.ts';

/** An API that says if it is ready, and closes the connection of every other request after it has received it. */
class BreakingApi {
  isReady = true;
  readonly received: string[] = [];
  readonly #server: Server = createServer({ maxHeaderSize: 65_536 }, (incoming, outgoing) => {
    if (incoming.url === '/readyz') return outgoing.writeHead(this.isReady ? 200 : 503).end();
    incoming.resume().on('end', () => {
      this.received.push(`${incoming.method} ${incoming.url}`);
      incoming.socket.destroy();
    });
  });

  async start(): Promise<string> {
    return `127.0.0.1:${await listen(this.#server)}`;
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
async function send(url: string, method: Dispatcher.HttpMethod = 'GET', sent: Record<string, string> = {}) {
  const { statusCode, headers, body } = await request(url, { method, headers: sent, reset: true });
  return { statusCode, headers, text: await body.text() };
}

for (const file of ['operations/haproxy/api.cfg', 'operations/container/haproxy.cfg']) {
  describe(`the proxy of ${file}`, () => {
    const api = new BreakingApi();
    let proxy: ShippedProxy | null = null;
    let url = '';

    before(async function () {
      // A second is enough to show that a timeout is there.
      const faster = (text: string) => text.replaceAll(/timeout http-request .*/g, 'timeout http-request 1s');
      proxy = await startShippedProxy(file, [await api.start()], faster);
      url = proxy?.url ?? '';
      if (proxy !== null) return;
      leaveOut(this, 'no haproxy on this machine');
    });

    after(async () => {
      api.close();
      await proxy?.close();
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

    it('a client that does not send its request in time is answered, and its connection ends', async () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.write('POST /api/v1/payment-links HTTP/1.1\r\nHost: edge\r\n');
      let answer = '';
      for await (const chunk of socket.setEncoding('utf8')) answer += chunk;
      expect(answer).to.match(/^HTTP\/1\.1 408 /);
    });

    it('headers of 20 KB reach the API, which refuses them in the form of the contract', async () => {
      const before = api.received.length;
      await send(`${url}/api/v1/locations`, 'GET', { 'x-trace': 'x'.repeat(20_000) });
      expect(api.received.slice(before)).to.deep.equal(['GET /api/v1/locations']);
    });

    it('the log has a line for each request, without its path', () => {
      expect(proxy?.output())
        .to.match(/"method":"POST","status":503,"backend":"apis"/)
        .and.not.include('payment-links');
    });

    it('without an API that is ready, callers get the error of the contract, and people get a page', async () => {
      api.isReady = false;
      // The proxy takes an API out after some checks that failed.
      await until(async () => {
        const before = api.received.length;
        const { statusCode, text } = await post();
        expect([statusCode, JSON.parse(text).error.code]).to.deep.equal([503, 'service_unavailable']);
        return api.received.length === before;
      }, 'requests still reach the API');
      const { statusCode, headers, text } = await send(`${url}/pay/plt_00`);
      expect([statusCode, headers['content-type']]).to.deep.equal([503, 'text/html; charset=utf-8']);
      expect(text).to.include('<html lang="en">');
    });

    it('an address that sends twice what it may is refused at the API, and its pages still answer', async () => {
      const ask = () => send(`${url}/api/v1/locations`).then(({ statusCode, text }) => ({ statusCode, text }));
      const replies: Awaited<ReturnType<typeof ask>>[] = [];
      const refused = () => replies.find(({ statusCode }) => statusCode === 429);
      await until(
        async () =>
          replies.push(...(await Promise.all(Array.from({ length: 100 }, ask)))) > 0 && refused() !== undefined,
        () => `${replies.length} requests were admitted`,
      );
      expect(JSON.parse(refused()?.text ?? '').error).to.include({ code: 'rate_limited', param: null });
      expect(replies.filter(({ statusCode }) => statusCode !== 429)).to.have.length.above(1_000);
      expect((await send(`${url}/pay/plt_00`)).statusCode).to.equal(503);
    });
  });
}

describe('the redirect of operations/haproxy/api.cfg', () => {
  it('a browser without TLS is redirected, and a request to the API without TLS is refused', async function () {
    const api = new BreakingApi();
    const proxy = await startShippedProxy('operations/haproxy/api.cfg', [await api.start()]);
    afterThisTest(async () => {
      await proxy?.close();
      api.close();
    });
    if (proxy === null) return leaveOut(this, 'no haproxy on this machine');
    const page = await send(`${proxy.plainUrl}/console?a=b`);
    const { host } = new URL(proxy.plainUrl);
    expect([page.statusCode, page.headers.location]).to.deep.equal([308, `https://${host}/console?a=b`]);
    const { statusCode, text } = await send(`${proxy.plainUrl}/api/v1/payment-links`, 'POST');
    expect([statusCode, JSON.parse(text).error.code]).to.deep.equal([400, 'validation_error']);
    expect(api.received).to.deep.equal([]);
  });
});
