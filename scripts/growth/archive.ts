import { setTimeout as pause } from 'node:timers/promises';
import type { Query } from '../chaos/evidence.ts';
import { queryOn } from '../chaos/setup.ts';
import { observeBatches } from './archive-batches.ts';
import { readLinks } from './archive-reads.ts';
import type { Say } from './bulk.ts';
import type { Line, Times } from './clients.ts';
import { timeCommand } from './measure.ts';
import { megabytes, type Part, type ServedDatabase, withService } from './with-service.ts';

/* The archive of closed links, filled by a worker beside writers. */

/** A database with closed links, and how long each part of the measurement takes. */
export interface MeasuredArchive extends ServedDatabase {
  /** Time of the filling. */
  now: Date;
  seconds: number;
  /** Longest time of the first fill of the archive. */
  archiveSeconds: number;
}

/** The least ARCHIVE_AFTER_DAYS. Half of the filled links are older. */
const AFTER_DAYS = 180;

const DAY_MS = 86_400_000;

/** Interval between two counts. */
const POLL_MS = 500;

/** Interval of the lines of progress. */
const PROGRESS_MS = 15_000;

/** A state of the database, and of its log. */
interface Sizes {
  walBytes: number;
  presentBytes: number;
  archiveBytes: number;
}

/** Measures the first fill of the archive, with reads before and after it, and shows a table. */
export async function measureArchive(measured: MeasuredArchive, say: Say): Promise<void> {
  const { url, practices, seconds, now } = measured;
  const query = queryOn(url);
  const due = new Date(now.getTime() - AFTER_DAYS * DAY_MS);
  const rows: [string, Part][] = [];
  const reads: Times[] = [];
  const atStart = await sizesOf(query);
  let walPerSecond = 0;
  await withService(measured, say, async ({ port, part }) => {
    const before = await sizesOf(query);
    const alone = await part('before the archive', () => pause(seconds * 1_000));
    walPerSecond = ((await sizesOf(query)).walBytes - before.walBytes) / alone.seconds;
    rows.push(['before', alone]);
    await part('reads before the archive', async () => {
      reads.push(await readLinks(port, query, practices, due, seconds * 1_000));
    });
  });
  const fill = { links: 0, seconds: 0, perSecond: 0, walBytes: 0, longestBatchMs: 0 };
  await withService(
    measured,
    say,
    async ({ part }) => {
      const attaching = await part('the archive is attached', () => untilAttached(query, measured.archiveSeconds));
      rows.push(['while it is attached, and tables are analyzed', attaching]);
      const before = await sizesOf(query);
      const batches = observeBatches(url);
      const during = await part('the archive is filled', async () => {
        Object.assign(fill, await untilFilled(query, measured.archiveSeconds, say));
      });
      fill.longestBatchMs = await batches.stop();
      fill.walBytes = (await sizesOf(query)).walBytes - before.walBytes - walPerSecond * during.seconds;
      rows.push(['while it is filled', during]);
    },
    { ARCHIVE_AFTER_DAYS: `${AFTER_DAYS}` },
  );
  const filled = await sizesOf(query);
  let vacuumSeconds = 0;
  await withService(measured, say, async ({ port, part }) => {
    const vacuum = await part('vacuum and analyze', async () => {
      const startedMs = performance.now();
      for (const table of await tables(query)) await query(`vacuum (analyze) ${table}`);
      vacuumSeconds = (performance.now() - startedMs) / 1_000;
    });
    rows.push(['`vacuum (analyze)` of all tables', vacuum]);
    rows.push(['after it', await part('after the archive', () => pause(seconds * 1_000))]);
    await part('reads after the archive', async () => {
      reads.push(await readLinks(port, query, practices, due, seconds * 1_000));
    });
    await part('paylinks check of one practice', () =>
      timeCommand(url, ['check', '--practice', practices[1]?.id ?? ''], say),
    );
  });
  const vacuumed = await sizesOf(query);
  const [left] = await query<{ due: number }>(
    'select count(*)::integer as due from only payment_links where closed_at < $1',
    [due],
  );
  const table = [
    '',
    ...writersTable(rows),
    '',
    '| reads | before the archive | after it |',
    '|---|---|---|',
    ...readRows(reads),
    '',
    '| archive | |',
    '|---|---|',
    `| links archived, and due ones left | ${number(fill.links)}, ${number(left?.due ?? 0)} |`,
    `| time, with the pauses between runs | ${fill.seconds.toFixed(0)} s |`,
    `| links a second | ${fill.perSecond.toFixed(0)} |`,
    `| longest batch | ${fill.longestBatchMs.toFixed(0)} ms |`,
    `| write-ahead log of 1,000 links, without that of the writers | ${(fill.walBytes / 1e3 / fill.links).toFixed(1)} MB |`,
    `| \`vacuum (analyze)\` of all tables | ${vacuumSeconds.toFixed(1)} s |`,
    `| present tables and archive: before | ${sizesText(atStart)} |`,
    `| after the fill | ${sizesText(filled)} |`,
    `| after \`vacuum\` | ${sizesText(vacuumed)} |`,
  ];
  for (const line of table) console.log(line);
}

