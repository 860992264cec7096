import pg from 'pg';
import { Pool as HttpPool } from 'undici';
import { serveProcedures } from '../processes/remote.ts';
import { machineMs } from '../statistics.ts';

/*
 * The floor of `drain`: a bare loop per endpoint over pg and undici, in a process of its own. Deliveries go out one
 * after the other. Each is a POST on a kept-alive connection, then one statement. That leaves the same durable rows behind:
 * the attempt, and the delivery with its outcome. No lease, no signature, no wake-up, no address check, no log. The pool is as large as
 * the service's.
 */

const POOL_SIZE = 20;
/** A connection per endpoint, as the service keeps them. */
const MAX_CONNECTIONS = 1_024;

const RECORD = `
  with attempt as (
    insert into webhook_attempts (delivery_id, practice_id, number, endpoint_id, started_at, duration_ms, response_status,
      lease_epoch)
    select id, practice_id, 1, $2, $3, $4, $5, 1 from webhook_deliveries where id = $1
  )
  update webhook_deliveries set status = 'delivered', due_at = null, delivered_at = $6, last_attempt_at = $3,
    last_response_status = $5, attempt_count = 1, run_attempts = 1
  where id = $1`;

interface Waiting {
  id: string;
  type: string;
  payload: string;
}

async function drainEndpoint(database: pg.Pool, http: HttpPool, endpointId: string, path: string): Promise<void> {
  const { rows } = await database.query<Waiting>(
    `select id, type, payload from webhook_deliveries where endpoint_id = $1 and status = 'pending' order by due_at, id`,
    [endpointId],
  );
  for (const { id, type, payload } of rows) {
    const startedAt = new Date();
    const headers = { 'content-type': 'application/json', 'service-event-id': id, 'service-event-type': type };
    const response = await http.request({ method: 'POST', path, headers, body: payload });
    await response.body.dump();
    const now = new Date();
    const durationMs = now.getTime() - startedAt.getTime();
    await database.query(RECORD, [id, endpointId, startedAt, durationMs, response.statusCode, now]);
  }
}

const procedures = {
  /** Delivers everything that waits; gives the milliseconds it took. */
  async drain(databaseUrl: string): Promise<number> {
    const database = new pg.Pool({ connectionString: databaseUrl, max: POOL_SIZE });
    try {
      const { rows } = await database.query<{ id: string; url: string }>('select id, url from webhook_endpoints');
      const [first] = rows;
      if (first === undefined) throw new Error('no endpoints');
      const http = new HttpPool(new URL(first.url).origin, { connections: MAX_CONNECTIONS, pipelining: 1 });
      // Connections as warm as the service's.
      await Promise.all(Array.from({ length: POOL_SIZE }, () => database.query('select 1')));
      const startedMs = machineMs();
      await Promise.all(rows.map(({ id, url }) => drainEndpoint(database, http, id, new URL(url).pathname)));
      const tookMs = machineMs() - startedMs;
      await http.close();
      return tookMs;
    } finally {
      await database.end();
    }
  },
};

export type FloorWorkerProcedures = typeof procedures;

serveProcedures(procedures);
