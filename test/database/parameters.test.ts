import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { databaseUrlFaults, PARAMETERS, serviceConnection } from '../../src/platform/database/connection/connection.ts';
import { createPool } from '../../src/platform/database/connection/pool.ts';
import { createEmptyDatabase } from '../harness/database.ts';
import { checkout } from '../harness/processes.ts';
import { fixture } from './tls-server.ts';

const BASE = 'postgres://user:word@db.example/paylinks';

/** Returns the values of the settings in a session of a pool for this address. */
async function sessionSettings(url: string, names: string[]): Promise<string[]> {
  const pool = createPool(serviceConnection(url), 1, createLogger('silent'));
  try {
    const { rows } = await pool.query<{ value: string }>(
      'select current_setting(name) as value from unnest($1::text[]) with ordinality as n (name, at) order by at',
      [names],
    );
    return rows.map(({ value }) => value);
  } finally {
    await pool.end();
  }
}

describe('the parameters of a database’s address', () => {
  it('the parameters of a database’s address, and its options, take precedence over the settings of the service', async () => {
    const url = await createEmptyDatabase();
    const names = ['lock_timeout', 'statement_timeout', 'jit', 'work_mem', 'application_name', 'TimeZone'];
    expect(await sessionSettings(url, names)).to.deep.equal(['2s', '15s', 'off', '4MB', 'paylinks', 'UTC']);
    const options = encodeURIComponent('-c JIT=on --statement-timeout=7s -c work_mem=7MB');
    const own = `${url}?lock_timeout=0003000&application_name=mine&options=${options}`;
    expect(await sessionSettings(own, names)).to.deep.equal(['3s', '7s', 'on', '7MB', 'mine', 'UTC']);
  });

  it('the parameters of a database’s address never mean less encryption than they say', () => {
    const read = (query: string) => {
      const { ssl } = serviceConnection(`${BASE}?${query}`);
      return typeof ssl === 'object' ? ssl.rejectUnauthorized : ssl;
    };
    for (const verified of ['prefer', 'require', 'verify-ca', 'verify-full', 'other'])
      expect(read(`sslmode=${verified}`), verified).to.equal(true);
    expect(['ssl=true', 'ssl=1', 'ssl=0&sslmode=require', 'sslnegotiation=direct'].map(read)).to.deep.equal(
      Array.from({ length: 4 }, () => true),
    );
    expect(['sslmode=no-verify', 'ssl=no-verify', 'sslmode=require&uselibpqcompat=true'].map(read)).to.deep.equal([
      ...[false, false, false],
    ]);
    expect(['sslmode=disable', 'ssl=false', 'ssl=0', ''].map(read)).to.deep.equal([false, false, false, undefined]);
  });

  it('the parameters of a database’s address may name a host, a Unix socket, or an IPv6 address', () => {
    for (const [url, host] of [
      ['postgres://u@/db?host=/run/postgresql', '/run/postgresql'],
      ['postgres://u:p@%2Frun%2Fpostgresql/db', '/run/postgresql'],
      ['postgres://u:p@[::1]:5433/db', '::1'],
      ['postgresql://u:p@a.example/db?host=b.example&port=5433', 'b.example'],
    ] as const) {
      expect(serviceConnection(url), url).to.include({ host, user: 'u', database: 'db' });
    }
  });

  it('the parameters of a database’s address that cannot work are faults, which repeat no value', () => {
    for (const [url, fault] of [
      ['mysql://user:word@db.example/paylinks', /must be a postgres:/],
      ['postgres://user:wo?word@db.example/paylinks', /^DATABASE_URL must be a postgres:/],
      ['postgres://user:wo#rd@db.example/paylinks', /must be a postgres:/],
      ['postgres://user:word@db.example', /must name a database/],
      [`${BASE}?sslmod=word`, /the parameter sslmod is unknown/],
      [`${BASE}?connect_timeout=5`, /the parameter connect_timeout is unknown/],
      [`${BASE}?ssl=word`, /ssl must be one of/],
      [`${BASE}?sslnegotiation=word`, /sslnegotiation must be/],
      [`${BASE}?client_encoding=LATIN1`, /client_encoding must be UTF8/],
      [`${BASE}?lock_timeout=word`, /lock_timeout must be a whole number/],
      [`${BASE}?options=-c%20TimeZone%3Dword`, /must leave timezone alone/],
      [`${BASE}?sslrootcert=/nowhere.pem`, /ENOENT.*nowhere/],
      [`${BASE}?sslcert=${fixture('receiver.cert.pem')}&sslkey=${fixture('receiver.cert.pem')}`, /cannot be used/],
    ] as const) {
      const faults = databaseUrlFaults(url);
      expect(faults, url).to.have.length(1);
      expect(faults[0])
        .to.match(fault)
        .and.not.match(/word@|=word/);
    }
  });

  it('the parameters of a database’s address are all described in the guide for operators, which describes no other', () => {
    const guide = readFileSync(join(checkout, 'docs/operations/install.md'), 'utf8');
    const [, section = ''] = guide.split(/^### The database's address$/m);
    const rows = [...(section.split(/^#/m)[0] ?? '').matchAll(/^\| (`[^|]*) \|/gm)];
    const described = rows.flatMap(([, names = '']) => names.split(', ').map((name) => name.replaceAll('`', '')));
    expect(described).to.have.members([...PARAMETERS]);
  });
});
