import { Pool } from 'pg';
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
