import { readFileSync } from 'node:fs';

/*
 * Constraints of the tables of a link, as PostgreSQL's catalogue lists them. `constraints.jsonl` is a copy; a test compares it with
 * the database. Conditions are SQL of the catalogue, of which the few forms that occur are translated.
 */

/** A row by the names of its properties. */
export type AnyRow = Readonly<Record<string, unknown>>;

/** Tables whose rows a link consists of. */
export const TABLES = [
  ...(['payment_links', 'payment_attempts', 'transactions', 'bank_reversals', 'refunds', 'disputes'] as const),
] as const;

export type Table = (typeof TABLES)[number];

export interface Constraints {
  /** Keys of which a table has each once; null for a row that the index leaves out. */
  unique: { name: string; keyOf: (row: AnyRow) => string | null }[];
  /** References to rows; null for a row without one. */
  foreignKeys: { name: string; references: string; keyOf: (row: AnyRow) => string | null; unique: string }[];
  checks: { name: string; isMet: (row: AnyRow) => boolean }[];
}

/** A line of the copy: a constraint, or a unique index. */
export interface Line {
  table: string;
  name: string;
  kind: 'unique' | 'foreign key' | 'check';
  columns: string[];
  references: string | null;
  referenced: string[] | null;
  condition: string | null;
}

/** File of the copy. */
export const COPY = new URL('constraints.jsonl', import.meta.url);

/** Constraints and unique indexes of `TABLES`. */
export const CATALOGUE = readFileSync(COPY, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);

/** Query for the copy: one row per constraint or unique index of tables of the search path. */
export const CATALOGUE_QUERY = `
  select c.relname as "table", i.relname as name, 'unique' as kind, u.columns, null as "references", null as "referenced",
    pg_get_expr(x.indpred, x.indrelid) as condition
  from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid,
    lateral (select array_agg(a.attname::text order by k.place) as columns from unnest(x.indkey) with ordinality as k (n, place)
      join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.n) as u
  where x.indisunique and c.relname = any ($1) and pg_table_is_visible(c.oid)
  union all
  select c.relname, o.conname, case o.contype when 'f' then 'foreign key' else 'check' end,
    (select array_agg(a.attname::text order by k.place) from unnest(o.conkey) with ordinality as k (n, place)
      join pg_attribute a on a.attrelid = o.conrelid and a.attnum = k.n),
    (select relname from pg_class r where r.oid = o.confrelid),
    (select array_agg(a.attname::text order by k.place) from unnest(o.confkey) with ordinality as k (n, place)
      join pg_attribute a on a.attrelid = o.confrelid and a.attnum = k.n),
    case when o.contype = 'c' then pg_get_expr(o.conbin, o.conrelid) end
  from pg_constraint o join pg_class c on c.oid = o.conrelid
  where o.contype in ('f', 'c') and c.relname = any ($1) and pg_table_is_visible(c.oid)
  order by 1, 3, 2`;

/** Returns the constraints of a table. Those on tables that are no part of a link are left out. */
export function constraintsOf(table: Table): Constraints {
  const own = CATALOGUE.filter((each) => each.table === table);
  return {
    unique: own.flatMap(({ kind, name, columns, condition }) => {
      if (kind !== 'unique') return [];
      const key = keyOf(columns);
      const isMeant = condition === null ? null : conditionOf(condition);
      return [{ name, keyOf: (row: AnyRow) => (isMeant === null || isMeant(row) === true ? key(row) : null) }];
    }),
    foreignKeys: own.flatMap(({ kind, name, columns, references, referenced }) => {
      if (kind !== 'foreign key' || !TABLES.some((each) => each === references)) return [];
      const unique = CATALOGUE.find(
        (each) => each.kind === 'unique' && each.table === references && `${each.columns}` === `${referenced}`,
      );
      return [{ name, references: references ?? '', keyOf: keyOf(columns), unique: unique?.name ?? '' }];
    }),
    checks: own.flatMap(({ kind, name, condition }) => {
      if (kind !== 'check' || condition === null) return [];
      const isMet = conditionOf(condition);
      // As in SQL, a condition of null is kept.
      return [{ name, isMet: (row: AnyRow) => isMet(row) !== false }];
    }),
  };
}

function keyOf(columns: readonly string[]): (row: AnyRow) => string | null {
  const properties = columns.map(propertyOf);
  return (row) => {
    let key = '';
    for (const property of properties) {
      const value = row[property];
      if (value === null || value === undefined) return null;
      key += `${String(value)} `;
    }
    return key;
  };
}

function propertyOf(column: string): string {
  return column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Makes a function of a condition: comparisons, lists, null, and, or. A column of null makes a comparison null. */
function conditionOf(sql: string): (row: AnyRow) => unknown {
  const code = sql
    .replaceAll('::text', '')
    .replaceAll(/(\w+) = ANY \(ARRAY\[([^\]]*)\]\)/g, '(row.$1 === null ? null : [$2].includes(row.$1))')
    .replaceAll(/\b(?<!row\.)([a-z]\w*) IS NOT NULL/g, 'row.$1 !== null')
    .replaceAll(/\b(?<!row\.)([a-z]\w*) IS NULL/g, 'row.$1 === null')
    .replaceAll(/\b(?<!row\.)([a-z]\w*) (=|<>|>=?|<=?) (?=['\w])/g, 'row.$1 $2 ')
    .replaceAll(/ = /g, ' === ')
    .replaceAll(' <> ', ' !== ')
    .replaceAll(' AND ', ' && ')
    .replaceAll(' OR ', ' || ')
    .replaceAll(/row\.(\w+)/g, (_, column: string) => `row.${propertyOf(column)}`);
  // The text is a condition of our own schema.
  return new Function('row', `return ${code}`) as (row: AnyRow) => unknown;
}
