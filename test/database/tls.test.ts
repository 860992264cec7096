import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { createOrm } from '../../src/main/processes/shared.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { databaseUrlFaults, serviceConnection } from '../../src/platform/database/connection/connection.ts';
import { checkSession } from '../../src/platform/database/connection/session-check.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { createEmptyDatabase } from '../harness/database.ts';
import { leaveOut } from '../harness/leave-out.ts';
import { fixture, TlsServer, VERIFIED } from './tls-server.ts';

const OURS = `
  select a.application_name as name, s.ssl, s.client_dn as certificate, current_setting('work_mem') as memory
  from pg_stat_ssl s join pg_stat_activity a using (pid) where a.pid = pg_backend_pid()`;

const CLIENT_CERTIFICATE = `sslcert=${fixture('receiver.cert.pem')}&sslkey=${fixture('receiver.key.pem')}`;

/** Returns the TLS state of the ORM's connections. */
async function ormSession(url: string): Promise<object[]> {
  const orm = createOrm(url, createLogger('silent'), 2);
  try {
    // Two at once, because the second connection of a pool is made from what the first has left of its configuration.
    const both = await Promise.all(
      [1, 2].map(() => orm.em.fork().execute<object[]>(`${OURS} and pg_sleep(0.1) is not null`)),
    );
    return both.flat();
  } finally {
    await orm.close();
  }
}

