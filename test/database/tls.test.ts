import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createLogger } from '../../src/base/log/log.ts';
import { databaseUrlFaults } from '../../src/database/connection/connection.ts';
import { serviceConnection } from '../../src/database/connection/service-connection.ts';
import { checkSession } from '../../src/database/connection/session-check.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/server.ts';
import { createOrm, migrate } from '../../src/orm.ts';
import { query } from '../harness/database.ts';

const fixtures = fileURLToPath(new URL('../webhooks/fixtures', import.meta.url));
const CA = join(fixtures, 'ca.cert.pem');
const OURS = `
  select a.application_name as name, s.ssl, current_setting('work_mem') as memory
  from pg_stat_ssl s join pg_stat_activity a using (pid) where a.pid = pg_backend_pid()`;

describe('connections to a database', () => {
  let server: EmbeddedPostgres;
  let directory: string;

  before(async () => {
    directory = mkdtempSync(join('/tmp', 'paylinks-tls-'));
    server = await startEmbeddedPostgres({ directory, durable: false });
  });

  after(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Switches TLS on with a certificate of the fixtures, and waits until new connections have it. */
  async function present(certificate: string): Promise<void> {
    const [row] = await query<{ data_directory: string }>(server.url, 'show data_directory');
    const data = row?.data_directory ?? '';
    const { uid, gid } = statSync(data);
    for (const [from, to] of [
      [certificate, 'server.crt'],
      ['receiver.key.pem', 'server.key'],
    ] as const) {
      copyFileSync(join(fixtures, from), join(data, to));
      chownSync(join(data, to), uid, gid);
    }
    chmodSync(join(data, 'server.key'), 0o600);
    await query(server.url, 'alter system set ssl = on');
    await server.restart('fast');
  }

  async function refusal(url: string): Promise<string> {
    return checkSession(serviceConnection(url)).then(
      () => 'accepted',
      (error: Error) => `${error.name}: ${error.message}`,
    );
  }

  it('are encrypted, and named and set as the address says, for the ORM and migrations', async () => {
    await present('receiver.cert.pem');
    const url = `${server.url}?sslmode=verify-full&sslrootcert=${CA}&application_name=mine&options=-c%20work_mem=7MB`;
    await migrate(url, createLogger('silent'));
    expect(await refusal(url)).to.equal('accepted');
    const orm = createOrm(url, createLogger('silent'), 1);
    try {
      expect(await orm.em.execute(OURS)).to.deep.equal([{ name: 'mine', ssl: true, memory: '7MB' }]);
    } finally {
      await orm.close();
    }
  });

  it('refuse a server whose certificate is self-signed, and name the certificate', async () => {
    await present('self-signed.cert.pem');
    expect(await refusal(`${server.url}?sslmode=verify-full`)).to.match(
      /UnusableDatabase: .*paylinks test self-signed/,
    );
  });

  it('refuse a server whose certificate is for another host', async () => {
    await present('other-host.cert.pem');
    const url = `${server.url}?sslmode=verify-full&sslrootcert=${CA}`;
    expect(await refusal(url)).to.match(/UnusableDatabase: .*not for the host 127\.0\.0\.1.*other\.example\.com/);
  });

  it('are not made by an address with an unknown parameter, and its value is not repeated', () => {
    const [fault, ...others] = databaseUrlFaults('postgres://u:secret@[::1]/db?sslmod=hidden');
    expect(others).to.deep.equal([]);
    expect(fault).to.include('sslmod is unknown').and.not.include('hidden').and.not.include('secret');
  });
});
