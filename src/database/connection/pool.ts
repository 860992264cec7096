import { Pool, type PoolClient } from 'pg';
import type { Logger } from 'pino';
import { AnswerTimeoutClient } from './answer-timeout-client.ts';
import type { Connection } from './connection.ts';

/** Creates a pool of at most `max` connections, for the job queue. The caller ends it by `end()`. */
export function createPool(connection: Connection, max: number, log: Logger): Pool {
  const pool = new Pool({ ...connection, Client: AnswerTimeoutClient, max });
  const applicationName = connection.application_name;
  // Broken connections emit an error event, which would end the process without these handlers.
  pool.on('error', (err) => log.debug({ err, applicationName }, 'an idle database connection broke'));
  pool.on('connect', (client) => {
    client.on('error', (err) => log.debug({ err, applicationName }, 'a database connection broke'));
  });
  return pool;
}

/**
 * Runs statements on one connection of the pool. Use it instead of `pool.query`, which passes a callback and so has no answer
 * timeout. A connection on which a statement failed is closed; an open transaction is rolled back.
 */
export async function onConnection<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let hasFailed = true;
  try {
    const result = await work(client);
    hasFailed = false;
    return result;
  } finally {
    client.release(hasFailed);
  }
}
