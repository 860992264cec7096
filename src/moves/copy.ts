import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { LATE_REFERENCES, readTenantTables, type TenantTable, UNGUARDED_TABLES } from './tables.ts';

/** Rows of a table that were copied. */
export interface CopiedTable {
  table: string;
  rows: number;
}

/** Thrown if the target does not hold what the source held. Nothing of the copy stays. */
export class CopyDiffers extends Error {
  constructor(table: string, source: string, target: string) {
    super(`The copy of ${table} differs: ${source} in the source, ${target} in the target. Nothing was moved.`);
    this.name = 'CopyDiffers';
  }
}

/**
 * Copies the rows of practices, inside the caller's transactions: one snapshot of the source, and one transaction of the
 * target. `COPY` keeps the exact text of every value.
 */
export async function copyRows(
  source: Client,
  target: Client,
  { id: moveId, practiceIds }: { id: string; practiceIds: readonly string[] },
): Promise<CopiedTable[]> {
  const tables = await readTenantTables(source);
  const people = await copyPeople(source, target, practiceIds);
  const copied: CopiedTable[] = [];
  for (const table of tables.map((table) => withPeople(table, people))) {
    // Inserted rows have appended changes to the kept counts, and those of the source already contain them. Other rows may
    // have been written late, when the practice had moved away from this cell before.
    if (UNGUARDED_TABLES.includes(table.name)) {
      await target.query(`delete from ${table.name} where ${table.rows}`, [practiceIds]);
    }
    await copyTable(source, target, table, practiceIds);
    copied.push({ table: table.name, rows: await countLike(source, target, table, practiceIds) });
  }
  for (const table of tables) await setLateReferences(source, target, table, practiceIds);
  await markReaders(source, target, practiceIds, moveId);
  await copyNotifications(source, target, practiceIds);
  return copied;
}

/** Copies notifications of the practices' accounts that the target lacks. */
export async function copyNotifications(source: Client, target: Client, practiceIds: readonly string[]): Promise<void> {
  const { rows } = await source.query<{ found: string }>(
    `select coalesce(json_agg(n), '[]')::text as found from processor_notifications n where account_id in (
       select processor_account_id from practices where id = any ($1) union select 'sandbox_' || unnest($1::text[]))`,
    [practiceIds],
  );
  await target.query(
    `insert into processor_notifications select * from json_populate_recordset(null::processor_notifications, $1)
     on conflict do nothing`,
    [rows[0]?.found],
  );
}

async function copyTable(source: Client, target: Client, table: TenantTable, practiceIds: readonly string[]) {
  const late = LATE_REFERENCES[table.name]?.columns ?? [];
  const values = table.columns.map((column, index) => (late.includes(column) ? 'null' : table.values[index]));
  const selected = `select ${values.join(', ')} from ${table.name} where ${rowsOf(source, table, practiceIds)}
    ${table.order === null ? '' : `order by ${table.order}`}`;
  await pipeline(
    source.query(copyTo(`copy (${selected}) to stdout`)),
    target.query(copyFrom(`copy ${table.name} (${table.columns.join(', ')}) from stdin`)),
  );
}

/** `COPY` takes no parameters. */
function rowsOf(client: Client, { rows }: TenantTable, practiceIds: readonly string[]): string {
  return rows.replaceAll('$1', `${client.escapeLiteral(`{${practiceIds.join()}}`)}::text[]`);
}

/**
 * Compares the rows of both cells by their number and by the sum of their hashes, whatever their order.
 *
 * @throws CopyDiffers
 */
async function countLike(source: Client, target: Client, table: TenantTable, practiceIds: readonly string[]) {
  const late = LATE_REFERENCES[table.name]?.columns ?? [];
  const chosen = table.columns.map((column, index) => ({ column, value: table.values[index] }));
  const compared = chosen.filter(({ column }) => !late.includes(column));
  const summed = (values: string) =>
    `select count(*)::integer as rows, coalesce(sum(('x' || left(md5(r::text), 15))::bit(60)::bigint), 0)::text as sum
     from (select ${values} from ${table.name} where ${table.rows}) as r`;
  const [there, here] = await Promise.all([
    source.query<{ rows: number; sum: string }>(summed(compared.map(({ value }) => value).join(', ')), [practiceIds]),
    target.query<{ rows: number; sum: string }>(summed(compared.map(({ column }) => column).join(', ')), [practiceIds]),
  ]);
  const [inSource, inTarget] = [there.rows[0], here.rows[0]];
  const described = [inSource, inTarget].map((row) => `${row?.rows} rows with sum ${row?.sum}`);
  if (described[0] !== described[1]) throw new CopyDiffers(table.name, `${described[0]}`, `${described[1]}`);
  return inSource?.rows ?? 0;
}

