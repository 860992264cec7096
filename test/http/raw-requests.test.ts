import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import type { RequestState } from '../../src/http/context.ts';
import { listen } from '../../src/http/server.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { checker } from '../harness/client.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { type RawAnswer, sendRaw } from '../harness/raw.ts';
import { createLink, linkBody } from '../harness/service.ts';

/** Requests that no HTTP client sends, written byte by byte. */
describe('requests on the wire', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());

  /** A request with Host and `Connection: close`; headers of its own, each a line. */
  function send(requestLine: string, headers: string[] = [], body = ''): Promise<RawAnswer> {
    const lines = [requestLine, 'Host: localhost', 'Connection: close', ...headers];
    return sendRaw(service.baseUrl, Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1'));
  }

  /** The same with a key. */
  function sendWithKey(requestLine: string, headers: string[] = [], body = ''): Promise<RawAnswer> {
    return send(requestLine, [`Authorization: Bearer ${practice.test.key}`, ...headers], body);
  }

  /** Status and code; fails unless the answer is the error envelope in every part. */
  function refusal({ status, headers, body }: RawAnswer): string {
    const error = JSON.parse(body).error;
    const seen = { operationId: null, status: status ?? 0, headers, body };
    expect(checker.checkResponse(seen)).to.deep.equal([]);
    expect(error.requestId).to.equal(headers['request-id']);
    return `${status} ${error.code}`;
  }

  describe('400 in the envelope: what is not HTTP', () => {
    const MALFORMED: [what: string, text: string][] = [
      ['words', 'hello there\r\n\r\n'],
      ['a method that does not exist', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['a version that does not exist', 'GET / HTTP/7.1\r\nHost: x\r\n\r\n'],
      ['a header without colon', 'GET / HTTP/1.1\r\nHost: x\r\nwhat\r\n\r\n'],
      ['a blank in a header name', 'GET / HTTP/1.1\r\nHost: x\r\na b: c\r\n\r\n'],
      ['a control character in a header', 'GET / HTTP/1.1\r\nHost: x\r\na: b\u0001c\r\n\r\n'],
      ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\na: b\u0000c\r\n\r\n'],
      ['a length that is no number', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n'],
      ['a negative length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
      ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
      [
        'length and chunks at once, as smugglers send it',
        'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ],
      ['no Host', 'GET /api/v1/locations HTTP/1.1\r\n\r\n'],
      ['two Hosts', 'GET /api/v1/locations HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n'],
      ['a path with bytes that are not ASCII', 'GET /api/v1/locations\u00a0 HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
    ];
    for (const [what, text] of MALFORMED) {
      it(what, async () => {
        const answer = await sendRaw(service.baseUrl, Buffer.from(text, 'latin1'));
        expect(refusal(answer)).to.equal('400 validation_error');
        expect(answer.headers.connection).to.equal('close');
      });
    }

    it('400 validation_error: a malformed chunk in the middle of a body', async () => {
      const headers = ['Content-Type: application/json', 'Idempotency-Key: x', 'Transfer-Encoding: chunked'];
      const answer = await sendWithKey('POST /api/v1/payment-links HTTP/1.1', headers, '5\r\n{"amo\r\nzz\r\n');
      expect(answer.status).to.equal(400);
      expect(JSON.parse(answer.body).error.code).to.equal('validation_error');
    });
  });

  it('408 in the envelope: headers or a body that do not arrive in time', async () => {
    const slow = await listen(new Koa<RequestState>(), 0, '127.0.0.1', {
      headersMs: 30,
      requestMs: 60,
      checkMs: 10,
    });
    afterThisTest(() => slow.close());
    const baseUrl = `http://127.0.0.1:${slow.port}`;
    for (const text of ['GET / HTTP/1.1\r\nHost: x\r\n', 'GE']) {
      expect(refusal(await sendRaw(baseUrl, text))).to.equal('408 request_timeout');
    }
  });

  it('a server that stops is not delayed by a client that keeps sending requests', async () => {
    const app = new Koa<RequestState>();
    app.use((ctx) => {
      ctx.body = 'here';
    });
    const server = await listen(app, 0, '127.0.0.1');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let answers = 0;
    const ask = () =>
      new Promise<void>((resolve, reject) => {
        const asked = request({ port: server.port, agent }, (response) => {
          answers++;
          response.resume().on('end', resolve);
        });
        asked.on('error', reject).end();
      });
    const asking = (async () => {
      for (;;) await ask();
    })().catch(() => undefined);
    while (answers < 10) await new Promise((resolve) => setImmediate(resolve));
    await server.close();
    await asking;
    agent.destroy();
  });

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
      for (let count = 0; count < 100; count += 1) await new Promise(setImmediate);
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

  it('404: an address with a malformed host or port', async () => {
    // The path is not `/`, which leads to the documentation.
    for (const target of ['http://[', 'http://a:b:c/x', 'http://x:99999/x', 'http://%zz/x', '*', '/%', '//', '///x']) {
      expect(refusal(await send(`GET ${target} HTTP/1.1`)), target).to.equal('404 not_found');
    }
  });

  it('404: paths with dots, with matrix parameters, or without a leading slash', async () => {
    for (const path of ['locations/%2e%2e', 'locations/..', 'locations;x', './locations', 'locations%23x']) {
      const answer = await sendWithKey(`GET /api/v1/${path} HTTP/1.1`);
      expect(`${answer.status} ${JSON.parse(answer.body).error.code}`, path).to.equal('404 not_found');
    }
  });

  it('an absolute URL in the request line means its path', async () => {
    const answer = await sendWithKey('GET http://elsewhere.example/api/v1/locations HTTP/1.1');
    expect(answer.status).to.equal(200);
  });

  it('401: two Authorization lines, even with the same key', async () => {
    const answer = await sendWithKey('GET /api/v1/locations HTTP/1.1', [`Authorization: Bearer ${practice.test.key}`]);
    expect(answer.status).to.equal(401);
  });

  it('HEAD is answered without a body: 405 with Allow on operations, 404 elsewhere', async () => {
    const answer = await send('HEAD /api/v1/locations HTTP/1.1');
    expect([answer.status, answer.headers.allow, answer.body]).to.deep.equal([405, 'GET', '']);
    expect((await send('HEAD /nowhere HTTP/1.1')).status).to.equal(404);
  });

  it('OPTIONS is answered 405 with Allow, and without CORS headers', async () => {
    const answer = await send('OPTIONS /api/v1/payment-links/x HTTP/1.1', ['Origin: https://evil.example']);
    expect([answer.status, answer.headers.allow]).to.deep.equal([405, 'GET, PATCH']);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).to.deep.equal([]);
  });

  it('an Expect header is honoured for 100-continue, and ignored otherwise', async () => {
    const body = JSON.stringify(linkBody());
    const headers = (expect: string) => [
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      `Idempotency-Key: ${expect}`,
      `Expect: ${expect}`,
    ];
    const continued = await sendWithKey('POST /api/v1/payment-links HTTP/1.1', headers('100-continue'), body);
    expect(continued.text).to.match(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
    const ignored = await sendWithKey('POST /api/v1/payment-links HTTP/1.1', headers('200-ok'), body);
    expect(ignored.status).to.equal(201);
  });

  it('an Upgrade is not followed, and CONNECT is answered 404 in the envelope', async () => {
    const upgrade = await send('GET /api/v1/locations HTTP/1.1', ['Connection: upgrade', 'Upgrade: websocket']);
    expect(upgrade.status).to.equal(401);
    const tunnel = await send('CONNECT example.com:443 HTTP/1.1');
    expect(refusal(tunnel)).to.equal('404 not_found');
    expect(tunnel.headers.connection).to.equal('close');
  });

  it('a chunked body is read like one with a length, and an empty one counts as no body', async () => {
    const body = JSON.stringify(linkBody());
    const chunked = 'Transfer-Encoding: chunked';
    const created = await sendWithKey(
      'POST /api/v1/payment-links HTTP/1.1',
      ['Content-Type: application/json', 'Idempotency-Key: chunks', chunked],
      `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    );
    expect(created.status).to.equal(201);
    const { id } = await createLink(practice.test);
    const cancel = `POST /api/v1/payment-links/${id}/cancel HTTP/1.1`;
    expect((await sendWithKey(cancel, [chunked], '0\r\n\r\n')).status).to.equal(200);
    expect((await sendWithKey(cancel, [chunked], '2\r\n{}\r\n0\r\n\r\n')).status).to.equal(415);
  });

  it('413 payload_too_large for a chunked body as soon as it is too long', async () => {
    const chunk = `1000\r\n${' '.repeat(4096)}\r\n`;
    const answer = await sendWithKey(
      'POST /api/v1/payment-links HTTP/1.1',
      ['Content-Type: application/json', 'Idempotency-Key: x', 'Transfer-Encoding: chunked'],
      chunk.repeat(17),
    );
    expect(answer.status).to.equal(413);
    expect(answer.headers.connection).to.equal('close');
  });

  it('pipelined requests of one connection are answered in order', async () => {
    const get = (path: string, connection: string) =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n\r\n`;
    const { text } = await sendRaw(
      service.baseUrl,
      get('/api/v1/locations', 'keep-alive') + get('/x', 'keep-alive') + get('/healthz', 'close'),
    );
    expect([...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).to.deep.equal(['401', '404', '200']);
  });
});
