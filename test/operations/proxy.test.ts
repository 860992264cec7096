import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Dispatcher, request } from 'undici';
import { afterThisTest } from '../harness/after-this-test.ts';
import { listen } from '../harness/free-port.ts';
import { leaveOut } from '../harness/leave-out.ts';
import { checkout, until } from '../harness/processes.ts';
import { type ShippedProxy, startShippedProxy } from '../harness/shipped-proxy.ts';

/** An API that says if it is ready, and closes the connection of every other request after it has received it. */
class BreakingApi {
  isReady = true;
  readonly received: string[] = [];
  /** Network addresses of clients, as the proxy hands them on. */
  readonly clients: (string | string[] | undefined)[] = [];
  readonly #server: Server = createServer({ maxHeaderSize: 65_536 }, (incoming, outgoing) => {
    if (incoming.url === '/readyz') return outgoing.writeHead(this.isReady ? 200 : 503).end();
    incoming.resume().on('end', () => {
      this.received.push(`${incoming.method} ${incoming.url}`);
      this.clients.push(incoming.headers['x-forwarded-for']);
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

const FILES = ['operations/haproxy/api.cfg', 'operations/container/haproxy.cfg'];

for (const file of FILES) {
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

    it('an API gets the address of the client behind the one that the client claims', async () => {
      await send(`${url}/api/v1/locations`, 'GET', { 'x-forwarded-for': '203.0.113.7' });
      expect(api.clients.at(-1)).to.match(/^203\.0\.113\.7, ?127\.0\.0\.1$/);
    });

    it('headers of 20 KB reach the API, which refuses them in the form of the contract', async () => {
      const before = api.received.length;
      await send(`${url}/api/v1/locations`, 'GET', { 'x-trace': 'x'.repeat(20_000) });
      expect(api.received.slice(before)).to.deep.equal(['GET /api/v1/locations']);
    });

    it('the log has neither paths nor headers, where keys and tokens stand', () => {
      const text = readFileSync(join(checkout, file), 'utf8');
      const formats = [...text.matchAll(/log-format '(.*)'/g)].map(([, format = '']) => format);
      expect(formats).to.have.length(2);
      for (const format of formats) {
        // %HM shows any word that stands in place of the method; the variable has known methods only.
        expect(format).to.include('"method":"%[var(txn.method)]"');
        // %r, %HU, %HP, %HQ and %HV show the request line, %hr and %hs captured headers.
        expect(format.replace('%[var(txn.method)]', '')).to.not.match(
          /%(\{[^}]*\})?(r|HM|HU|HP|HPO|HQ|hr|hs|hrl|hsl)\b|%\[/,
        );
      }
      expect(text).to.not.match(/httplog|capture|stats socket/);
    });

    it('a word that is no method is not logged', async () => {
      await send(`${url}/api/v1/locations`, 'KEY-OF-SOMEONE' as Dispatcher.HttpMethod);
      await until(
        () => proxy?.output().includes('"method":"-"') === true,
        () => proxy?.output() ?? '',
      );
      expect(proxy?.output()).to.not.include('KEY-OF-SOMEONE');
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

it('the files of HAProxy for both kinds of installation have the same sections and rules', () => {
  const [debian = '', container = ''] = FILES.map((file) => readFileSync(join(checkout, file), 'utf8'));
  const sections = (text: string) => text.match(/^defaults [\s\S]*?(?=\n\n)/gm) ?? [];
  expect(sections(debian)).to.have.length(2);
  expect(sections(container)).to.deep.equal(sections(debian));
  const frontend = (text: string) => /^frontend edge[\s\S]*?(?=\n\n)/m.exec(text)?.[0].replace(/^ {2}bind .*$/m, '');
  expect(frontend(container)).to.equal(frontend(debian));
});
