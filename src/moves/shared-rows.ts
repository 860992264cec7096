import type { Client } from 'pg';
import type { Cells } from './copy.ts';
import type { TenantTable } from './tables.ts';

/* Rows that do not belong to one practice alone, or that the target keeps in another way: people, notifications, readers. */

/** Ids of the target by those of the source, for people who have another id there. */
export type KnownPeople = ReadonlyMap<string, string>;

/** Copies the people of the practices. A person whom the target knows by the mail address stays as there. */
export async function copyPeople({ source, target, practiceIds }: Cells): Promise<KnownPeople> {
  const found = await source.query<{ people: string }>(
    `select coalesce(json_agg(p), '[]')::text as people from people p where id in (
       select person_id from memberships where practice_id = any ($1)
       -- The audit log names people who have left.
       union select actor_id from audit_log where practice_id = any ($1) and actor_kind = 'person')`,
    [practiceIds],
  );
  const people = found.rows[0]?.people ?? '[]';
  await target.query(
    'insert into people select * from json_populate_recordset(null::people, $1) on conflict do nothing',
    [people],
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
export function withPeople(table: TenantTable, people: KnownPeople): TenantTable {
  if (people.size === 0) return table;
  const cases = [...people].map(([id, known]) => `when '${id}' then '${known}'`).join(' ');
  const values = table.columns.map((column, index) => {
    const value = table.values[index] ?? column;
    return isOfPerson(table, column) ? `case ${value} ${cases} else ${value} end` : value;
  });
  return { ...table, values };
}

/** Returns the condition of rows that name a person who has another id in the target. */
export function namesPeople(table: TenantTable, people: KnownPeople): string {
  const columns = table.columns.filter((column) => isOfPerson(table, column));
  if (people.size === 0 || columns.length === 0) return 'false';
  const ids = [...people.keys()].map((id) => `'${id}'`).join(', ');
  return columns.map((column) => `coalesce(${column} in (${ids}), false)`).join(' or ');
}

function isOfPerson({ name }: TenantTable, column: string): boolean {
  return PERSON_COLUMNS.includes(`${name}.${column}`);
}

/**
 * Marks readers of test events as those of a practice that moved. Their cursors begin anew. If events had been deleted unread,
 * readers learn it once more.
 */
export async function markReaders({ source, target, practiceIds }: Cells, moveId: string): Promise<void> {
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
