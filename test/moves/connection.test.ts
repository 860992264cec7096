import { expect } from 'chai';
import { connect } from '../../src/moves/connection.ts';
import { createDatabase, query } from '../harness/database.ts';

/** Settings that would end a copy, or keep the server from noticing that its command is gone. */
const LIMITS = {
  client_connection_check_interval: '0',
  idle_in_transaction_session_timeout: '5s',
  idle_session_timeout: '5s',
  lock_timeout: '2s',
  statement_timeout: '15s',
  tcp_keepalives_count: '9',
  tcp_keepalives_idle: '7200',
  tcp_keepalives_interval: '75',
  tcp_user_timeout: '0',
  transaction_timeout: '60s',
};

/** Settings that would change the text of copied values. */
const FORMATS = {
  bytea_output: 'escape',
  datestyle: 'SQL, DMY',
  default_transaction_isolation: 'serializable',
  extra_float_digits: '-5',
  intervalstyle: 'sql_standard',
  quote_all_identifiers: 'on',
};

/** A database may have a time zone; a URL that sets one is refused. */
const TIME_ZONE = { timezone: 'Asia/Tokyo' };

const ALL = { ...LIMITS, ...FORMATS, ...TIME_ZONE };

describe('a connection of a move', () => {
  let databaseUrl: string;
  /** Settings that this version of PostgreSQL has. */
  let known: string[];

  beforeEach(async () => {
    databaseUrl = await createDatabase();
    const names = 'select lower(name) as name from pg_settings where lower(name) = any ($1)';
    const rows = await query<{ name: string }>(databaseUrl, names, [Object.keys(ALL)]);
    known = rows.map(({ name }) => name);
  });

  const knownOf = (settings: Readonly<Record<string, string>>) =>
    Object.entries(settings).filter(([name]) => known.includes(name));

  /** Expects that a move which connects to that address has its own settings. */
  async function expectOwnSettings(url: string): Promise<void> {
    const client = await connect(url);
    try {
      const { rows } = await client.query<{ name: string; value: string }>(
        'select lower(name) as name, setting as value from pg_settings where lower(name) = any ($1)',
        [Object.keys(ALL)],
      );
      expect(Object.fromEntries(rows.map(({ name, value }) => [name, value]))).to.deep.equal({
        bytea_output: 'hex',
        client_connection_check_interval: '1000',
        datestyle: 'ISO, MDY',
        default_transaction_isolation: 'read committed',
        extra_float_digits: '1',
        idle_in_transaction_session_timeout: '0',
        idle_session_timeout: '0',
        intervalstyle: 'postgres',
        lock_timeout: '0',
        quote_all_identifiers: 'off',
        statement_timeout: '0',
        tcp_keepalives_count: '3',
        tcp_keepalives_idle: '30',
        tcp_keepalives_interval: '10',
        tcp_user_timeout: '60000',
        timezone: 'UTC',
        ...(known.includes('transaction_timeout') ? { transaction_timeout: '0' } : {}),
      });
    } finally {
      await client.end();
    }
  }

  it('a move has its own limits, keepalives and formats of values, whatever the database sets for its sessions', async () => {
    const name = new URL(databaseUrl).pathname.slice(1);
    for (const [setting, value] of knownOf(ALL))
      await query(databaseUrl, `alter database ${name} set ${setting} = '${value}'`);
    await expectOwnSettings(databaseUrl);
  });

  it('a move has its own limits, keepalives and formats of values, whatever the options of its address set', async () => {
    const url = new URL(databaseUrl);
    const options = knownOf({ ...LIMITS, ...FORMATS }).map(
      ([name, value]) => `-c ${name}=${value.replace(' ', '\\ ')}`,
    );
    url.searchParams.set('options', options.join(' '));
    await expectOwnSettings(url.href);
  });

  it('a move has its own limits and keepalives, whatever the parameters of its address set', async () => {
    const url = new URL(databaseUrl);
    for (const name of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
      url.searchParams.set(name, '5000');
    await expectOwnSettings(url.href);
  });
});
