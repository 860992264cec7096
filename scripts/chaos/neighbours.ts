import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Query } from '../trial/evidence.ts';
import { startInstallation } from '../trial/installation.ts';
import { freePorts, serviceEnvironment } from '../trial/process.ts';
import { ProcessGroup } from '../trial/process-group.ts';
import { createRandom } from '../trial/random.ts';
import { createEndpoints, createPractices } from '../trial/setup.ts';
import { PracticeLoad } from './practice-load.ts';
import { ROWS } from './rows.ts';

/** Measurements of the healthy practice while one thing is wrong with the other. */
export interface NeighbourRow {
  fault: string;
  requests: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** Answers 5xx, or none. */
  failed: number;
  /** Longest time from a link's `expiresAt` until it was expired, and from an event until its delivery. */
  expiredAfterMs: number;
  deliveredAfterMs: number;
  /** Answers to the stuck practice itself, by status, and its longest wait. */
  own: string;
  ownMaxMs: number;
}

export interface NeighbourOptions {
  /** Seconds for which each row stays locked. */
  seconds: number;
  say: (text: string) => void;
}

/** Two APIs serve while a third may be stopped; the healthy practice asks those two. */
const SERVES = 3;

/** An API is stopped for longer than the database waits before it ends an idle transaction. */
const FREEZE_MS = 8_000;

/** Rows that a request reaches in the middle of a transaction, or of its one statement. */
const FREEZE_AT = ['practice', 'endpoint', 'link', 'delivery', 'daily count', 'rate window'];

/**
 * Measures a healthy practice beside one that is stuck. Each kind of row is locked from outside, and an API is stopped
 * inside each kind of transaction. Records the answers to the healthy practice, when its links expire, and when its
 * events arrive.
 */
export async function measureNeighbours({ seconds, say }: NeighbourOptions): Promise<NeighbourRow[]> {
  const folder = { name: 'paylinks-neighbours' };
  const installation = await startInstallation({ folder, durable: true, random: createRandom(1) });
  const { directory, postgres, query, receivers } = installation;
  const ports = await freePorts(SERVES, createRandom(2));
  const processes = new ProcessGroup({ env: serviceEnvironment(postgres.url), directory, ports, workers: 2 });
  try {
    const practices = (await createPractices(postgres.url)).filter(({ character }) => character === 'fast');
    const others = (await createPractices(postgres.url)).filter(({ character }) => character === 'fast');
    await processes.untilUp(30_000);
    await createEndpoints(ports[0] ?? 0, [...practices, ...others], receivers, 2);
    const [stuck, healthy] = [practices[0], others[0]];
    if (stuck === undefined || healthy === undefined) throw new Error('both have fast receivers');
    const setup: Setup = { processes, ports, query, databaseUrl: postgres.url, stuck, healthy };
    const rows = [await measure(setup, 'none', () => pause(seconds * 1_000), ports)];
    for (const row of Object.keys(ROWS)) {
      say(`${row} locked for ${seconds} s`);
      rows.push(await measure(setup, `${row} locked`, (load) => lockRowFor(setup, load, row, seconds), ports));
    }
    for (const row of FREEZE_AT) {
      say(`an API stopped at the ${row}`);
      const [frozen = 0, ...awake] = ports;
      const fault = `API stopped at ${row}`;
      rows.push(await measure(setup, fault, (load) => freeze(setup, load, row, frozen), awake));
    }
    return rows;
  } finally {
    await processes.abandon();
    await installation.close({ keepsLogs: false });
  }
}

interface Setup {
  processes: ProcessGroup;
  ports: number[];
  query: Query;
  databaseUrl: string;
  stuck: { practiceId: string; testKey: string };
  healthy: { practiceId: string; testKey: string };
}

/** Brings the fault about while both practices ask, the healthy one at the ports that answer. */
async function measure(
  setup: Setup,
  fault: string,
  bringAbout: (load: PracticeLoad) => Promise<unknown>,
  ports: number[],
): Promise<NeighbourRow> {
  const own = new PracticeLoad(setup.stuck, setup.ports, setup.query);
  const other = new PracticeLoad(setup.healthy, ports, setup.query);
  await Promise.all([own.createRows(), other.createRows()]);
  const [since] = await setup.query<{ now: string }>('select clock_timestamp()::text as now');
  const isCalm = fault === 'none';
  const done = other.sendSteadily();
  const concurrent = isCalm ? Promise.resolve() : own.sendConcurrently();
  await bringAbout(own);
  other.stop();
  own.stop();
  await Promise.all([done, concurrent]);
  const lags = await other.lags(since?.now ?? '');
  return {
    fault,
    ...other.latencies(),
    ...lags,
    own: isCalm ? '' : own.statuses(),
    ownMaxMs: isCalm ? 0 : own.latencies().maxMs,
  };
}

async function lockRowFor(setup: Setup, load: PracticeLoad, row: string, seconds: number): Promise<void> {
  const release = await lockRow(setup, load, row);
  await pause(seconds * 1_000);
  await release();
}

/**
 * Freezes an API in the middle of its work. A request of the stuck practice waits there for a row, the process stops,
 * and the row is unlocked. From then on the abandoned transaction has the locks of its statement.
 */
async function freeze(setup: Setup, load: PracticeLoad, row: string, port: number): Promise<void> {
  const release = await lockRow(setup, load, row);
  load.requestRow(row, port);
  await pause(1_000);
  const resumed = setup.processes.freeze(`serve-${port}`, FREEZE_MS);
  await release();
  await resumed;
}

async function lockRow({ databaseUrl }: Setup, load: PracticeLoad, row: string): Promise<() => Promise<void>> {
  const select = ROWS[row];
  if (select === undefined) throw new Error(`there is no row ${row}`);
  const [text, values] = select(load.lockableRows);
  const locker = new pg.Client({ connectionString: databaseUrl, application_name: 'chaos' });
  await locker.connect();
  await locker.query('begin');
  const { rowCount } = await locker.query(`${text} for update`, values);
  if (rowCount === 0) throw new Error(`there is no ${row} to lock`);
  return async () => {
    await locker.query('rollback');
    await locker.end();
  };
}
