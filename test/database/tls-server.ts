import { chmodSync, chownSync, copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type EmbeddedPostgres, startEmbeddedPostgres } from 'development-postgres';
import { query } from '../harness/database.ts';
import { postgresMajor } from '../harness/postgres-major.ts';
import { newScratchFolder } from '../harness/scratch.ts';

/** The file of a certificate or key among the fixtures. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../webhooks/fixtures/${name}`, import.meta.url));
}

/** Parameters of an address that verifies the server by the CA of the fixtures. */
export const VERIFIED = `sslmode=verify-full&sslrootcert=${encodeURIComponent(fixture('ca.cert.pem'))}`;

/** The name of the test's own connections, by which the server's log distinguishes them from those of the service. */
const OWN_NAME = 'tls test';

/** A PostgreSQL server with TLS switched on, which logs every connection. */
export class TlsServer {
  readonly #postgres: EmbeddedPostgres;
  readonly #directory: string;
  readonly #data: string;

  private constructor(postgres: EmbeddedPostgres, directory: string, data: string) {
    this.#postgres = postgres;
    this.#directory = directory;
    this.#data = data;
  }

  static async start(): Promise<TlsServer> {
    const directory = newScratchFolder('tls');
    const postgres = await startEmbeddedPostgres({ directory, isDurable: false, major: postgresMajor });
    const [row] = await query<{ data_directory: string }>(postgres.url, 'show data_directory');
    const server = new TlsServer(postgres, directory, row?.data_directory ?? '');
    server.#install('ca.cert.pem', 'ca.crt');
    for (const setting of ["ssl_ca_file = 'ca.crt'", 'log_connections = on', 'ssl = on']) {
      await query(postgres.url, `alter system set ${setting}`);
    }
    return server;
  }

  /** The database's address, without parameters. */
  get url(): string {
    return this.#postgres.url;
  }

  /** Presents a certificate of the fixtures from now on, and admits as the lines of pg_hba.conf say. */
  async present(certificate: string, admits = 'host all all all scram-sha-256', users = ''): Promise<void> {
    this.#install(certificate, 'server.crt');
    this.#install('receiver.key.pem', 'server.key');
    chmodSync(join(this.#data, 'server.key'), 0o600);
    writeFileSync(join(this.#data, 'pg_hba.conf'), `${admits}\n`);
    writeFileSync(join(this.#data, 'pg_ident.conf'), `${users}\n`);
    await this.#postgres.restart('fast');
  }

  /** Runs a statement on a connection of the test's own. */
  query<Row extends object>(text: string): Promise<Row[]> {
    const url = `${this.url}?sslmode=no-verify&application_name=${encodeURIComponent(OWN_NAME)}`;
    return query<Row & Record<string, unknown>>(url, text);
  }

  /** The server's log lines about connections of others than the test, one for each that was made. */
  connectionsOfOthers(): string[] {
    const log = readFileSync(join(this.#directory, 'server.log'), 'utf8');
    return log
      .split('\n')
      .filter((line) => line.includes('connection authorized') && !line.includes(`application_name=${OWN_NAME}`));
  }

  async stop(): Promise<void> {
    await this.#postgres.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #install(name: string, as: string): void {
    const { uid, gid } = statSync(this.#data);
    const path = join(this.#data, as);
    copyFileSync(fixture(name), path);
    chownSync(path, uid, gid);
  }
}
