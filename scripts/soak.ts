import { setTimeout as pause } from 'node:timers/promises';
import { NODE_FLAGS } from './service.ts';
import { bucketsOf, databaseFigures, type Figures, growthViolations, metricOf, percentileOf } from './soak/figures.ts';
import { FEWEST_MINUTES, growthPerLink, readTables } from './soak/tables.ts';
import { checkStoredData } from './trial/checker.ts';
import { startInstallation } from './trial/installation.ts';
import { startLoad } from './trial/load.ts';
import { numberOption } from './trial/options.ts';
import { freePorts, serviceEnvironment } from './trial/process.ts';
import { ProcessGroup } from './trial/process-group.ts';
import { createRandom } from './trial/random.ts';
import { type ChaosPractice, createEndpoints, createPractices } from './trial/setup.ts';

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

async function main(): Promise<void> {
  const [minutes, linksPerSecond] = [numberOption('MINUTES', 60, FEWEST_MINUTES), numberOption('LINKS', 10)];
  const random = createRandom(1);
  const installation = await startInstallation({ folder: { name: 'paylinks-soak' }, durable: true, random });
  const { directory, postgres, query, receivers } = installation;
  const [api = 0, apiMetrics = 0, workerMetrics = 0] = await freePorts(3, random);
  const processes = new ProcessGroup({ env: serviceEnvironment(postgres.url), directory, nodeArguments: NODE_FLAGS });
  try {
    const apiEnv = { PORT: `${api}`, METRICS_PORT: `${apiMetrics}` };
    processes.add({ name: 'serve', command: 'serve', env: apiEnv });
    processes.add({ name: 'worker', command: 'worker', env: { METRICS_PORT: `${workerMetrics}` } });
    await processes.untilUp(30_000);
    const links = minutes * 60 * linksPerSecond;
    const practices: ChaosPractice[] = [];
    for (let made = 0; made < links; made += LINKS_PER_SET) practices.push(...(await createPractices(postgres.url)));
    await createEndpoints(api, practices, receivers);
    const load = startLoad({ ports: [api], practices, links, spreadMs: minutes * MINUTE_MS, random });
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
    const stored = checkStoredData(postgres.url);
    const growing = growthViolations(rows);
    console.table(rows.map(numbersOf));
    console.table(largestTables(rows));
    const wrong = [...growing, ...stored, ...load.wrongAnswers, ...processes.unexpectedEnds];
    for (const text of wrong) console.log(`NOT FLAT OR WRONG: ${text}`);
    if (wrong.length > 0) process.exitCode = 1;
    else console.log('Memory, p99, tables, autovacuum and the backlog stayed flat, and the stored data agree.');
  } finally {
    await processes.abandon();
    await installation.close({ keepsLogs: false });
  }
}

/** Returns the figures of a minute without those of its tables, as whole numbers. */
function numbersOf({ tables: _, ...figures }: Figures): Record<string, number> {
  return rounded(figures);
}

function rounded(figures: object): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Math.round(value)]));
}

/** Returns the tables that grew most, in bytes per link before and after, with their figures of the last minute. */
function largestTables(rows: readonly Figures[]): object[] {
  const last = rows.at(-1)?.tables ?? {};
  return growthPerLink(rows)
    .slice(0, 15)
    .map(({ name, ...growth }) => ({ name, ...rounded({ ...growth, ...last[name] }) }));
}

async function scrape(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

await main();