async function refusal(url: string): Promise<string> {
  return checkSession(serviceConnection(url)).then(
    () => 'accepted',
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

/** Listens on ::1 for the server; null where the machine has no such address. */
async function forwardIpv6(server: TlsServer): Promise<Server | null> {
  const { port } = new URL(server.url);
  const forward = createServer((client) => {
    const target = connect(Number(port), '127.0.0.1');
    client.pipe(target).pipe(client);
    for (const socket of [client, target]) {
      socket.on('error', () => undefined).on('close', () => [client, target].map((one) => one.destroy()));
    }
  });
  return new Promise((resolve) => {
    forward.once('error', () => resolve(null));
    forward.listen(0, '::1', () => resolve(forward));
  });
}

describe('connections to a database', () => {
  let server: TlsServer;

  before(async () => {
    server = await TlsServer.start();
  });

  after(() => server.stop());

  it('connections to a database are encrypted, and named and set as the address says, for the ORM and migrations', async () => {
    await server.present('receiver.cert.pem');
    const url = `${server.url}?${VERIFIED}&application_name=mine&options=-c%20work_mem=7MB`;
    await migrate(url, createLogger('silent'));
    expect(await refusal(url)).to.equal('accepted');
    const [first, second] = await ormSession(url);
    expect(first).to.deep.equal({ name: 'mine', ssl: true, certificate: null, memory: '7MB' });
    expect(second).to.deep.equal(first);
  });

  it('connections to a database work with a server that takes encrypted connections only, and end a start without TLS with the next step', async () => {
    await server.present('receiver.cert.pem', 'hostssl all all all scram-sha-256');
    await migrate(`${server.url}?${VERIFIED}`, createLogger('silent'));
    expect(await refusal(`${server.url}?${VERIFIED}`)).to.equal('accepted');
    expect(await refusal(server.url)).to.match(/UnusableDatabase: .*refuses.*28000/);
  });

  it('connections to a database prove who they are by the client certificate of the address, which takes the place of a password', async () => {
    await server.present(
      'receiver.cert.pem',
      'hostssl all all all cert map=clients',
      'clients "paylinks test receiver" paylinks',
    );
    const withoutPassword = new URL(server.url);
    withoutPassword.password = '';
    const url = `${withoutPassword}?${VERIFIED}`;
    await migrate(`${url}&${CLIENT_CERTIFICATE}`, createLogger('silent'));
    expect(await refusal(`${url}&${CLIENT_CERTIFICATE}`)).to.equal('accepted');
    for (const session of await ormSession(`${url}&${CLIENT_CERTIFICATE}`)) {
      expect(session).to.include({ certificate: '/CN=paylinks test receiver' });
    }
    expect(await refusal(url)).to.match(/UnusableDatabase: .*refuses.*28000/);
  });

  it('connections to a database reach a server at an IPv6 address in brackets, and verify its certificate for that address', async function () {
    await server.present('receiver.cert.pem');
    const forward = await forwardIpv6(server);
    // Some containers have no IPv6 loopback.
    if (forward === null) return leaveOut(this, 'no IPv6 loopback');
    afterThisTest(() => forward.close());
    const url = new URL(server.url);
    const address = forward.address();
    url.hostname = '[::1]';
    url.port = `${typeof address === 'object' ? address?.port : ''}`;
    expect(await refusal(`${url}?${VERIFIED}`)).to.equal('accepted');
    const [session] = await ormSession(`${url}?${VERIFIED}`);
    expect(session).to.include({ name: 'paylinks', ssl: true });
    await server.present('other-host.cert.pem');
    expect(await refusal(`${url}?${VERIFIED}`)).to.match(/UnusableDatabase: .*not for the host ::1/);
  });

  it('connections to a database refuse a server whose certificate is for another host, and name it, with a client certificate as well', async () => {
    await server.present('other-host.cert.pem', 'hostssl all all all scram-sha-256 clientcert=verify-ca');
    for (const more of ['', `&${CLIENT_CERTIFICATE}`]) {
      expect(await refusal(`${server.url}?${VERIFIED}${more}`)).to.match(
        /UnusableDatabase: .*not for the host 127\.0\.0\.1.*other\.example\.com/,
      );
    }
  });

  it('connections to a database refuse a server whose certificate has a key that is too weak, and say so', async () => {
    const [key, cert] = ['weak.key.pem', 'weak.cert.pem'].map((name) => readFileSync(fixture(name)));
    const secureContext = createSecureContext({ key, cert, ciphers: 'DEFAULT:@SECLEVEL=0' });
    const weak = createServer((client) => {
      client.on('error', () => undefined);
      // The answer to PostgreSQL's request for TLS.
      client.once('data', () => {
        client.write('S');
        new TLSSocket(client, { isServer: true, secureContext }).on('error', () => undefined);
      });
    });
    await once(weak.listen(0, '127.0.0.1'), 'listening');
    afterThisTest(() => weak.close());
    const address = weak.address();
    const port = typeof address === 'object' ? address?.port : '';
    const parameters = `sslmode=verify-full&sslrootcert=${fixture('weak.cert.pem')}`;
    expect(await refusal(`postgres://paylinks@127.0.0.1:${port}/paylinks?${parameters}`)).to.match(
      /UnusableDatabase: .*certificate can't be verified \(UNSPECIFIED\): subject/,
    );
  });

  it('connections to a database refuse a server without TLS when the address asks for it', async () => {
    expect(await refusal(`${await createEmptyDatabase()}?${VERIFIED}`)).to.match(
      /UnusableDatabase: .*TLS switched off/,
    );
  });

  it('connections to a database verify a server at an address for that address, and not for the name localhost', async () => {
    await server.present('localhost.cert.pem');
    const parameters = `sslmode=verify-full&sslrootcert=${fixture('localhost.cert.pem')}`;
    const byName = new URL(server.url);
    byName.hostname = 'localhost';
    expect(await refusal(`${byName}?${parameters}`)).to.equal('accepted');
    expect(await refusal(`${server.url}?${parameters}`)).to.match(/UnusableDatabase: .*not for the host 127\.0\.0\.1/);
  });

  it('connections to a database are not made by an address with an unknown parameter, and its value is not repeated', () => {
    const [fault, ...others] = databaseUrlFaults('postgres://u:secret@[::1]/db?sslmod=hidden');
    expect(others).to.deep.equal([]);
    expect(fault).to.include('sslmod is unknown').and.not.include('hidden').and.not.include('secret');
  });
});
