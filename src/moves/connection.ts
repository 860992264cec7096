import type { Client } from 'pg';
import { connectionTo, WITHOUT_TIME_LIMITS } from '../database/connection/connection.ts';
import { SessionClient } from '../database/connection/session-client.ts';

/**
 * Settings that decide which text a value or a name has, and what a transaction sees. Values pass from one cell to the other as
 * text, and are compared as text.
 */
const FORMATS = {
  bytea_output: 'hex',
  datestyle: 'ISO, MDY',
  default_transaction_isolation: 'read committed',
  extra_float_digits: '1',
  intervalstyle: 'postgres',
  quote_all_identifiers: 'off',
  timezone: 'UTC',
};

/** Settings by which the server notices within a minute that the command's process or machine is gone. */
const CHECKS_OF_CLIENT = {
  client_connection_check_interval: '1000',
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '60000',
};

/**
 * Connection of a move. A copy may take long, and its statements have no time limits. If the command's process or machine is
 * gone, the server ends the session within a minute, so that its locks and snapshots do not stay.
 */
export async function connect(databaseUrl: string): Promise<Client> {
  const fixed = { ...WITHOUT_TIME_LIMITS, ...FORMATS, ...CHECKS_OF_CLIENT };
  const connection = connectionTo(databaseUrl, { applicationName: 'paylinks move', session: '', limits: {}, fixed });
  const client = new SessionClient({ ...connection, keepAlive: true, keepAliveInitialDelayMillis: 10_000 });
  await client.connect();
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
