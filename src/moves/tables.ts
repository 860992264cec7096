import type { ClientBase } from 'pg';

/*
 * The tables of a practice, in the order in which their rows can be copied. The list comes from the catalog of the
 * database, so that no table can be forgotten. A table without a practice is named below, with the reason.
 *
 * The tables of the schema `archive` are not in it. They are children of the tables of the same names, so statements on those
 * copy and delete their rows as well. In the target, archived rows arrive in the tables of all others.
 */

/** Tables whose rows belong to no practice, and are not copied, with the reason. */
export const GLOBAL_TABLES: Readonly<Record<string, string>> = {
  archive_walk: 'of a cell: progress of a job',
  console_devices: 'of a person, who may belong to several practices; people sign in again',
  console_sessions: 'of a person, who may belong to several practices; people sign in again',
  delivery_partition_changes: 'of a partition of the cell, while it is replaced; the deliveries themselves are copied',
  delivery_partitions: 'of a cell; the target has its own partitions, or none',
  job_runner_heartbeats: 'of a process',
  page_assets: 'of a release; each process records its own',
  passkeys: 'of a person, at the host of a console, and each cell has its own: people add passkeys again',
  passkey_challenges: 'of a person or of nobody, for minutes',
  rate_slots: 'of a key or an address, for a minute; unlogged',
  rate_windows: 'of a key or an address, for a minute; unlogged',
  'sandbox.secret': 'of an installation',
  schema_functions: 'of an installation',
  schema_migrations: 'of an installation',
  sign_in_requests: 'of an address, which may be unknown',
  sign_in_tokens: 'of a person, for minutes',
};

/** Tables that carry no practice and are copied by other code, with the reason. */
export const SHARED_TABLES: Readonly<Record<string, string>> = {
  people: 'one person may belong to several practices: copied unless the cell knows the address',
  processor_notifications: 'of an account at the processor, which may be unknown: copied by the account',
  'sandbox.disputes': 'of the simulated processor, which knows no practices: copied by the payment',
  'sandbox.payments': 'of the simulated processor, which knows no practices: copied by the attempt',
  'sandbox.refunds': 'of the simulated processor, which knows no practices: copied by the payment',
};

/** Tables that carry a practice and are not copied, with the reason. */
const UNCOPIED_TABLES: Readonly<Record<string, string>> = {
  practice_moves: 'the history of a cell',
  payment_totals: 'a worker of the target counts the payments anew',
  payment_total_changes: 'a worker of the target counts the payments anew',
  uncounted_payment_totals: 'says that a worker has yet to count the payments',
};

/** Kept totals of payments. The target makes its own, and the source deletes them with the practice. */
const TOTAL_TABLES: readonly string[] = ['payment_total_changes', 'payment_totals', 'uncounted_payment_totals'];

/**
 * Conditions that find the rows of practices, `$1`, through an index. They stand for `practice_id = any ($1)` in tables
 * without an index that begins with the practice. Such an index would cost every create and every delivery.
 */
const ROWS: Readonly<Record<string, string>> = {
  practices: 'id = any ($1)',
  daily_link_counts: 'api_key_id in (select id from api_keys where practice_id = any ($1))',
  idempotent_replies: 'api_key_id in (select id from api_keys where practice_id = any ($1))',
  sealed_replies: 'api_key_id in (select id from api_keys where practice_id = any ($1))',
  webhook_attempts: 'delivery_id in (select id from webhook_deliveries where practice_id = any ($1))',
  payment_admin_mails: 'payment_link_id in (select id from payment_links where practice_id = any ($1))',
  receipt_requests: 'payment_link_id in (select id from payment_links where practice_id = any ($1))',
  membership_locations: 'membership_id in (select id from memberships where practice_id = any ($1))',
  'sandbox.payments': 'attempt in (select id from payment_attempts where practice_id = any ($1))',
  'sandbox.refunds': `payment in (select p.reference from sandbox.payments p join payment_attempts a on a.id = p.attempt
    where a.practice_id = any ($1))`,
  'sandbox.disputes': `payment in (select p.reference from sandbox.payments p join payment_attempts a on a.id = p.attempt
    where a.practice_id = any ($1))`,
};

/** References to rows that are copied later. Their columns are copied as null, and set at the end. */
export const LATE_REFERENCES: Readonly<Record<string, { to: string; columns: readonly string[] }>> = {
  practices: { to: 'practice_logos', columns: ['logo_hash', 'logo_width', 'logo_height'] },
  payment_links: { to: 'payment_attempts', columns: ['open_attempt_id'] },
};

/** Tables that must be copied before, and deleted after, although no foreign key says so. Their rows are found by them. */
const FOUND_BY: Readonly<Record<string, string>> = {
  'sandbox.payments': 'payment_attempts',
  // With partitions, the foreign key is between those.
  webhook_attempts: 'webhook_deliveries',
};

