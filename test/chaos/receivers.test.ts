import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { createRandom } from '../../scripts/trial/random.ts';
import { startReceivers } from '../../scripts/trial/receivers.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { until } from '../harness/processes.ts';

describe('receivers of the rigs', () => {
  it('a receiver sees a request whose sender has left end before the next request, also if it hears of both at once', async () => {
    const receivers = await startReceivers(createRandom(1));
    afterThisTest(() => receivers.close());
    const { port, pathname } = new URL(receivers.url('slow', 'one'));
    const open = async () => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    const send = (socket: Socket) =>
      socket.write(`POST ${pathname} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`);
    let sender = await open();
    send(sender);
    for (let arrived = 1; arrived <= 20; arrived++) {
      await until(() => receivers.arrivals.length === arrived, 'no request');
      const [former, next] = [sender, await open()];
      former.destroy().once('close', () => send(next));
      sender = next;
    }
    sender.destroy();
    const { arrivals } = receivers;
    const early = arrivals
      .slice(1)
      .filter(({ openedMs }, at) => openedMs < (arrivals[at]?.closedMs ?? Number.POSITIVE_INFINITY));
    expect(early).to.deep.equal([]);
  });
});
