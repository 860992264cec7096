import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { addMember, COOKIE, signedIn } from '../console/console.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { useService } from '../harness/fixtures.ts';
import { until } from '../harness/processes.ts';
import { createLink } from '../harness/service.ts';

describe('A request whose client goes away in the middle of the body', () => {
  const log = new CapturedLog();
  const service = useService({ log: log.log });

  for (const [encoding, compress] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (body: Buffer) => body],
  ] as const) {
    it(`a request whose client goes away in the middle of the body ends, and is logged (Content-Encoding: ${encoding})`, async () => {
      const { test } = await service.practice();
      const body = compress(Buffer.from(JSON.stringify({ description: 'x'.repeat(10_000) })));
      const headers = [
        `Authorization: Bearer ${test.key}`,
        'Content-Type: application/json',
        `Content-Encoding: ${encoding}`,
      ];
      await sendHalf('/api/v1/payment-links', headers, body);
    });
  }

  for (const [what, path, type] of [
    ['a form of the console', '/console/sign-in', 'application/x-www-form-urlencoded'],
    ['a form with a file', '/console/PRACTICE/settings/logo', 'multipart/form-data; boundary=x'],
    ['a form of a hosted page', '/pay/TOKEN/submit', 'application/x-www-form-urlencoded'],
    ['a notification of the processor', '/processor/notifications/sandbox', 'application/json'],
  ] as const) {
    it(`${what} whose sender goes away in the middle is no internal error`, async () => {
      const practice = await service.practice();
      const owner = await signedIn(service, await addMember(service, practice.practiceId, 'owner'));
      const { url } = await createLink(practice.test);
      const own = path.replace('PRACTICE', practice.practiceId).replace('/pay/TOKEN', new URL(url).pathname);
      const headers = [`Cookie: ${COOKIE}=${owner.cookie}`, 'Stripe-Signature: t=1,v1=00', `Content-Type: ${type}`];
      await sendHalf(own, headers, Buffer.from('x'.repeat(1_000)));
      expect(log.take('internal_error')).to.deep.equal([]);
      const line = log.lines.findLast(({ msg }) => msg === 'request');
      expect(line?.status, JSON.stringify(line)).to.be.within(200, 499);
    });
  }

  /** Sends the head and half of the body, goes away, and waits for the line of the request. */
  async function sendHalf(path: string, headers: string[], body: Buffer): Promise<void> {
    const lines = [`POST ${path} HTTP/1.1`, 'Host: localhost', ...headers, `Content-Length: ${body.length}`];
    const head = `${lines.join('\r\n')}\r\n\r\n`;
    const before = requests();
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) => {
      socket.write(Buffer.concat([Buffer.from(head), body.subarray(0, Math.ceil(body.length / 2))]), () => resolve());
    });
    socket.end();
    socket.destroySoon();
    await until(() => requests() > before, 'the request does not end');
    expect(requests()).to.equal(before + 1);
  }

  function requests(): number {
    return log.lines.filter(({ msg }) => msg === 'request').length;
  }
});
