import type { Client } from 'pg';
import { lockBriefly, type RetryLimits } from '../database/query/retry-on-locks.ts';
import { readTenantTables, UNGUARDED_TABLES } from './tables.ts';

/*
 * Guards are triggers that refuse writes of the practices that move (`refuse_write_of_moving_practice`). They exist only
 * while practices move, and only for their rows. So all other writes cost nothing more, and no writer can be forgotten. Triggers
 * of a table do not fire for rows of its children, so the tables of the archive have guards of their own.
 */

/** Tables from which only retention deletes. The target deletes the same rows by itself. */
const DELETED_BY_RETENTION = [
  'daily_link_counts',
  'idempotent_replies',
  'receipt_requests',
  'sealed_replies',
  'sent_forms',
  'test_events',
  'webhook_attempts',
  'webhook_deliveries',
  'webhook_endpoints',
];

/** Tries to get the lock of a table. All its writers wait during a try. */
const TRIES: RetryLimits = { tries: 200, pauseMs: 50 };

/**
 * Installs the guards of all practices whose `move_state` is set; removes the guards if there is none.
 *
 * Each table is locked alone and briefly. `create trigger` waits for transactions that have written to the table. So when it
 * returns, no transaction without the guard is left.
 */
export async function setGuards(source: Client): Promise<void> {
  const { rows } = await source.query<{ id: string }>(
    'select id from practices where move_state is not null order by id',
  );
  const list = source.escapeLiteral(`{${rows.map(({ id }) => id).join()}}`);
  for (const { name, columns } of [...(await readTenantTables(source)), ...(await readArchiveTables(source))]) {
    if (UNGUARDED_TABLES.includes(name) || name.startsWith('sandbox.')) continue;
    const column = name === 'practices' ? 'id' : 'practice_id';
    if (!columns.includes(column)) throw new Error(`${name} has no column ${column}`);
    const create = (trigger: string, event: string, row: 'new' | 'old') =>
      `create or replace trigger ${trigger} before ${event} on ${name}
       for each row when (${row}.${column} = any (${list}::text[])) execute function refuse_write_of_moving_practice()`;
    const statements = [
      create('moving_practice_write', 'insert or update', 'new'),
      ...(DELETED_BY_RETENTION.includes(name) ? [] : [create('moving_practice_delete', 'delete', 'old')]),
    ];
    const removals = ['write', 'delete'].map((kind) => `drop trigger if exists moving_practice_${kind} on ${name}`);
    await lockBriefly(source, () => source.query((rows.length > 0 ? statements : removals).join('; ')), TRIES);
  }
}

/** Returns the tables of the archive with their columns. */
async function readArchiveTables(source: Client): Promise<{ name: string; columns: string[] }[]> {
  const { rows } = await source.query<{ name: string; columns: string[] }>(
    `select 'archive.' || relname as name, array(select attname::text from pg_attribute where attrelid = c.oid) as columns
     from pg_class c join pg_namespace n on n.oid = relnamespace
     where nspname = 'archive' and relkind = 'r' order by 1`,
  );
  return rows;
}
