import type { Query } from '../trial/evidence.ts';

/** Figures of a table with its indexes, at one moment. */
export interface TableFigures {
  bytes: number;
  deadRows: number;
  /** Dead rows above which autovacuum comes, by the settings and the size of the table. */
  threshold: number;
  /** Runs of autovacuum that ended so far. */
  vacuums: number;
}

export type Tables = Readonly<Record<string, TableFigures>>;

interface Minute {
  links: number;
  tables: Tables;
}

/** Returns the figures of all tables, those of PostgreSQL's catalogs included. */
export async function readTables(query: Query): Promise<Tables> {
  const rows = await query<TableFigures & { name: string }>(`
    select case s.schemaname when 'public' then s.relname else s.schemaname || '.' || s.relname end as name,
      pg_total_relation_size(s.relid)::double precision as bytes, n_dead_tup::integer as "deadRows",
      autovacuum_count::integer as vacuums,
      coalesce(o.threshold, current_setting('autovacuum_vacuum_threshold'))::double precision
        + coalesce(o.factor, current_setting('autovacuum_vacuum_scale_factor'))::double precision
        * greatest(c.reltuples, 0) as threshold
    from pg_stat_all_tables s join pg_class c on c.oid = s.relid, lateral (
      select max(option_value) filter (where option_name = 'autovacuum_vacuum_threshold') as threshold,
        max(option_value) filter (where option_name = 'autovacuum_vacuum_scale_factor') as factor
      from pg_options_to_table(c.reloptions)
    ) as o
    where s.schemaname <> 'pg_toast' and pg_total_relation_size(s.relid) is not null`);
  return Object.fromEntries(rows.map(({ name, ...figures }) => [name, figures]));
}

/** Fewest minutes that can be judged. Quarters need four, and the rule about autovacuum more than ten. */
export const FEWEST_MINUTES = 11;

/**
 * Returns the second and the last quarter of a run, which are compared with each other, each behind the minute before it.
 *
 * @throws Error for fewer than `FEWEST_MINUTES`
 */
export function quartersOf<Minute>(minutes: readonly Minute[]): { second: Minute[]; last: Minute[] } {
  if (minutes.length < FEWEST_MINUTES) throw new Error(`a run of fewer than ${FEWEST_MINUTES} minutes is not judged`);
  const length = Math.floor(minutes.length / 4);
  return { second: minutes.slice(length - 1, 2 * length), last: minutes.slice(-length - 1) };
}

/** Largest factor of a table's growth per link, and bytes per link that are free: a table grows in steps of some pages. */
const LARGEST_FACTOR = 1.5;
const FREE_BYTES_PER_LINK = 500;

/** Returns a sentence for each table that grew faster than the links, from the second quarter of the minutes to the last. */
export function fasterThanLinks(minutes: readonly Minute[]): string[] {
  return growthPerLink(minutes)
    .filter(({ before, after }) => after > Math.max(before, 0) * LARGEST_FACTOR + FREE_BYTES_PER_LINK)
    .map(
      ({ name, before, after }) =>
        `${name} grew by ${Math.round(before)}, and later by ${Math.round(after)} bytes per link`,
    );
}

/**
 * Returns the growth per link of each table in bytes, in the second quarter of the minutes and in the last one, largest first.
 * Returns nothing if a quarter has no link.
 *
 * @throws Error for fewer than `FEWEST_MINUTES`
 */
export function growthPerLink(minutes: readonly Minute[]) {
  const { second, last } = quartersOf(minutes);
  const linksOf = (quarter: readonly Minute[]) => growthOf(quarter, ({ links }) => links);
  if (linksOf(second) === 0 || linksOf(last) === 0) return [];
  const bytesPerLink = (name: string, quarter: readonly Minute[]) =>
    growthOf(quarter, ({ tables }) => tables[name]?.bytes ?? 0) / linksOf(quarter);
  return Object.keys(last.at(-1)?.tables ?? {})
    .map((name) => ({ name, before: bytesPerLink(name, second), after: bytesPerLink(name, last) }))
    .toSorted((one, other) => other.after - one.after);
}

function growthOf([first, ...others]: readonly Minute[], value: (minute: Minute) => number): number {
  const end = others.at(-1);
  return first === undefined || end === undefined ? 0 : value(end) - value(first);
}

/** Longest time that a table may have more dead rows than autovacuum's threshold before a run of autovacuum ends, in minutes. */
const LONGEST_WAIT_MINUTES = 10;

/** Returns a sentence for each table to which autovacuum did not come in time. It looks at a database once a minute. */
export function withoutAutovacuum(minutes: readonly Minute[]): string[] {
  const names = Object.keys(minutes.at(-1)?.tables ?? {});
  return names.flatMap((name) => {
    const waits = waitsForAutovacuum(minutes.map(({ tables }) => tables[name]));
    const longest = Math.max(...waits);
    return longest <= LONGEST_WAIT_MINUTES ? [] : [`${name} waited for autovacuum for ${longest} minutes`];
  });
}

/** Returns for each minute how long a table has had too many dead rows by then, without the end of a run. */
function waitsForAutovacuum(readings: readonly (TableFigures | undefined)[]): number[] {
  let wait = 0;
  return readings.map((reading, at) => {
    const isOverdue = reading !== undefined && reading.deadRows > reading.threshold;
    const hasRun = (reading?.vacuums ?? 0) > (readings[at - 1]?.vacuums ?? 0);
    wait = isOverdue && !hasRun ? wait + 1 : 0;
    return wait;
  });
}
