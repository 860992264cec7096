import { processorMs } from '../../../proc.ts';
import type { Measured } from '../../figure.ts';
import { databaseWorkOf, measureLoad } from '../../measured-load.ts';
import { type Bench, repeat, scaled } from '../../scenario.ts';
import { seedPractices } from '../../seed/seed.ts';
import { CREATE_PRACTICES, createLoad } from '../links/create.ts';
import { drainOnce, drainScene, quiet } from '../webhooks/drain.ts';
import { cancelPaced, ENDPOINTS, linksFor, PER_SECOND, pacedStage } from '../webhooks/paced.ts';

const CREATES = 2_000;
const DELIVERIES = 5_000;

/** Work for one create or event. */
interface Cost {
  /** Begin and commit included. */
  statements: number;
  walBytes: number;
  /** Milliseconds of service and database together; null where the system does not report them. */
  processorMs?: number | null;
}

/** Measures repeatedly after a first time, which warms up. Returns the figures, with the most that each may be. */
async function costs(bench: Bench, what: string, limits: Partial<Cost>, measure: () => Promise<Cost>) {
  await measure();
  const measured = await repeat(bench, what, measure);
  await bench.stage.clear();
  const of = (kind: keyof Cost, name: string, unit: string): Measured[] => {
    const repetitions = measured.flatMap((cost) => cost[kind] ?? []);
    const limit = limits[kind];
    const target = limit == null ? undefined : ({ of: 'value', limit } as const);
    return repetitions.length === 0 ? [] : [{ name: `${name} per ${what}`, unit, repetitions, target }];
  };
  return [
    ...of('statements', 'statements, begin and commit counted,', 'statements'),
    ...of('walBytes', 'WAL of the statements', 'bytes'),
    ...of('processorMs', 'processor time of service and database', 'ms'),
  ];
}

async function costOfCreates(bench: Bench) {
  const { stage, effort } = bench;
  const scene = await stage.newScene();
  const practices = await seedPractices(scene.admin, CREATE_PRACTICES);
  const [serve, helper] = [await stage.start('serve', scene), stage.helper('load')];
  const maxRequests = scaled(effort, CREATES);
  const load = { ...createLoad(practices, effort, serve.port), warmUpMs: 0, windowMs: 60_000, maxRequests };
  return costs(bench, 'create', {}, async () => {
    const { roundTripsEach, walBytesEach } = await measureLoad(stage, scene, helper, load, serve.pid);
    return { statements: roundTripsEach, walBytes: walBytesEach };
  });
}

/** Deliveries alone. */
async function costOfBacklog(bench: Bench) {
  const { stage, effort } = bench;
  const drained = await drainScene(stage, ENDPOINTS);
  await stage.start('worker', drained.scene);
  const count = scaled(effort, DELIVERIES);
  return costs(bench, 'event out of a backlog', { statements: 8 }, async () => {
    const { roundTrips, walBytes } = await databaseWorkOf(stage, drained.scene, async () => {
      await drainOnce(drained, count);
      // Wake-up jobs that run when nothing is left to deliver cost as well.
      await quiet(drained.scene.admin);
    });
    return { statements: roundTrips / count, walBytes: walBytes / count };
  });
}

/** Everyday load: the cancel of a link and the delivery of its event, with all that API, worker and job queue do. */
async function costOfEvents(bench: Bench) {
  const { stage, effort } = bench;
  const paced = await pacedStage(stage);
  const service = () => (processorMs(paced.serve.pid) ?? 0) + (processorMs(paced.worker.pid) ?? 0);
  const limits = { statements: 5, walBytes: 8_000, processorMs: 4.5 };
  return costs(bench, `event at ${PER_SECOND} cancels/s`, limits, async () => {
    // Not part of an event's cost.
    const links = await linksFor(paced, effort.windowMs);
    const before = service();
    const work = await databaseWorkOf(stage, paced.scene, () => cancelPaced(paced, links));
    const events = work.result.latencies.length;
    const together = work.processorMs === null ? null : (work.processorMs + service() - before) / events;
    return { statements: work.roundTrips / events, walBytes: work.walBytes / events, processorMs: together };
  });
}

/** Cost of one create and of one delivered event. */
export async function cost(bench: Bench) {
  return [...(await costOfCreates(bench)), ...(await costOfBacklog(bench)), ...(await costOfEvents(bench))];
}
