import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import pg from 'pg';
import { newId } from '../../../src/base/ids.ts';
import { serveProcedures } from '../processes/remote.ts';

/*
 * The floor of `create` and `get`: bare Koa over pg, in a process of its own. No routing, key, limits, validation or
 * log; hand-written SQL, one statement each, that leaves the same durable rows behind as the service does. The pool is
 * as large as the service's.
 */

const POOL_SIZE = 10;
const MONTH_MS = 30 * 86_400_000;

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

/** The four rows of a created link: the link, its audit entry, the day's count of its key, the stored reply. */
const CREATE = `
  with cap as (
    insert into daily_link_counts as c (api_key_id, practice_id, day, created_count) values ($1, $4, $2::date, 1)
    on conflict (api_key_id, day) do update set created_count = c.created_count + 1
  ), link as (
    insert into payment_links (id, practice_id, location_id, test, token, status, source, amount_cents, currency,
      description, external_reference, metadata, patient_first_name, patient_last_name, patient_phone, patient_email,
      patient_external_id, expires_at, created_at)
    values ($3, $4, $5, false, $6, 'active', 'api', $7, 'usd', $8, $9, $10, $11, $12, $13, $14, $15, $16, $2)
  ), entry as (
    insert into audit_log (id, practice_id, actor_kind, actor_id, action, target_kind, target_id, address, after, created_at)
    values (replace($3, 'plink_', 'aud_'), $4, 'api_key', $1, 'link.created', 'payment_link', $3, '10.0.0.1',
      json_build_object('mode', 'live', 'amountCents', $7::integer, 'locationId', $5, 'expiresAt', $16::timestamptz), $2)
  )
  insert into idempotent_replies (api_key_id, practice_id, idempotency_key, body_hash, reply, created_at)
  values ($1, $4, $17, $18, $19, $2)`;

/** A link with what its resource shows of other tables. */
const READ = `
  select l.*, o.name as location_name,
    (select row_to_json(t) from transactions t where t.payment_link_id = l.id and t.status <> 'failed') as transaction,
    (select coalesce(json_agg(r order by r.created_at), '[]') from refunds r where r.payment_link_id = l.id) as refunds
  from payment_links l join locations o on o.id = l.location_id
  where l.id = $1`;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function create(ctx: Koa.Context, database: pg.Pool, key: KeyRow): Promise<void> {
  const text = await bodyOf(ctx.req);
  const body = JSON.parse(text) as LinkBody;
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

async function read(ctx: Koa.Context, database: pg.Pool): Promise<void> {
  const { rows } = await database.query(READ, [ctx.path.slice(ctx.path.lastIndexOf('/') + 1)]);
  ctx.type = 'application/json';
  ctx.body = JSON.stringify(rows[0]);
}

const procedures = {
  /** Serves the floor on a database with keys; gives the port. */
  async serve(databaseUrl: string): Promise<number> {
    const database = new pg.Pool({ connectionString: databaseUrl, max: POOL_SIZE });
    const { rows: keys } = await database.query<KeyRow>(
      `select k.id, k.practice_id, (select min(id) from locations l where l.practice_id = k.practice_id) as location_id
       from api_keys k order by id`,
    );
    const app = new Koa();
    let requests = 0;
    app.use(async (ctx) => {
      const key = keys[requests++ % keys.length];
      if (ctx.method === 'POST' && key !== undefined) await create(ctx, database, key);
      else await read(ctx, database);
    });
    const server = createServer(app.callback());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  },
};

export type FloorApiProcedures = typeof procedures;

serveProcedures(procedures);
