import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger } from '../src/base/log/log.ts';
import { migrate } from '../src/database/migrate.ts';
import { removeEmbeddedPostgres } from '../src/embedded/remove.ts';
import { startEmbeddedPostgres } from '../src/embedded/server.ts';
import { startLoad } from './chaos/load.ts';
import { type ServiceProcess, serviceEnvironment, startProcess, untilAnswering } from './chaos/process.ts';
import { createRandom } from './chaos/random.ts';
import { startReceivers } from './chaos/receivers.ts';
import { freePorts } from './chaos/run.ts';
import { type ChaosPractice, createEndpoints, createPractices, queryOn } from './chaos/setup.ts';
import { checkStoredData } from './chaos/stored-data.ts';
import { NODE_FLAGS } from './service.ts';
import { bucketsOf, databaseFigures, type Figures, growthViolations, metricOf, percentileOf } from './soak/figures.ts';
import { FEWEST_MINUTES } from './soak/quarters.ts';
import { growthPerLink, readTables } from './soak/tables.ts';

/*
 * `make soak`: a steady mixed load, and a line of figures every minute. Figures are the p99 of creates, memory of the
 * processes, waiting deliveries, size of the database, dead rows and vacuums. At the end the last quarter is compared with
 * the second one, and so is the growth of each table per link.
 *
 * - MINUTES=60: duration, at least 11, since fewer minutes cannot be judged
 * - LINKS=10: links per second; each has ten endpoints and ends as paid, processing, failed, expired or cancelled
 */

const MINUTE_MS = 60_000;

/** Links that one set of practices creates. None of its keys reaches the daily cap of 5,000. */
const LINKS_PER_SET = 12_000;

function number(name: string, fallback: number, least: number): number {
  const value = Number(process.env[name] ?? fallback);
  if (!Number.isInteger(value) || value < least) throw new Error(`${name} must be a whole number from ${least} on`);
  return value;
}

async function main(): Promise<void> {
  const [minutes, linksPerSecond] = [number('MINUTES', 60, FEWEST_MINUTES), number('LINKS', 10, 1)];
  const directory = mkdtempSync(join(tmpdir(), 'paylinks-soak-'));
  const random = createRandom(1);
  const receivers = await startReceivers(random);
  const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres'), durable: true });
  const processes: ServiceProcess[] = [];
  try {
    await migrate(postgres.url, createLogger('silent'));
    const [api = 0, apiMetrics = 0, workerMetrics = 0] = await freePorts(3, random);
    const env = serviceEnvironment(postgres.url);
    const start = (command: 'serve' | 'worker', metricsPort: number) =>
      startProcess(
        command,
        { ...env, PORT: `${api}`, METRICS_PORT: `${metricsPort}` },
        { directory, nodeArguments: NODE_FLAGS },
      );
    processes.push(start('serve', apiMetrics), start('worker', workerMetrics));
    await untilAnswering(api, 30_000);
    const links = minutes * 60 * linksPerSecond;
    const practices: ChaosPractice[] = [];
    for (let made = 0; made < links; made += LINKS_PER_SET) practices.push(...(await createPractices(postgres.url)));
    await createEndpoints(api, practices, receivers);
    const load = startLoad({ ports: [api], practices, links, spreadMs: minutes * MINUTE_MS, random });
    const query = queryOn(postgres.url);
    const rows: Figures[] = [];
    let before = bucketsOf(await scrape(apiMetrics));
    let tablesBefore = await readTables(query);
    for (let minute = 1; minute <= minutes; minute++) {
      await pause(MINUTE_MS);
      const [ofApi, ofWorker] = [await scrape(apiMetrics), await scrape(workerMetrics)];
      const buckets = bucketsOf(ofApi);
      const tables = await readTables(query);
      const row: Figures = {
        minute,
        links: load.confirmed.size,
        createP99Ms: percentileOf(before, buckets, 99) * 1_000,
        apiMb: metricOf(ofApi, 'process_resident_memory_bytes') / 1e6,
        workerMb: metricOf(ofWorker, 'process_resident_memory_bytes') / 1e6,
        waiting: metricOf(ofWorker, 'paylinks_webhook_deliveries_waiting'),
        ...databaseFigures(tables, tablesBefore),
      };
      before = buckets;
      tablesBefore = tables;
      rows.push(row);
      console.log(JSON.stringify(numbersOf(row)));
    }
    await load.done;
    const findings = checkStoredData(postgres.url);
    const growing = growthViolations(rows);
    console.table(rows.map(numbersOf));
    console.table(largestTables(rows));
    for (const text of [...growing, ...findings, ...load.wrongAnswers]) console.log(`NOT FLAT OR WRONG: ${text}`);
    if (growing.length + findings.length + load.wrongAnswers.length > 0) process.exitCode = 1;
    else console.log('Memory, p99, tables, autovacuum and the backlog stayed flat, and the stored data agree.');
  } finally {
    for (const running of processes) running.signal('SIGTERM');
    await Promise.all(processes.map(({ ended }) => ended));
    await receivers.close();
    await postgres.stop();
    await removeEmbeddedPostgres(join(directory, 'postgres'));
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Returns the figures of a minute without those of its tables, as whole numbers. */
function numbersOf({ tables: _, ...figures }: Figures): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Math.round(value)]));
}

/** Returns the tables that grew most per link, with their figures of the last minute. Columns of growth are bytes per link. */
function largestTables(rows: readonly Figures[]): object[] {
  const last = rows.at(-1)?.tables ?? {};
  return growthPerLink(rows)
    .slice(0, 15)
    .map(({ name, before, after }) => {
      const { bytes, deadRows, threshold, vacuums } = last[name] ?? { bytes: 0, deadRows: 0, threshold: 0, vacuums: 0 };
      const figures = {
        megabytes: bytes / 1e6,
        secondQuarter: before,
        lastQuarter: after,
        deadRows,
        threshold,
        vacuums,
      };
      return { name, ...Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, Math.round(value)])) };
    });
}

async function scrape(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

await main();
