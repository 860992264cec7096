import { fasterThanLinks, quartersOf, type Tables, withoutAutovacuum } from './tables.ts';

export interface Figures {
  minute: number;
  /** Links that were confirmed so far. */
  links: number;
  createP99Ms: number;
  apiMb: number;
  workerMb: number;
  /** Deliveries that wait for an attempt. */
  waiting: number;
  databaseMb: number;
  deadRows: number;
  /** Runs of autovacuum that ended in this minute. */
  vacuums: number;
  tables: Tables;
}

/** Returns the figures of the database that a minute adds to those of the minute before. */
export function databaseFigures(tables: Tables, before: Tables) {
  const sum = (all: Tables, name: 'bytes' | 'deadRows' | 'vacuums') =>
    Object.values(all).reduce((total, table) => total + table[name], 0);
  return {
    databaseMb: sum(tables, 'bytes') / 1e6,
    deadRows: sum(tables, 'deadRows'),
    vacuums: sum(tables, 'vacuums') - sum(before, 'vacuums'),
    tables,
  };
}

export function metricOf(metrics: string, name: string): number {
  const lines = metrics.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/** Returns the creates so far by the upper end of their class of durations, in seconds. */
export function bucketsOf(metrics: string): Map<number, number> {
  const line =
    /^paylinks_request_duration_seconds_bucket\{le="([^"]+)",.*operation="createPaymentLink".* ([\d.e+]+)$/gm;
  const buckets = new Map<number, number>();
  for (const [, end = '', count = ''] of metrics.matchAll(line)) {
    const seconds = end === '+Inf' ? Number.POSITIVE_INFINITY : Number(end);
    buckets.set(seconds, (buckets.get(seconds) ?? 0) + Number(count));
  }
  return buckets;
}

/** Returns the upper end of the class that has the percentile of what came in between, in seconds; 0 if nothing came. */
export function percentileOf(
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
  percent: number,
): number {
  const ends = [...after.keys()].toSorted((a, b) => a - b);
  const upTo = (end: number) => (after.get(end) ?? 0) - (before.get(end) ?? 0);
  const total = upTo(Number.POSITIVE_INFINITY);
  if (total === 0) return 0;
  return ends.find((end) => upTo(end) >= (total * percent) / 100) ?? Number.POSITIVE_INFINITY;
}

/**
 * Figures that must not grow, with the largest factor between the second quarter and the last one, and a free amount. Dead rows are not
 * among them: the thresholds of autovacuum are shares of the tables, so they grow with the data.
 */
const FLAT = [
  ['createP99Ms', 2, 50],
  ['apiMb', 1.15, 10],
  ['workerMb', 1.15, 10],
  ['waiting', 2, 200],
  ['vacuums', 2, 5],
] as const;

/**
 * Returns a sentence for each figure that grew from the second quarter of the rows to the last. Then come tables that grew
 * faster than the links, and tables to which autovacuum did not come.
 *
 * @throws Error for fewer than `FEWEST_MINUTES` rows
 */
export function growthViolations(rows: readonly Figures[]): string[] {
  const { second, last } = quartersOf(rows);
  const growing = FLAT.flatMap(([name, factor, free]) => {
    const [before, after] = [medianOf(second, name), medianOf(last, name)];
    if (after <= before * factor + free) return [];
    return [`${name} grew from ${Math.round(before)} to ${Math.round(after)}`];
  });
  return [...growing, ...fasterThanLinks(rows), ...withoutAutovacuum(rows)];
}

/** Returns the median of a quarter, without the minute before it. */
function medianOf(quarter: readonly Figures[], name: (typeof FLAT)[number][0]): number {
  const values = quarter
    .slice(1)
    .map((row) => row[name])
    .toSorted((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? 0;
}
