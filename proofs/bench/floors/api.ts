import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import pg from 'pg';
import { newId } from '../../../src/platform/base/ids.ts';
import type { RefundOrder } from '../processes/refunder-process.ts';
import { serveProcedures, timeInLanes } from '../processes/remote.ts';
import { CREATE, READ, STATEMENTS } from './statements.ts';

/*
 * The floors of an API: bare Koa or a bare loop over pg, in a process of its own. No routing, key, limits, validation, log
 * or processor. Statements of changes are prepared once per connection. The pool is as large as the service's.
 */

const POOL_SIZE = 10;
const MONTH_MS = 30 * 86_400_000;
type StatementName = keyof typeof STATEMENTS;

interface KeyRow {
  id: string;
  practice_id: string;
  location_id: string;
}

interface LinkBody {
  amount: number;
  description: string;
  externalReference: string;
  metadata: Record<string, string>;
  patient: { firstName: string; lastName: string; phone: string; email: string; externalId: string };
}

let pool: pg.Pool | undefined;

function run<Row extends pg.QueryResultRow>(database: pg.Pool, name: StatementName, values: unknown[]) {
  return database.query<Row>({ name, text: STATEMENTS[name], values });
}

/** Ids of the events of one change: one at one endpoint. */
function eventIds(now: Date): string[] {
  return [newId('event', now)];
}

async function bodyOf(ctx: Koa.Context): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of ctx.req) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function createLink(ctx: Koa.Context, database: pg.Pool, key: KeyRow): Promise<void> {
  const body = JSON.parse(await bodyOf(ctx)) as LinkBody;
  const now = new Date();
  const id = newId('paymentLink', now);
  const token = randomBytes(24).toString('base64url');
  const expiresAt = new Date(now.getTime() + MONTH_MS);
  const { amount, description, externalReference, metadata, patient } = body;
  const { firstName, lastName, phone, email, externalId } = patient;
  const reply = JSON.stringify({
    ...{ id, object: 'payment_link', url: `http://localhost/pay/${token}`, status: 'active', test: false, amount },
    ...{ currency: 'usd', description, externalReference, metadata, patient },
    ...{ location: { id: key.location_id, name: 'Downtown' }, source: 'api', expiresAt, paidAt: null, createdAt: now },
    ...{ transaction: null, refunds: [] },
  });
  await database.query(CREATE, [
    ...[key.id, now, id, key.practice_id, key.location_id, token, Math.round(amount * 100), description],
    ...[externalReference, metadata, firstName, lastName, phone, email, externalId, expiresAt],
    ...[ctx.get('Idempotency-Key'), randomBytes(32), reply],
  ]);
  ctx.status = 201;
  ctx.type = 'application/json';
  ctx.body = reply;
}

async function readLink(ctx: Koa.Context, database: pg.Pool): Promise<void> {
  const { rows } = await database.query(READ, [ctx.path.slice(ctx.path.lastIndexOf('/') + 1)]);
  ctx.type = 'application/json';
  ctx.body = JSON.stringify(rows[0]);
}

/** The statement of a change by its method and path. */
function statementOf(method: string, path: string): StatementName {
  if (method === 'PATCH') return 'UPDATE';
  return path.endsWith('/cancel') ? 'CANCEL' : 'SIMULATE_PAID';
}

async function changeLink(ctx: Koa.Context, database: pg.Pool): Promise<void> {
  const body = await bodyOf(ctx);
  const now = new Date();
  const id = ctx.path.split('/')[4];
  const name = statementOf(ctx.method, ctx.path);
  const third = name === 'UPDATE' ? (JSON.parse(body) as { description: string }).description : eventIds(now);
  const { rows } = await run<{ resource: string }>(database, name, [id, now, third]);
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
  /** Serves links, their changes and their pages on a database with keys; gives the port. */
  async serve(databaseUrl: string): Promise<number> {
    const database = new pg.Pool({ connectionString: databaseUrl, max: POOL_SIZE });
    pool = database;
    const { rows: keys } = await database.query<KeyRow>(
      `select k.id, k.practice_id, (select min(id) from locations l where l.practice_id = k.practice_id) as location_id
       from api_keys k order by id`,
    );
    const app = new Koa();
    let creates = 0;
    app.use((ctx) => {
      if (ctx.path.startsWith('/pay/')) return payLink(ctx, database);
      if (ctx.method === 'GET') return readLink(ctx, database);
      const key = ctx.path === '/api/v1/payment-links' ? keys[creates++ % keys.length] : undefined;
      return key === undefined ? changeLink(ctx, database) : createLink(ctx, database, key);
    });
    const server = createServer(app.callback());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  },
  /** Refunds the payments of links; gives the milliseconds it took. */
  async refund({ databaseUrl, linkIds, atOnce }: RefundOrder): Promise<number> {
    pool ??= new pg.Pool({ connectionString: databaseUrl, max: POOL_SIZE });
    const database = pool;
    return timeInLanes(atOnce, linkIds, async (id) => {
      const now = new Date();
      await run(database, 'BEGIN_REFUND', [id, now, newId('refund', now)]);
      await run(database, 'REFUND', [id, now, eventIds(now)]);
    });
  },
};

export type FloorApiProcedures = typeof procedures;

serveProcedures(procedures);
