import { execFile } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Sender } from '../../src/webhooks/send/send.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import {
  type Behaviour,
  certificate,
  type Receiver,
  receiverKey,
  reply,
  startListener,
  startReceiver,
} from './fixtures/receivers.ts';
import { newSender, post, receiverThat } from './fixtures/senders.ts';

const thanks: Behaviour = (socket) => socket.write(reply('200 OK'));
const caFile = fileURLToPath(new URL('./fixtures/ca.cert.pem', import.meta.url));
const sendOnce = fileURLToPath(new URL('./fixtures/send-once.ts', import.meta.url));

describe('webhook attempt over TLS', () => {
  const receiverWith = (name: string, more: object = {}) =>
    receiverThat(thanks, { key: receiverKey(), cert: certificate(name), ...more });

  const trusting = () => newSender({ dns: [['127.0.0.1']], extraCa: [certificate('ca')] });

  async function errorOf(sender: Sender, host: string, port: number) {
    return (await post(sender, `https://${host}:${port}/`)).error;
  }

  it('an attempt succeeds with a certificate for the host name, or for the address, and not for another name there', async () => {
    const receiver = await receiverWith('receiver');
    expect(await errorOf(trusting(), 'receiver.example.com', receiver.port)).to.equal(null);
    expect(await errorOf(trusting(), '127.0.0.1', receiver.port)).to.equal(null);
    expect(await errorOf(trusting(), 'localhost', receiver.port)).to.equal(null);
    expect(await errorOf(trusting(), 'other.example.com', receiver.port)).to.equal('tls_error');
  });

  it('an attempt sends the host name of the URL in the handshake, and no address', async () => {
    const names: string[] = [];
    const receiver = await receiverWith('receiver', {
      SNICallback: (name: string, done: (error: null) => void) => {
        names.push(name);
        done(null);
      },
    });
    await errorOf(trusting(), 'receiver.example.com', receiver.port);
    await errorOf(trusting(), '127.0.0.1', receiver.port);
    expect(names).to.deep.equal(['receiver.example.com']);
    expect(receiver.requests[0]).to.include(`\r\nhost: receiver.example.com:${receiver.port}\r\n`);
  });

  it('an attempt fails with tls_error with a certificate that has expired, is for another host or signed itself, and sends nothing', async () => {
    for (const name of ['expired', 'other-host', 'self-signed']) {
      const receiver = await receiverWith(name);
      expect(await errorOf(trusting(), 'receiver.example.com', receiver.port), name).to.equal('tls_error');
      expect(receiver.requests, name).to.deep.equal([]);
    }
  });

  it('an attempt fails with tls_error with a certificate of an unknown CA', async () => {
    const receiver = await receiverWith('receiver');
    expect(await errorOf(newSender({ dns: [['127.0.0.1']] }), 'receiver.example.com', receiver.port)).to.equal(
      'tls_error',
    );
  });

  it('an attempt fails with tls_error when the receiver wants a client certificate', async () => {
    // Up to TLS 1.2 the handshake fails; since then the alert comes after it.
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3']) {
      const receiver = await receiverWith('receiver', { requestCert: true, ca: certificate('ca'), maxVersion });
      expect(await errorOf(trusting(), '127.0.0.1', receiver.port), maxVersion).to.equal('tls_error');
    }
  });

  it('an attempt fails with tls_error when the reply is not TLS', async () => {
    const tunnel: { toSender?: Socket } = {};
    const garble: Behaviour = () => tunnel.toSender?.write('no record at all');
    const receiver = await receiverThat(garble, { key: receiverKey(), cert: certificate('receiver') });
    const between = await startListener((socket) => {
      tunnel.toSender = socket;
      const toReceiver = connect(receiver.port, '127.0.0.1');
      toReceiver.on('error', () => undefined);
      socket.pipe(toReceiver).pipe(socket);
    });
    afterThisTest(between.close);
    expect(await errorOf(trusting(), '127.0.0.1', between.port)).to.equal('tls_error');
  });

  it('an attempt fails with tls_error when the receiver speaks plain HTTP, or an old TLS only', async () => {
    const plain = await startListener((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    afterThisTest(plain.close);
    expect(await errorOf(trusting(), '127.0.0.1', plain.port)).to.equal('tls_error');
    const old = await receiverWith('receiver', {
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'ALL@SECLEVEL=0',
    });
    expect(await errorOf(trusting(), '127.0.0.1', old.port)).to.equal('tls_error');
  });

  it('an attempt fails with timeout when the receiver does not answer the handshake', async () => {
    const silent = await startListener(() => undefined);
    afterThisTest(silent.close);
    expect(await errorOf(newSender({ timeoutMs: 100 }), '127.0.0.1', silent.port)).to.equal('timeout');
  });

  it('an attempt fails with connection_error when the connection breaks during the handshake', async () => {
    const resetting = await startListener((socket) => socket.once('data', () => socket.resetAndDestroy()));
    afterThisTest(resetting.close);
    expect(await errorOf(trusting(), '127.0.0.1', resetting.port)).to.equal('connection_error');
  });
});

describe('webhook attempt in an environment with', () => {
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver(thanks, { key: receiverKey(), cert: certificate('receiver') });
  });

  after(() => receiver.close());

  async function errorWith(environment: NodeJS.ProcessEnv): Promise<unknown> {
    const { stdout } = await promisify(execFile)(process.execPath, [sendOnce, `https://127.0.0.1:${receiver.port}/`], {
      env: { ...process.env, ...environment },
    });
    return JSON.parse(stdout).error;
  }

  it('a process with NODE_TLS_REJECT_UNAUTHORIZED=0 still verifies certificates', async () => {
    expect(await errorWith({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })).to.equal('tls_error');
  });

  it('a process with proxy variables uses no proxy, and trusts the certificates of NODE_EXTRA_CA_CERTS', async () => {
    const proxy = await startListener((socket) => socket.destroy());
    const address = `http://127.0.0.1:${proxy.port}`;
    const variables = {
      HTTP_PROXY: address,
      HTTPS_PROXY: address,
      ALL_PROXY: address,
      NO_PROXY: '',
      NODE_USE_ENV_PROXY: '1',
    };
    const lower = { http_proxy: address, https_proxy: address, all_proxy: address, no_proxy: '' };
    expect(await errorWith({ ...variables, ...lower, NODE_EXTRA_CA_CERTS: caFile })).to.equal(null);
    expect(proxy.connections.length).to.equal(0);
    await proxy.close();
  });
});
