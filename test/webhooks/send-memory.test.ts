import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { reply, writeEndlessly } from './fixtures/receivers.ts';
import { newSender, post } from './fixtures/senders.ts';

const megabyte = 1_048_576;

/** In turn, so that every way out of an exchange is taken a hundred times and more. */
const behaviours: ((socket: Socket) => unknown)[] = [
  (socket) => socket.write(reply('200 OK', [], 'x'.repeat(10_000))),
  (socket) => socket.write(reply('500 No', ['Connection: close'])),
  (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    writeEndlessly(socket, 'x'.repeat(65_536));
  },
  (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    writeEndlessly(socket, `X-Padding: ${'x'.repeat(1_000)}\r\n`);
  },
  (socket) => writeEndlessly(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)),
  (socket) => socket.resetAndDestroy(),
  (socket) => socket.end(),
  (socket) => socket.end('nonsense\r\n\r\n'),
];

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function memoryBytes(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('webhook sender', () => {
  it('the sender keeps no memory of a thousand attempts, whatever their receivers do', async function () {
    this.timeout(180_000);
    let connections = 0;
    // Not one of the fixtures: they remember their connections, and it is the sender's memory that counts.
    const receiver = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => behaviours[connections++ % behaviours.length]?.(socket));
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const sender = newSender({ dns: [['127.0.0.1']] });
    const send = (count: number) =>
      Promise.all(
        Array.from({ length: 8 }, async () => {
          for (let n = 0; n < count / 8; n++) await post(sender, `http://receiver-${n % 50}.example.com:${port}/`);
        }),
      );
    await send(400);
    const before = memoryBytes();
    await send(1_000);
    const grown = memoryBytes() - before;
    sender.close();
    receiver.close();
    // A leaked body per attempt would be 16 MB, a leaked connection 10 MB.
    expect(grown, 'bytes').to.be.lessThan(4 * megabyte);
  });
});