/** Columns that a cell sets itself: numbers of its own transactions and rows, and its state of the move. */
const OWN_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  practices: ['move_state'],
  test_events: ['made_by'],
  test_event_readers: ['dropped_by', 'moved_by'],
  'sandbox.refunds': ['number'],
};

/** Values that the target gets instead of the column. The lease of a worker of the source ends with the move. */
const VALUES: Readonly<Record<string, string>> = {
  'webhook_endpoints.lease_until': 'null::timestamptz',
};

/** Orders of copying that matter, because the target numbers the rows anew. */
const ORDERS: Readonly<Record<string, string>> = {
  test_events: 'made_by, id',
  'sandbox.refunds': 'number',
};

/** Kept counts. They are copied last, after the triggers of the target have appended its own changes. */
export const COUNT_TABLES: readonly string[] = ['list_chunks', 'list_counts', 'list_changes', 'frequent_references'];

/** Tables without a guard: what is written to them during a move may be lost, or is written by a guarded statement. */
export const UNGUARDED_TABLES: readonly string[] = [
  ...COUNT_TABLES,
  // The log of requests is written for many practices at once, and a crash may lose rows, too.
  'api_requests',
  'test_event_readers',
];

/** A table of which a practice has rows. */
export interface TenantTable {
  /** Name, with the schema unless it is public. */
  name: string;
  /** Copied columns. */
  columns: readonly string[];
  /** SQL expressions of their values in the source, in the same order. */
  values: readonly string[];
  /** Condition of the rows of the practices `$1`. */
  rows: string;
  /** Order of copying; null for any. */
  order: string | null;
  /** Columns of the primary key; empty without one. */
  key: readonly string[];
}

/**
 * Returns true for tables of the first copy. Tables of kept counts, tables whose rows are copied in an order, and tables without
 * a primary key are left to the second copy. They are small.
 */
export function isInFirstCopy({ name, key, order }: TenantTable): boolean {
  return key.length > 0 && order === null && !COUNT_TABLES.includes(name);
}

/** Deletes the kept totals of payments. */
export async function deleteTotals(client: ClientBase, practiceIds: readonly string[]): Promise<void> {
  for (const table of TOTAL_TABLES)
    await client.query(`delete from ${table} where practice_id = any ($1)`, [practiceIds]);
}

/** Returns the tables of practices in an order that satisfies foreign keys, the kept counts at the end. */
export async function readTenantTables(client: ClientBase): Promise<TenantTable[]> {
  const { rows } = await client.query<CatalogRow>(
    `select c.oid::regclass::text as name,
       array(select attname::text from pg_attribute
         where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
       array(select distinct confrelid::regclass::text from pg_constraint
         where conrelid = c.oid and contype = 'f' and confrelid <> c.oid) as parents,
       array(select a.attname::text from pg_index i, unnest(i.indkey) with ordinality as k (number, position), pg_attribute a
         where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid and a.attnum = k.number
         order by k.position) as key
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('public', 'sandbox') and c.relkind in ('r', 'p') and not c.relispartition
     order by 1`,
  );
  const isCopied = ({ name, columns }: CatalogRow) =>
    !(name in UNCOPIED_TABLES) &&
    !(name in GLOBAL_TABLES) &&
    (name === 'practices' || columns.includes('practice_id') || name in ROWS);
  const found = rows.filter(isCopied);
  const names = new Set(found.map(({ name }) => name));
  const ordered: TenantTable[] = [];
  const done = new Set<string>();
  while (done.size < found.length) {
    const next = found.filter(
      ({ name, parents }) =>
        !done.has(name) &&
        [...parents, FOUND_BY[name] ?? 'practices'].every(
          (parent) => !names.has(parent) || parent === name || done.has(parent) || LATE_REFERENCES[name]?.to === parent,
        ) &&
        (!COUNT_TABLES.includes(name) || done.size >= found.length - COUNT_TABLES.length),
    );
    if (next.length === 0)
      throw new Error('tables refer to each other in a circle; name the reference that is set late');
    for (const row of next) {
      done.add(row.name);
      ordered.push(tenantTable(row));
    }
  }
  return ordered;
}

interface CatalogRow {
  name: string;
  columns: string[];
  parents: string[];
  key: string[];
}

function tenantTable({ name, key, columns: all }: CatalogRow): TenantTable {
  const columns = all.filter((column) => !(OWN_COLUMNS[name] ?? []).includes(column));
  return {
    name,
    columns,
    values: columns.map((column) => VALUES[`${name}.${column}`] ?? column),
    rows: ROWS[name] ?? 'practice_id = any ($1)',
    order: ORDERS[name] ?? null,
    key,
  };
}
