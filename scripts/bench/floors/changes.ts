import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import pg from 'pg';
import { newId } from '../../../src/base/ids.ts';
import { serveProcedures } from '../processes/remote.ts';
import { machineMs } from '../statistics.ts';
import { STATEMENTS } from './change-statements.ts';

/*
 * The floors of changes: bare Koa or a bare loop over pg, in a process of its own. No routing, key, limits, validation,
 * log or processor. Statements are prepared once per connection. The pool is as large as the service's.
 */

const POOL_SIZE = 10;
/** Events of one change at most: two at three endpoints. */
const MOST_EVENTS = 6;

type StatementName = keyof typeof STATEMENTS;

interface Changed {
  resource: string;
}

let pool: pg.Pool | undefined;

function run<Row extends pg.QueryResultRow>(database: pg.Pool, name: StatementName, values: unknown[]) {
  return database.query<Row>({ name, text: STATEMENTS[name], values });
}

function eventIds(now: Date): string[] {
  return Array.from({ length: MOST_EVENTS }, () => newId('event', now));
}

/** The statement of a request by its method, path and body. */
function statementOf(method: string, path: string, body: string): StatementName {
  if (method === 'PATCH') return 'UPDATE';
  if (path.endsWith('/cancel')) return 'CANCEL';
  return body.includes('processing_then_paid') ? 'SIMULATE_PROCESSING_THEN_PAID' : 'SIMULATE_PAID';
}

async function bodyOf(ctx: Koa.Context): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of ctx.req) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function changeLink(ctx: Koa.Context, database: pg.Pool): Promise<void> {
  const body = await bodyOf(ctx);
  const now = new Date();
  const id = ctx.path.split('/')[4];
  const name = statementOf(ctx.method, ctx.path, body);
  const third = name === 'UPDATE' ? (JSON.parse(body) as { description: string }).description : eventIds(now);
  const { rows } = await run<Changed>(database, name, [id, now, third]);
  if (!rows[0]?.resource) throw new Error(`no active link ${id}`);
  ctx.type = 'application/json';
  ctx.body = rows[0].resource;
}

async function payLink(ctx: Koa.Context, database: pg.Pool): Promise<void> {
  const token = ctx.path.split('/')[2];
  if (ctx.method === 'GET') {
    const { rows } = await run(database, 'READ_PAGE', [token]);
    ctx.type = 'text/html';
    ctx.body = `<!doctype html><pre>${JSON.stringify(rows[0])}</pre>`.padEnd(6_000);
    return;
  }
  await bodyOf(ctx);
  const now = new Date();
  const attempt = newId('paymentAttempt', now);
  const { rows } = await run<{ id: string }>(database, 'BEGIN_ATTEMPT', [token, now, attempt]);
  await run(database, 'STORE_REFERENCE', [attempt, `sbx_${attempt}`]);
  await run(database, 'PAY', [rows[0]?.id, new Date(), eventIds(now), attempt, newId('patient', now)]);
  ctx.status = 303;
  ctx.set('Location', `/pay/${token}`);
  ctx.body = '';
}

const procedures = {
  /** Serves changes of links and their pages; gives the port. */
  async serve(databaseUrl: string): Promise<number> {
    const database = new pg.Pool({ connectionString: databaseUrl, max: POOL_SIZE });
    pool = database;
    const app = new Koa();
    app.use((ctx) => (ctx.path.startsWith('/pay/') ? payLink(ctx, database) : changeLink(ctx, database)));
    const server = createServer(app.callback());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  },
  /** Refunds the payments of links, some at once; gives the milliseconds it took. */
  async refund({ databaseUrl, linkIds, atOnce }: { databaseUrl: string; linkIds: string[]; atOnce: number }) {
    pool ??= new pg.Pool({ connectionString: databaseUrl, max: POOL_SIZE });
    const database = pool;
    const waiting = [...linkIds];
    const startedMs = machineMs();
    const lane = async () => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        await run(database, 'REFUND', [id, new Date(), eventIds(new Date())]);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    return machineMs() - startedMs;
  },
};

export type FloorChangesProcedures = typeof procedures;

serveProcedures(procedures);
