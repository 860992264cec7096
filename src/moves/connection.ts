import { Client } from 'pg';
import { connectionTo } from '../database/connection/connection.ts';

/**
 * Connection of a move. A copy may take long, and its statements have no time limits. If the command's process or machine is
 * gone, the server ends the session within a minute, so that its locks and snapshots do not stay.
 */
export async function connect(databaseUrl: string): Promise<Client> {
  const client = new Client(
    connectionTo(databaseUrl, {
      applicationName: 'paylinks move',
      session: [
        '-c timezone=UTC -c client_connection_check_interval=1000',
        '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3',
      ].join(' '),
      limits: {
        statement_timeout: 0,
        lock_timeout: 0,
        idle_in_transaction_session_timeout: 0,
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
      },
    }),
  );
  // A connection that breaks rejects its statement. Without a handler, the event would also end the process.
  client.on('error', () => undefined);
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
