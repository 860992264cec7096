import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { CapturedLog } from '../harness/captured-log.ts';
import { until } from '../harness/processes.ts';
import { TestService } from '../harness/service.ts';

describe('A request whose client goes away in the middle of the body', () => {
  const log = new CapturedLog();
  let service: TestService;

  before(async () => {
    service = await TestService.start({ log: log.log });
  });

  after(() => service.close());

  for (const [encoding, compress] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (body: Buffer) => body],
  ] as const) {
    it(`a request whose client goes away in the middle of the body ends, and is logged (Content-Encoding: ${encoding})`, async () => {
      const { test } = await service.practice();
      const body = compress(Buffer.from(JSON.stringify({ description: 'x'.repeat(10_000) })));
      const head = [
        'POST /api/v1/payment-links HTTP/1.1',
        'Host: localhost',
        `Authorization: Bearer ${test.key}`,
        'Content-Type: application/json',
        `Content-Encoding: ${encoding}`,
        `Content-Length: ${body.length}`,
        '',
        '',
      ].join('\r\n');
      const before = requests();
      const { hostname, port } = new URL(service.baseUrl);
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      await new Promise<void>((resolve) => {
        socket.write(Buffer.concat([Buffer.from(head), body.subarray(0, Math.ceil(body.length / 2))]), () => resolve());
      });
      socket.end();
      socket.destroySoon();
      await until(
        () => requests() > before,
        () => 'the request does not end',
      );
      expect(requests()).to.equal(before + 1);
    });
  }

  function requests(): number {
    return log.lines.filter(({ msg }) => msg === 'request').length;
  }
});
