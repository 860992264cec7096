import { setTimeout as pause } from 'node:timers/promises';
import { processorMs } from '../../../proc.ts';
import type { Measured } from '../../figure.ts';
import { databaseWorkOf } from '../../measured-load.ts';
import { type Bench, repeat } from '../../scenario.ts';
import { machineMs } from '../../statistics.ts';
import { quiet } from './drain.ts';
import { cancelPaced, linksFor, type PacedStage, pacedStage } from './paced.ts';

/* The same steady events with more and more workers. What idle workers do in the same time is taken off. */

const WORKERS = [1, 2, 4, 8];
const PER_SECOND = 60;
/** Time until all workers know each other, by their heartbeats. */
const SETTLE_MS = 3_000;
/** Most claims per event with the most workers. */
const MOST_CLAIMS = 1.1;

/** Work of all processes and of the database in one second of their time. */
type Work = Record<'statements' | 'claims' | 'processorMs', number>;

async function workOf<T>({ stage }: Bench, { scene }: PacedStage, pids: number[], work: () => Promise<T>) {
  const service = () => pids.reduce((sum, pid) => sum + (processorMs(pid) ?? 0), 0);
  const [beforeMs, startedMs] = [service(), machineMs()];
  const measured = await databaseWorkOf(stage, scene, work);
  const seconds = (machineMs() - startedMs) / 1000;
  const perSecond: Work = {
    statements: measured.roundTrips / seconds,
    claims: measured.claims / seconds,
    processorMs: (service() - beforeMs + (measured.processorMs ?? 0)) / seconds,
  };
  return { result: measured.result, seconds, perSecond };
}

async function costWith(count: number, bench: Bench): Promise<Measured[]> {
  const { stage, effort } = bench;
  const paced = await pacedStage(stage);
  const others = await Promise.all(Array.from({ length: count - 1 }, () => stage.start('worker', paced.scene)));
  const pids = [paced.serve, paced.worker, ...others].map(({ pid }) => pid);
  await pause(SETTLE_MS);
  await cancelPaced(paced, await linksFor(paced, effort.warmUpMs, PER_SECOND), PER_SECOND);
  const name = `${count} ${count === 1 ? 'worker' : 'workers'}`;
  const measured = await repeat(bench, name, async () => {
    const links = await linksFor(paced, effort.windowMs * 2, PER_SECOND);
    const busy = await workOf(bench, paced, pids, async () => {
      const { latencies } = await cancelPaced(paced, links, PER_SECOND);
      await quiet(paced.scene.admin);
      return latencies.length;
    });
    const idle = await workOf(bench, paced, pids, () => pause(busy.seconds * 1000));
    const each = (kind: keyof Work) => ((busy.perSecond[kind] - idle.perSecond[kind]) * busy.seconds) / busy.result;
    return { statements: each('statements'), claims: each('claims'), processorMs: each('processorMs') };
  });
  await stage.clear();
  const of = (kind: keyof Work, what: string, unit: string, limit?: number): Measured => ({
    ...{
      name: `${name}, ${PER_SECOND} cancels/s: ${what} per event`,
      unit,
      repetitions: measured.map((cost) => cost[kind]),
    },
    target: limit === undefined ? undefined : { of: 'value', limit },
  });
  return [
    of('statements', 'statements, begin and commit counted,', 'statements'),
    of('claims', 'claims', 'claims', count === WORKERS.at(-1) ? MOST_CLAIMS : undefined),
    of('processorMs', 'processor time of service and database', 'ms'),
  ];
}

/** Cost of an event by the number of workers. */
export async function workers(bench: Bench) {
  const figures: Measured[] = [];
  for (const count of WORKERS) figures.push(...(await costWith(count, bench)));
  return figures;
}
