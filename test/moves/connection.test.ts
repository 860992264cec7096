import { expect } from 'chai';
import { connect } from '../../src/moves/connection.ts';
import { createDatabase, query } from '../harness/database.ts';

describe('a connection of a move', () => {
  /** Settings that a database may have for its services, and that would end a copy or change the text of its values. */
  const OF_DATABASE = {
    bytea_output: 'escape',
    client_connection_check_interval: '0',
    datestyle: 'SQL, DMY',
    default_transaction_isolation: 'serializable',
    extra_float_digits: '-5',
    idle_in_transaction_session_timeout: '5s',
    idle_session_timeout: '5s',
    intervalstyle: 'sql_standard',
    lock_timeout: '2s',
    quote_all_identifiers: 'on',
    statement_timeout: '15s',
    tcp_keepalives_count: '9',
    tcp_keepalives_idle: '7200',
    tcp_keepalives_interval: '75',
    tcp_user_timeout: '0',
    timezone: 'Asia/Tokyo',
    transaction_timeout: '60s',
  };

  it('a move has its own limits, keepalives and formats of values, whatever the database sets for its sessions', async () => {
    const databaseUrl = await createDatabase();
    const known = await query<{ name: string }>(
      databaseUrl,
      'select lower(name) as name from pg_settings where lower(name) = any ($1)',
      [Object.keys(OF_DATABASE)],
    );
    const { pathname } = new URL(databaseUrl);
    for (const [name, value] of Object.entries(OF_DATABASE).filter(([name]) => known.some((row) => row.name === name)))
      await query(databaseUrl, `alter database ${pathname.slice(1)} set ${name} = '${value}'`);
    // The service reads dates in any form, so its URL may name one.
    const client = await connect(`${databaseUrl}?options=-c%20datestyle%3DGerman`);
    try {
      const { rows } = await client.query<{ name: string; value: string }>(
        'select lower(name) as name, setting as value from pg_settings where lower(name) = any ($1)',
        [Object.keys(OF_DATABASE)],
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
        ...(rows.some(({ name }) => name === 'transaction_timeout') ? { transaction_timeout: '0' } : {}),
      });
    } finally {
      await client.end();
    }
  });
});