/** A fill of the archive. */
interface Fill {
  /** Archived links, with the few of the time before. */
  links: number;
  seconds: number;
  perSecond: number;
}

/** Waits until the first link is archived. The run before it attaches the archive, and analyzes the tables. */
async function untilAttached(query: Query, forSeconds: number): Promise<void> {
  const endMs = performance.now() + forSeconds * 1_000;
  while ((await archivedLinks(query)) === 0) {
    if (performance.now() > endMs) throw new Error('no link was archived');
    await pause(POLL_MS);
  }
}

/** Waits until the walk has ended, at most so long. */
async function untilFilled(query: Query, forSeconds: number, say: Say): Promise<Fill> {
  const count = async () => ({ ms: performance.now(), links: await archivedLinks(query) });
  const endMs = performance.now() + forSeconds * 1_000;
  const first = await count();
  let [last, shown] = [first, first];
  while (last.ms < endMs && !(await hasEnded(query))) {
    await pause(POLL_MS);
    last = await count();
    if (last.ms - shown.ms < PROGRESS_MS) continue;
    say(`${number(last.links)} links archived, ${rateOf(shown, last).toFixed(0)} a second`);
    shown = last;
  }
  // The statistics are up to a second late.
  const [exact] = await query<{ links: number }>('select count(*)::integer as links from archive.payment_links');
  const end = { ms: last.ms, links: exact?.links ?? 0 };
  return { links: end.links, seconds: (end.ms - first.ms) / 1_000, perSecond: rateOf(first, end) };
}

async function hasEnded(query: Query): Promise<boolean> {
  return (await query('select from archive_walk where last_id is null')).length > 0;
}

/** Returns the links a second between two counts. */
function rateOf(from: { ms: number; links: number }, to: { ms: number; links: number }): number {
  return ((to.links - from.links) * 1_000) / Math.max(1, to.ms - from.ms);
}

/** Returns the number of links that were ever archived, by the statistics of the server. */
async function archivedLinks(query: Query): Promise<number> {
  const [row] = await query<{ links: number }>(
    `select n_tup_ins::float8 as links from pg_stat_user_tables
     where schemaname = 'archive' and relname = 'payment_links'`,
  );
  return row?.links ?? 0;
}

/** Returns the tables of both sides. */
async function tables(query: Query): Promise<string[]> {
  const rows = await query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'archive'::regnamespace and relkind = 'r' order by 1`,
  );
  const [version] = await query<{ major: number }>(
    `select current_setting('server_version_num')::integer / 10000 as major`,
  );
  // From 18 on, a table includes its children.
  const only = (version?.major ?? 0) >= 18 ? 'only ' : '';
  return rows.flatMap(({ name }) => [`${only}public.${name}`, `archive.${name}`]);
}

async function sizesOf(query: Query): Promise<Sizes> {
  const [row] = await query<{ wal: string; present: string; archived: string }>(
    `select pg_current_wal_lsn() - '0/0' as wal, sum(pg_total_relation_size('public.' || quote_ident(relname))) as present,
       sum(pg_total_relation_size(oid)) as archived
     from pg_class where relnamespace = 'archive'::regnamespace and relkind = 'r'`,
  );
  return {
    walBytes: Number(row?.wal),
    presentBytes: Number(row?.present),
    archiveBytes: Number(row?.archived),
  };
}

const sizesText = ({ presentBytes, archiveBytes }: Sizes) => `${megabytes(presentBytes)}, ${megabytes(archiveBytes)}`;

/** Columns of the table of writers, by the names of what was measured. */
const WRITTEN = ['create a link', 'cancel a link', 'from the event to its receipt'];

function writersTable(rows: readonly [string, Part][]): string[] {
  return [
    '| beside the writers | time | creates | cancels | receipts | refused |',
    '|---|---|---|---|---|---|',
    ...rows.map(([name, { seconds, refused, lines }]) => {
      const times = WRITTEN.map((written) => timesText(lines.find((line) => line.name === written)));
      return `| ${name} | ${seconds.toFixed(0)} s | ${times.join(' | ')} | ${refused} |`;
    }),
  ];
}

function readRows([before, after]: readonly Times[]): string[] {
  const [earlier, later] = [before?.lines() ?? [], after?.lines() ?? []];
  return earlier.map(
    (line) => `| ${line.name} | ${timesText(line)} | ${timesText(later.find(({ name }) => name === line.name))} |`,
  );
}

function timesText(line: Line | undefined): string {
  return line === undefined ? '–' : `${line.p50Ms}, ${line.p99Ms}, ${line.longestMs}`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
