import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SECRETS_KEY } from '../bench/processes/service-process.ts';
import type { Query } from '../chaos/evidence.ts';
import { queryOn } from '../chaos/setup.ts';
import { checkout } from '../service.ts';
import type { Say } from './bulk.ts';
import { oldestDelivered } from './fill.ts';
import { read } from './reads.ts';
import { deleteInBatches, replaceOneWeek } from './retention.ts';
import { megabytes, type ServedDatabase, show, withService } from './with-service.ts';

/** A filled database, and how long each part of the measurement takes. */
export interface Measured extends ServedDatabase {
  /** Time of the filling. */
  now: Date;
  isPartitioned: boolean;
  seconds: number;
}

/** Readings of the metrics are reused for ten seconds. */
const FRESH_MS = 10_500;

/** Time that batches of retention get, as a multiple of the time of other parts. */
const BATCHES_SHARE = 3;

/** Age at which delivered events are due in the measurement of batches, less than in production by so much. */
const DUE_MS = 1.5 * 86_400_000;

/** Measures starts, reads and scrapes while writers work. */
export async function measureReads(measured: Measured, say: Say): Promise<void> {
  await withService(measured, say, async ({ port, metricsPort, part, query }) => {
    const walAt = async () =>
      Number((await query<{ wal: string }>(`select pg_current_wal_lsn() - '0/0' as wal`))[0]?.wal);
    const before = await walAt();
    await part('writers alone', () => pause(measured.seconds * 1_000));
    say(`write-ahead log of the writers: ${megabytes((await walAt()) - before)} in ${measured.seconds} s`);
    await part('a reader beside them', async () => {
      const scrapes = scrapeUntil(metricsPort, performance.now() + measured.seconds * 2_000);
      show(say, await read(port, measured.practices, measured.seconds * 2_000));
      say(`scrapes of the worker, ms: ${(await scrapes).map((ms) => ms.toFixed(0)).join(', ')}`);
    });
  });
}

/** Measures what grows with the number of rows: retention, and `paylinks check`. */
export async function measureUpkeep(measured: Measured, say: Say): Promise<void> {
  const { url, now, seconds, isPartitioned, practices } = measured;
  await withService(measured, say, async ({ part, query }) => {
    await part('before retention', () => pause(seconds * 500));
    await part(isPartitioned ? 'a week is replaced' : 'batches delete', async () => {
      // Delivered events are as old as retention allows. This is a day and a half later.
      const due = new Date(now.getTime() + now.getTime() - 30 * 86_400_000 - oldestDelivered(now).getTime() + DUE_MS);
      const work = isPartitioned
        ? replaceOneWeek(url, query, now)
        : deleteInBatches(url, query, due, BATCHES_SHARE * seconds * 1_000);
      const { deleted, seconds: took, walMb, grownMb } = await work;
      say(
        `deleted ${deleted} deliveries in ${took.toFixed(1)} s, log ${walMb.toFixed(0)} MB, size ${grownMb.toFixed(0)} MB`,
      );
    });
    await part('after it', () => pause(seconds * 500));
    if (!isPartitioned) {
      await part('vacuum', async () => {
        const startedMs = performance.now();
        await query('vacuum webhook_deliveries, webhook_attempts');
        say(`vacuum took ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
      });
    }
    await part('paylinks check of one practice', () =>
      timeCommand(url, ['check', '--practice', practices[1]?.id ?? ''], say),
    );
    await part('paylinks check', () => timeCommand(url, ['check'], say));
    if (!isPartitioned) {
      await part('paylinks partitions enable', () => timeCommand(url, ['partitions', 'enable'], say));
    }
    await sayVacuums(query, say);
  });
}

/** Returns how long each scrape took, in milliseconds. */
async function scrapeUntil(port: number, untilMs: number): Promise<number[]> {
  const times: number[] = [];
  while (performance.now() < untilMs) {
    const startedMs = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    const text = await response.text();
    if (!text.includes('paylinks_database_up 1')) throw new Error('the worker does not read the database');
    times.push(performance.now() - startedMs);
    await pause(FRESH_MS);
  }
  return times;
}

/** Longest time of a command. It is ended after that. */
const COMMAND_LIMIT_MS = 330_000;

/** Runs a command, and shows its time and what it found. */
export async function timeCommand(url: string, args: string[], say: Say): Promise<void> {
  const startedMs = performance.now();
  const child = spawn(join(checkout, 'scripts/paylinks'), [...args, '--json'], {
    env: { PATH: process.env.PATH, DATABASE_URL: url, PROCESSOR: 'sandbox', SECRETS_KEY },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const timer = setTimeout(() => child.kill(), COMMAND_LIMIT_MS);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  if (output === '') return say(`ended without a result after ${seconds} s`);
  const { data } = JSON.parse(output) as { data: unknown[] };
  say(`exit code ${code} after ${seconds} s, rows: ${data.length}`);
  if (args[0] === 'check' && data.length > 0) say(JSON.stringify(data.slice(0, 3)));
}

/** Shows the size of deliveries, attempts and their indexes, those of partitions together. */
export async function saySizes(url: string, say: Say): Promise<void> {
  const rows = await queryOn(url)<{ name: string; bytes: string }>(
    `select coalesce(parent.relname, c.relname) as name, sum(pg_relation_size(c.oid)) as bytes
     from pg_class c left join pg_inherits on inhrelid = c.oid left join pg_class parent on parent.oid = inhparent
     where c.relkind in ('r', 'i') and coalesce(parent.relname, c.relname) ~ '^(webhook_(deliveries|attempts)|list_counts)'
     group by 1 having sum(pg_relation_size(c.oid)) > 1000000 order by sum(pg_relation_size(c.oid)) desc`,
  );
  for (const { name, bytes } of rows) say(`${name}: ${megabytes(Number(bytes))}`);
  say(`together ${megabytes(rows.reduce((sum, { bytes }) => sum + Number(bytes), 0))}`);
}

async function sayVacuums(query: Query, say: Say): Promise<void> {
  const rows = await query<{ relname: string; vacuums: number; analyzes: number; dead: number }>(
    `select relname, autovacuum_count::integer as vacuums, autoanalyze_count::integer as analyzes, n_dead_tup::integer as dead
     from pg_stat_user_tables where autovacuum_count + autoanalyze_count > 0 or n_dead_tup > 10000
     order by n_dead_tup desc`,
  );
  for (const { relname, vacuums, analyzes, dead } of rows) {
    say(`${relname}: ${vacuums} autovacuums, ${analyzes} autoanalyzes, ${dead} dead rows`);
  }
}
