import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import tls from 'node:tls';
import { expect } from 'chai';
import { openConnection } from '../../src/webhooks/send/connections.ts';
import type { Sender } from '../../src/webhooks/send/send.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { type Behaviour, reply, startListener } from './fixtures/receivers.ts';
import { newSender, post, receiverThat } from './fixtures/senders.ts';

const thanks: Behaviour = (socket) => socket.write(reply('200 OK', [], 'thanks'));
const socketsOpened = channel('net.client.socket');

describe('webhook sender', () => {
  /** A receiver that behaves like this, and a sender to which these are the addresses of all names. */
  async function receiverAndSender(dns: string[][] = [], behave = thanks) {
    const receiver = await receiverThat(behave);
    const sender = newSender({ dns });
    const local = `http://127.0.0.1:${receiver.port}/`;
    const send = (host = 'example.com', path = '/') => post(sender, `http://${host}:${receiver.port}${path}`);
    return { receiver, sender, local, send };
  }

  /** Sends, and counts the sockets that are opened for it, to any address. Other code of the process may open its own. */
  async function sendCounting(sender: Sender, url: string) {
    const sending = new AsyncLocalStorage<true>();
    let sockets = 0;
    const count = () => {
      if (sending.getStore() === true) sockets += 1;
    };
    socketsOpened.subscribe(count);
    const outcome = await sending.run(true, () => post(sender, url));
    socketsOpened.unsubscribe(count);
    return { error: outcome.error, sockets };
  }

  it('the sender posts exactly the given headers and bytes, with the host name of the URL', async () => {
    const { receiver, sender } = await receiverAndSender([['127.0.0.1']]);
    const url = `http://receiver.example.com:${receiver.port}/hooks/1?a=b%20c`;
    const headers = { 'Content-Type': 'application/json', 'Service-Event-Id': 'evt_1' };
    const outcome = await post(sender, url, { headers, body: '{"name":"Zoë"}' });
    expect(outcome.error).to.equal(null);
    expect(receiver.requests).to.deep.equal([
      [
        'POST /hooks/1?a=b%20c HTTP/1.1',
        `host: receiver.example.com:${receiver.port}`,
        'connection: keep-alive',
        'Content-Type: application/json',
        'Service-Event-Id: evt_1',
        'content-length: 15',
        '',
        '{"name":"Zoë"}',
      ].join('\r\n'),
    ]);
  });

  it('the sender tries the next address when the first refuses the connection', async () => {
    const { send } = await receiverAndSender([['127.0.0.2', '127.0.0.1']]);
    expect((await send()).error).to.equal(null);
  });

  it('the sender throws for headers that HTTP cannot carry, since no receiver is to blame', async () => {
    const { receiver, sender, local } = await receiverAndSender();
    const failure = await post(sender, local, { headers: { 'X-A': 'b\r\nX-C: d' } }).catch((error: unknown) => error);
    expect(failure).to.be.an.instanceOf(Error);
    expect(receiver.requests).to.deep.equal([]);
  });

  describe('and non-public addresses', () => {
    const blocked = { error: 'blocked_address', sockets: 0 };

    it('the sender opens no socket to a literal, whatever its spelling', async () => {
      const receiver = await receiverThat(thanks);
      const sender = newSender({ allowed: [] });
      for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '0']) {
        for (const scheme of ['http', 'https']) {
          expect(await sendCounting(sender, `${scheme}://${host}:${receiver.port}/`), host).to.deep.equal(blocked);
        }
      }
      expect(receiver.connections.length).to.equal(0);
    });

    it('the sender opens no socket to localhost, or to a name that leads there', async () => {
      const sender = newSender({ dns: [['127.0.0.1']], allowed: [] });
      for (const host of ['localhost', 'a.localhost', 'db.internal', 'example.com']) {
        expect(await sendCounting(sender, `https://${host}/`), host).to.deep.equal(blocked);
      }
    });

    it('the sender opens no socket, and uses no kept one, once DNS names a non-public address', async () => {
      const { receiver, sender } = await receiverAndSender([['127.0.0.1'], ['169.254.169.254']]);
      const url = `http://example.com:${receiver.port}/`;
      expect(await sendCounting(sender, url)).to.deep.equal({ error: null, sockets: 1 });
      expect(await sendCounting(sender, url)).to.deep.equal(blocked);
      expect(receiver.requests.length).to.equal(1);
    });

    it('the sender follows no redirect to a non-public address', async () => {
      const target = await receiverThat(thanks);
      const location = `Location: http://127.0.0.1:${target.port}/`;
      for (const status of ['301 Moved', '302 Found', '303 See Other', '307 Temporary', '308 Permanent']) {
        const { sender, local } = await receiverAndSender([], (socket) => socket.write(reply(status, [location])));
        expect(await sendCounting(sender, local), status).to.deep.equal({ error: 'http_status', sockets: 1 });
      }
      expect(target.connections.length).to.equal(0);
    });

    it('the sender sends no byte on a socket whose peer is not among the judged addresses', async () => {
      let received = 0;
      const listener = await startListener((socket) => {
        socket.on('data', (chunk) => {
          received += chunk.length;
        });
      });
      afterThisTest(listener.close);
      // For a literal the operating system connects to the literal, so this is what a lookup gone wrong looks like.
      for (const scheme of ['http', 'https']) {
        const url = new URL(`${scheme}://127.0.0.1:${listener.port}/`);
        const noTimeout = new AbortController().signal;
        const connecting = await openConnection('', url, ['127.0.0.2'], tls.createSecureContext(), noTimeout);
        expect(connecting, scheme).to.equal('blocked_address');
      }
      expect(received).to.equal(0);
    });
  });

  describe('and kept connections', () => {
    it('the sender sends consecutive requests on the same connection', async () => {
      const { receiver, send } = await receiverAndSender([['127.0.0.1']]);
      for (let n = 0; n < 20; n++) await send('example.com', `/${n}`);
      expect(receiver.requests.length).to.equal(20);
      expect(receiver.connections.length).to.equal(1);
    });

    it('the sender never sends two requests on one connection at the same time', async () => {
      const { receiver, send } = await receiverAndSender([['127.0.0.1']]);
      await Promise.all([send(), send(), send()]);
      expect(receiver.connections.length).to.equal(3);
    });

    it('the sender uses no kept connection to an address that DNS no longer names', async () => {
      const { receiver, send } = await receiverAndSender([['127.0.0.1'], ['127.0.0.2']]);
      expect((await send()).error).to.equal(null);
      // Nobody listens there, so the only way to succeed would be the kept connection.
      expect((await send()).error).not.to.equal(null);
      expect(receiver.requests.length).to.equal(1);
    });

    it('the sender uses no kept connection of another origin', async () => {
      const { receiver, send } = await receiverAndSender([['127.0.0.1']]);
      await send('one.example.com');
      await send('two.example.com');
      expect(receiver.connections.length).to.equal(2);
    });

    it('the sender uses no kept connection of another endpoint, also at the same address', async () => {
      const { receiver, sender, local } = await receiverAndSender();
      for (const endpointId of ['we_1', 'we_2', 'we_1']) await post(sender, local, { endpointId });
      expect(receiver.requests.length).to.equal(3);
      expect(receiver.connections.length).to.equal(2);
    });

    it('the sender uses no connection that the receiver wants closed, or whose exchange did not end cleanly', async () => {
      const replies = [
        reply('200 OK', ['Connection: close']),
        'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n',
        `${reply('200 OK')}more`,
      ];
      for (const text of replies) {
        const { receiver, sender, local } = await receiverAndSender([], (socket) => socket.write(text));
        for (let n = 0; n < 3; n++) await post(sender, local);
        expect(receiver.connections.length, text).to.equal(3);
      }
    });

    it('the sender opens a new connection, without a failed attempt, when the receiver has closed the kept one', async () => {
      const { receiver, sender, local } = await receiverAndSender();
      let guarded = 0;
      const mayWrite = () => {
        guarded += 1;
        return true;
      };
      await post(sender, local, { mayWrite });
      // From the check phase of the loop, so that the close is noticed in the poll phase before the request is written.
      await eventLoopTurn();
      receiver.connections[0]?.destroy();
      const outcome = await post(sender, local, { mayWrite });
      expect(outcome.error).to.equal(null);
      expect(receiver.requests.length).to.equal(2);
      expect(guarded).to.equal(2);
    });

    it('the sender closes idle connections after a while, and at once when it is closed', async () => {
      const { receiver, sender, send } = await receiverAndSender();
      await send('127.0.0.1');
      const [first] = receiver.connections;
      if (first) await once(first, 'close');
      await send('127.0.0.1');
      const [, second] = receiver.connections;
      sender.close();
      if (second) await once(second, 'close');
      expect(receiver.connections.length).to.equal(2);
    });
  });

  describe('and its guard', () => {
    it('the guard stops every byte of the request when it refuses, on a new connection or a kept one', async () => {
      const { receiver, sender, local } = await receiverAndSender();
      for (let time = 1; time <= 2; time++) {
        expect((await post(sender, local, { mayWrite: () => false })).error).to.equal('not_sent');
        await post(sender, local);
      }
      expect(receiver.requests.length).to.equal(2);
    });

    it('the guard is asked once, and not before a connection is there', async () => {
      let asked = 0;
      const mayWrite = () => {
        asked += 1;
        return true;
      };
      const { sender, local } = await receiverAndSender([[]]);
      // Nobody listens on port 1.
      for (const url of ['https://example.com/', 'https://10.0.0.1/', 'http://127.0.0.1:1/']) {
        expect((await post(sender, url, { mayWrite })).error, url).not.to.equal(null);
      }
      expect(asked).to.equal(0);
      await post(sender, local, { mayWrite });
      expect(asked).to.equal(1);
    });
  });
});
