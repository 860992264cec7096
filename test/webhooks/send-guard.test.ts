import { expect } from 'chai';
import { destinationPolicy } from '../../src/webhooks/send/destination.ts';
import type { Resolver } from '../../src/webhooks/send/resolver.ts';
import { createSender, type Sender } from '../../src/webhooks/send/send.ts';
import { type Receiver, reply, startReceiver } from './fixtures/receivers.ts';
import { scriptedResolver } from './fixtures/scripted-resolver.ts';

describe('the guard of a webhook attempt', () => {
  let receiver: Receiver;
  let sender: Sender | undefined;

  beforeEach(async () => {
    receiver = await startReceiver((socket) => socket.write(reply('200 OK')));
  });

  afterEach(async () => {
    await sender?.close();
    await receiver.close();
  });

  function senderWith(resolver: Resolver): Sender {
    sender = createSender({ policy: destinationPolicy(['127.0.0.1/32']), resolver, timeoutMs: 5_000 });
    return sender;
  }

  it('the guard stops every byte of the request when it refuses, on a new connection or a kept one', async () => {
    const guarded = senderWith(scriptedResolver());
    const request = { url: `http://127.0.0.1:${receiver.port}/`, headers: {}, body: '{}' };
    const refused = await guarded.send({ ...request, beforeWrite: () => false });
    expect(refused.error).to.equal('not_sent');
    await guarded.send(request);
    expect((await guarded.send({ ...request, beforeWrite: () => false })).error).to.equal('not_sent');
    await guarded.send(request);
    expect(receiver.requests.length).to.equal(2);
  });

  it('the guard is asked once, and not before a connection is there', async () => {
    let asked = 0;
    const beforeWrite = () => {
      asked += 1;
      return true;
    };
    const guarded = senderWith(scriptedResolver([]));
    const request = { url: `http://127.0.0.1:${receiver.port}/`, headers: {}, body: '{}', beforeWrite };
    await guarded.send({ ...request, url: 'https://example.com/' });
    await guarded.send({ ...request, url: 'https://10.0.0.1/' });
    await receiver.close();
    expect((await guarded.send(request)).error).to.equal('connection_error');
    expect(asked).to.equal(0);
    receiver = await startReceiver((socket) => socket.write(reply('200 OK')));
    await guarded.send({ ...request, url: `http://127.0.0.1:${receiver.port}/` });
    expect(asked).to.equal(1);
  });

  it('the guard passes its own errors through the sender', async () => {
    const fault = new Error('no lease');
    const beforeWrite = () => {
      throw fault;
    };
    const url = `http://127.0.0.1:${receiver.port}/`;
    const sending = senderWith(scriptedResolver()).send({ url, headers: {}, body: '{}', beforeWrite });
    expect(await sending.catch((error: unknown) => error)).to.equal(fault);
    expect(receiver.requests.length).to.equal(0);
  });
});
