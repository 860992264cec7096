import type { TlsOptions } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import type { SendError } from '../../src/webhooks/send/exchange.ts';
import type { Sender } from '../../src/webhooks/send/send.ts';
import {
  type Behaviour,
  certificate,
  receiverKey,
  reply,
  startReceiver,
  writeEndlessly,
} from './fixtures/receivers.ts';
import { loopbackSender, newSender, post, receiverThat } from './fixtures/senders.ts';

/** The timeout of most attempts: the receiver's answer or a limit ends them, on a busy machine as well. */
const TIMEOUT_MS = 20_000;

/** The timeout of attempts that it ends. Within it a busy machine connects, and reads a status. */
const SHORT_TIMEOUT_MS = 3_000;

/** Receivers at which the timeout ends attempts. */
const NEVER_FINISHES = /^(is silent|drips|never ends)/;

const say =
  (text: string): Behaviour =>
  (socket) =>
    socket.write(text);
const sayAndClose =
  (text: string): Behaviour =>
  (socket) =>
    socket.end(text);
const flood =
  (start: string, chunk: string, everyMs?: number): Behaviour =>
  (socket) => {
    socket.write(start);
    writeEndlessly(socket, chunk, everyMs);
  };
const sayAndReset =
  (text: string): Behaviour =>
  (socket, reset) => {
    if (text === '') reset();
    // Once the bytes are in the other side's buffer, they are read before the reset is noticed.
    else socket.write(text, () => setImmediate(reset));
  };

const interim = (status: string, headers = '') => `HTTP/1.1 ${status}\r\n${headers}\r\n`;
/** Writes each part when the one before has been sent. */
const inParts =
  (...[part, ...parts]: string[]): Behaviour =>
  (socket, reset) => {
    socket.write(part ?? '', () => setImmediate(() => parts.length > 0 && inParts(...parts)(socket, reset)));
  };

const zeros = gzipSync(Buffer.alloc(50_000_000)).toString('latin1');
const hello = 'HTTP/1.1 200 OK\r\n';
const line = `X-Padding: ${'x'.repeat(1_000)}\r\n`;