/** Sets the references to rows that were copied later. Few rows have them. */
async function setLateReferences(source: Client, target: Client, table: TenantTable, practiceIds: readonly string[]) {
  const columns = LATE_REFERENCES[table.name]?.columns;
  if (columns === undefined) return;
  const { rows } = await source.query<{ found: string; rows: number }>(
    `select coalesce(json_agg(r), '[]')::text as found, count(*)::integer as rows
     from (select id, ${columns.join(', ')} from ${table.name}
       where ${table.rows} and num_nonnulls(${columns.join(', ')}) > 0) as r`,
    [practiceIds],
  );
  const { rowCount } = await target.query(
    `update ${table.name} t set ${columns.map((column) => `${column} = r.${column}`).join(', ')}
     from json_populate_recordset(null::${table.name}, $1) as r where t.id = r.id`,
    [rows[0]?.found],
  );
  if (rowCount !== rows[0]?.rows) throw new CopyDiffers(table.name, `${rows[0]?.rows} references`, `${rowCount}`);
}

/**
 * Copies the people of the practices, with their passkeys. A person whom the target knows by the mail address stays as
 * there.
 *
 * @returns ids of the target by those of the source, for people who have another id there
 */
async function copyPeople(source: Client, target: Client, practiceIds: readonly string[]) {
  const found = await source.query<{ people: string; passkeys: string }>(
    `with found as (
       select * from people where id in (
         select person_id from memberships where practice_id = any ($1)
         -- The audit log names people who have left.
         union select actor_id from audit_log where practice_id = any ($1) and actor_kind = 'person')
     )
     select coalesce((select json_agg(f) from found f), '[]')::text as people,
       coalesce((select json_agg(k) from passkeys k where person_id in (select id from found)), '[]')::text as passkeys`,
    [practiceIds],
  );
  const { people, passkeys } = found.rows[0] ?? { people: '[]', passkeys: '[]' };
  await target.query(
    'insert into people select * from json_populate_recordset(null::people, $1) on conflict do nothing',
    [people],
  );
  await target.query(
    `insert into passkeys select k.* from json_populate_recordset(null::passkeys, $1) as k
       join people p on p.id = k.person_id on conflict do nothing`,
    [passkeys],
  );
  const { rows } = await target.query<{ id: string; known: string }>(
    `select f.id, p.id as known from json_populate_recordset(null::people, $1) as f join people p on p.email = f.email
     where p.id <> f.id`,
    [people],
  );
  return new Map(rows.map(({ id, known }) => [id, known]));
}

/** Columns that name people. */
const PERSON_COLUMNS = ['memberships.person_id', 'audit_log.actor_id'];

/** Returns the table with the ids that people have in the target. */
function withPeople(table: TenantTable, people: ReadonlyMap<string, string>): TenantTable {
  if (people.size === 0) return table;
  const cases = [...people].map(([id, known]) => `when '${id}' then '${known}'`).join(' ');
  const values = table.columns.map((column, index) => {
    const value = table.values[index] ?? column;
    return PERSON_COLUMNS.includes(`${table.name}.${column}`) ? `case ${value} ${cases} else ${value} end` : value;
  });
  return { ...table, values };
}

/**
 * Marks readers of test events as those of a practice that moved. Their cursors begin anew. If events had been deleted unread,
 * readers learn it once more.
 */
async function markReaders(
  source: Client,
  target: Client,
  practiceIds: readonly string[],
  moveId: string,
): Promise<void> {
  const { rows } = await source.query<{ practice_id: string }>(
    'select practice_id from test_event_readers where practice_id = any ($1) and dropped_by is not null',
    [practiceIds],
  );
  await target.query(
    `update test_event_readers set moved_by = $3,
       dropped_by = case when practice_id = any ($2) then pg_current_xact_id() end
     where practice_id = any ($1)`,
    [practiceIds, rows.map((row) => row.practice_id), moveId],
  );
}
