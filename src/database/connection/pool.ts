import { Pool } from 'pg';
import type { Logger } from 'pino';
import { AnswerTimeoutClient } from './answer-timeout-client.ts';
import type { Connection } from './connection.ts';

/** A pool of at most `max` connections, for what does not go through the ORM. To be ended by `end()`. */
export function createPool(connection: Connection, max: number, log: Logger): Pool {
  const pool = new Pool({ ...connection, Client: AnswerTimeoutClient, max });
  const applicationName = connection.application_name;
  // Both kinds of connections report a break as an event, which would end the process if nobody listened.
  pool.on('error', (err) => log.debug({ err, applicationName }, 'an idle database connection broke'));
  pool.on('connect', (client) => {
    client.on('error', (err) => log.debug({ err, applicationName }, 'a database connection broke'));
  });
  return pool;
}
