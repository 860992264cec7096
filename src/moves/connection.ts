import type { Client } from 'pg';
import { connectionTo } from '../database/connection/connection.ts';
import { SessionClient } from '../database/connection/session-client.ts';

/**
 * Settings that decide which text a value or a name has, and what a transaction sees. Values pass from one cell to the other as
 * text, and are compared as text. So neither a database nor its URL may set them in another way.
 */
const FORMATS = {
  bytea_output: 'hex',
  datestyle: 'ISO, MDY',
  default_transaction_isolation: 'read committed',
  extra_float_digits: '1',
  intervalstyle: 'postgres',
  quote_all_identifiers: 'off',
};

/** Settings by which the server notices within a minute that the command's process or machine is gone. */
const SESSION = [
  '-c timezone=UTC -c client_connection_check_interval=1000 -c idle_session_timeout=0',
  '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3 -c tcp_user_timeout=60000',
].join(' ');

/** Switches a limit off that PostgreSQL has since 17. */
const WITHOUT_TRANSACTION_TIMEOUT = `select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'`;

/**
 * Connection of a move. A copy may take long, and its statements have no time limits. If the command's process or machine is
 * gone, the server ends the session within a minute, so that its locks and snapshots do not stay.
 */
export async function connect(databaseUrl: string): Promise<Client> {
  const connection = connectionTo(databaseUrl, {
    applicationName: 'paylinks move',
    session: SESSION,
    limits: {
      statement_timeout: 0,
      lock_timeout: 0,
      idle_in_transaction_session_timeout: 0,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    },
  });
  const client = new SessionClient({ ...connection, settings: { ...connection.settings, ...FORMATS } });
  await client.connect();
  await client.query(WITHOUT_TRANSACTION_TIMEOUT);
  return client;
}

/**
 * Runs statements in a transaction. Practices that move do not refuse its writes.
 *
 * @param mode modes of the transaction, and statements that come before its snapshot
 */
export async function inMove<T>(client: Client, work: () => Promise<T>, mode = ''): Promise<T> {
  await client.query(`begin ${mode}`);
  try {
    await client.query(`select set_config('paylinks.moves_practice', 'on', true)`);
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    // The connection may be the fault. Then the server rolls back.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/**
 * Switches triggers and checks of foreign keys off until the end of the transaction, if the role may do that. They take most of
 * the time of a copy, and a copy of a consistent snapshot needs neither.
 *
 * @returns false if the role lacks the right
 */
export async function switchTriggersOff(client: Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `select set_config('session_replication_role', 'replica', true)
     where has_parameter_privilege('session_replication_role', 'set')`,
  );
  return rowCount === 1;
}

/** Returns true if the role may make temporary tables. */
export async function mayMakeTemporaryTables(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ allowed: boolean }>(
    `select has_database_privilege(current_database(), 'temporary') as allowed`,
  );
  return rows[0]?.allowed === true;
}

/** Switches triggers on again. */
export async function switchTriggersOn(client: Client): Promise<void> {
  await client.query(
    `select set_config('session_replication_role', 'origin', true)
     where has_parameter_privilege('session_replication_role', 'set')`,
  );
}