/** Each with the status and the error that an attempt records. */
const zoo: [what: string, behave: Behaviour, status: number | null, error: SendError | null][] = [
  ['answers 200', say(reply('200 OK', [], 'thanks')), 200, null],
  ['answers 204', say('HTTP/1.1 204 No Content\r\n\r\n'), 204, null],
  ['answers 299', say(reply('299 Fine')), 299, null],
  ['answers over HTTP/1.0', sayAndClose('HTTP/1.0 200 OK\r\n\r\nthanks'), 200, null],
  ['answers 200 without a length and closes', sayAndClose(`${hello}Connection: close\r\n\r\nthanks`), 200, null],
  ['answers in chunks', say(`${hello}Transfer-Encoding: chunked\r\n\r\n3\r\nyes\r\n0\r\n\r\n`), 200, null],
  [
    'gives interim replies first',
    say(`${interim('100 Continue').repeat(9)}${interim('103 Early Hints')}${reply('200 OK')}`),
    200,
    null,
  ],
  [
    'gives 11 interim replies first',
    say(`${interim('100 Continue').repeat(11)}${reply('200 OK')}`),
    null,
    'invalid_response',
  ],
  [
    'gives interim replies of 14 KB first',
    say(`${interim('102 Processing', line.repeat(7)).repeat(2)}${reply('200 OK')}`),
    200,
    null,
  ],
  [
    'gives interim replies of 18 KB first',
    say(`${interim('102 Processing', line.repeat(9)).repeat(2)}${reply('200 OK')}`),
    null,
    'invalid_response',
  ],
  ['refuses after an interim reply', say(`${interim('100 Continue')}${reply('503 Later')}`), 503, 'http_status'],
  ['splits an interim reply', inParts('HTTP/1.', '1 10', '0 Continue\r\n', `\r\n${reply('200 OK')}`), 200, null],
  ['closes after an interim reply', sayAndClose(interim('100 Continue')), null, 'invalid_response'],
  ['closes after a line break and an interim reply', sayAndClose(`\r\n${interim('103 ')}`), null, 'invalid_response'],
  ['answers after a line break and an interim reply', say(`\r\n${interim('103 ')}${reply('200 OK')}`), 200, null],
  ['closes within an interim reply', sayAndClose('HTTP/1.1 100 Cont'), null, 'invalid_response'],
  ['answers 300', say(reply('300 Multiple Choices')), 300, 'http_status'],
  ['answers 302', say(reply('302 Found', ['Location: http://127.0.0.1:1/'])), 302, 'http_status'],
  ['answers 304', say('HTTP/1.1 304 Not Modified\r\n\r\n'), 304, 'http_status'],
  ['answers 400', say(reply('400 Bad Request')), 400, 'http_status'],
  ['answers 410', say(reply('410 Gone')), 410, 'http_status'],
  ['answers 429', say(reply('429 Too Many Requests')), 429, 'http_status'],
  ['answers 500', say(reply('500 Internal Server Error')), 500, 'http_status'],
  ['answers 599', say(reply('599 Whatever')), 599, 'http_status'],
  ['answers 999', say(reply('999 Whatever')), 999, 'http_status'],
  ['is silent', () => undefined, null, 'timeout'],
  ['drips its status line', flood('HTTP/1.1 200 ', 'x', 20), null, 'timeout'],
  ['drips headers', flood(hello, 'X: y\r\n', 20), null, 'timeout'],
  ['drips early hints', flood('', interim('103 Early Hints'), 1_000), null, 'timeout'],
  ['drips its body', flood(`${hello}Content-Length: 10000\r\n\r\n`, 'x', 20), 200, null],
  ['drips the body of a 500', flood('HTTP/1.1 500 Oh\r\nContent-Length: 10000\r\n\r\n', 'x', 20), 500, 'http_status'],
  ['never ends its body', say(`${hello}Content-Length: 10\r\n\r\nxxxxx`), 200, null],
  ['floods with headers', flood(hello, line), null, 'invalid_response'],
  ['floods with one header', flood(`${hello}X-Padding: `, 'x'.repeat(10_000)), null, 'invalid_response'],
  ['floods with early hints', flood('', interim('103 Early Hints')), null, 'invalid_response'],
  ['floods with 100', flood('', interim('100 Continue')), null, 'invalid_response'],
  ['floods with body', flood(`${hello}\r\n`, 'x'.repeat(10_000)), 200, null],
  [
    'floods with chunks',
    flood(`${hello}Transfer-Encoding: chunked\r\n\r\n`, `3e8\r\n${'x'.repeat(1_000)}\r\n`),
    200,
    null,
  ],
  ['floods with trailers', flood(`${hello}Transfer-Encoding: chunked\r\n\r\n0\r\n`, line), 200, null],
  [
    'switches protocols',
    say('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    null,
    'invalid_response',
  ],
  [
    'sends a gzip bomb',
    say(`${hello}Content-Encoding: gzip\r\nContent-Length: ${zeros.length}\r\n\r\n${zeros}`),
    200,
    null,
  ],
  ['closes without an answer', (socket) => socket.end(), null, 'connection_error'],
  ['closes within its status line', sayAndClose('HTTP/1.1 2'), null, 'invalid_response'],
  ['closes within its headers', sayAndClose(`${hello}X: y\r\n`), null, 'invalid_response'],
  ['closes within its body', sayAndClose(`${hello}Content-Length: 10\r\n\r\nxxxxx`), 200, null],
  ['resets the connection', sayAndReset(''), null, 'connection_error'],
  ['resets within its headers', sayAndReset(`${hello}X: y\r\n`), null, 'connection_error'],
  ['resets within its body', sayAndReset(`${hello}Content-Length: 10\r\n\r\nxxxxx`), 200, null],
  ['speaks SSH', say('SSH-2.0-OpenSSH_9.7\r\n'), null, 'invalid_response'],
  ['speaks HTTP/2', say('\u0000\u0000\u0012\u0004\u0000\u0000\u0000\u0000\u0000'), null, 'invalid_response'],
  ['speaks HTTP/9.9', say('HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n'), null, 'invalid_response'],
  ['has a status of letters', say('HTTP/1.1 abc OK\r\n\r\n'), null, 'invalid_response'],
  ['has a status of four digits', say('HTTP/1.1 2000 OK\r\n\r\n'), null, 'invalid_response'],
  ['has a header without a colon', say(`${hello}nonsense\r\n\r\n`), null, 'invalid_response'],
  ['has a length of letters', say(`${hello}Content-Length: ten\r\n\r\n`), null, 'invalid_response'],
  ['has two lengths', say(`${hello}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`), null, 'invalid_response'],
  ['has a negative length', say(`${hello}Content-Length: -1\r\n\r\n`), null, 'invalid_response'],
];

const https: TlsOptions = { key: receiverKey(), cert: certificate('receiver') };

const trusting = (timeoutMs: number) => loopbackSender({ timeoutMs, extraCa: [certificate('ca')] });

/** Sends to a receiver that behaves like this. Returns the outcome, and the number of requests that arrived. */
async function attemptAt(sender: Sender, scheme: string, behave: Behaviour, secure: TlsOptions | undefined) {
  const receiver = await startReceiver(behave, secure);
  try {
    const { responseStatus, error } = await post(sender, `${scheme}://127.0.0.1:${receiver.port}/`);
    return { responseStatus, error, requests: receiver.requests.length };
  } finally {
    await receiver.close();
  }
}

for (const [scheme, secure] of [
  ['http', undefined],
  ['https', https],
] as const) {
  describe(`webhook attempt at a receiver over ${scheme} that`, () => {
    let sender: Sender;
    let shortSender: Sender;
    /** Attempts that last as long as their timeout. They began together, so that the suite waits once. */
    let begun: Map<string, ReturnType<typeof attemptAt>>;

    before(() => {
      sender = trusting(TIMEOUT_MS);
      shortSender = trusting(SHORT_TIMEOUT_MS);
      const endless = zoo.filter(([what]) => NEVER_FINISHES.test(what));
      begun = new Map(endless.map(([what, behave]) => [what, attemptAt(shortSender, scheme, behave, secure)]));
    });

    after(() => {
      sender.close();
      shortSender.close();
    });

    for (const [what, behave, responseStatus, error] of zoo) {
      it(`${what}: ${responseStatus ?? 'no status'}, ${error ?? 'success'}`, async () => {
        const outcome = await (begun.get(what) ?? attemptAt(sender, scheme, behave, secure));
        expect(outcome).to.deep.equal({ responseStatus, error, requests: 1 });
      });
    }
  });
}

describe('webhook attempt at any receiver', () => {
  it('an attempt ends as a value, whatever bytes come back', async function () {
    this.timeout(180_000);
    let bytes: Buffer = Buffer.alloc(0);
    const sender = newSender({ timeoutMs: TIMEOUT_MS });
    const receiver = await receiverThat((socket) => socket.end(bytes));
    const piece = fc.oneof(
      fc.constantFrom('HTTP/1.1 200 OK\r\n', 'HTTP/1.1 103 \r\n', 'HTTP/1.1 100 Continue\r\n\r\n', '\r\n', '0\r\n\r\n'),
      fc.constantFrom('Content-Length: 3\r\n', 'Transfer-Encoding: chunked\r\n', 'Connection: close\r\n', 'abc'),
      fc.constantFrom('HTTP/1.1 204 \r\n\r\n', 'HTTP/1.1 101 \r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      fc.string({ unit: 'binary' }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        bytes = Buffer.from(pieces.join(''), 'latin1');
        const outcome = await post(sender, `http://127.0.0.1:${receiver.port}/`);
        return (
          (outcome.error === null) ===
          (outcome.responseStatus !== null && Math.floor(outcome.responseStatus / 100) === 2)
        );
      }),
      { numRuns: 500 },
    );
  });

  it('an attempt reports the Retry-After of 429 and 503, and of no other status', async () => {
    const sender = newSender({ timeoutMs: TIMEOUT_MS });
    for (const [status, expected] of [
      ['429 Slow', 120],
      ['503 Later', 120],
      ['500 No', null],
      ['200 OK', null],
    ] as const) {
      const receiver = await receiverThat(say(reply(status, ['Retry-After: 120'])));
      const outcome = await post(sender, `http://127.0.0.1:${receiver.port}/`);
      expect(outcome.retryAfterSeconds, status).to.equal(expected);
    }
  });
});
