import { processorMs } from '../../../proc.ts';
import { type Figure, figure } from '../../figure.ts';
import { databaseWorkOf, measureLoad } from '../../measured-load.ts';
import { type Bench, repeat, type Scenario, scaled } from '../../scenario.ts';
import { seedPractices } from '../../seed/seed.ts';
import { CREATE_PRACTICES, createLoad } from '../links/create.ts';
import { drainOnce, drainScene, quiet } from '../webhooks/drain.ts';
import { cancelPaced, ENDPOINTS, PER_SECOND, pacedStage } from '../webhooks/paced.ts';

const CREATES = 2_000;
const DELIVERIES = 5_000;

/** Work for one create or event. */
interface Cost {
  /** Begin and commit included. */
  statements: number;
  walBytes: number;
  /** Milliseconds of service and database together; null where the system does not report them. */
  processorMs: number | null;
}

/** Most that an event may cost; 0 for no bound. */
interface Limits {
  statements: number;
  walBytes: number;
  processorMs: number;
}

/** The first time warms up. */
async function costs(bench: Bench, what: string, measure: () => Promise<Cost>): Promise<Cost[]> {
  await measure();
  return repeat(bench, what, measure);
}

async function costOfCreates(bench: Bench): Promise<Figure[]> {
  const { stage, effort } = bench;
  const scene = await stage.newScene();
  const practices = await seedPractices(scene.admin, CREATE_PRACTICES);
  const [serve, helper] = [await stage.start('serve', scene), stage.helper('load')];
  const maxRequests = scaled(effort, CREATES);
  const load = { ...createLoad(practices, effort, serve.port), warmUpMs: 0, windowMs: 60_000, maxRequests };
  const measured = await costs(bench, 'creates', async () => {
    const { roundTripsEach, walBytesEach } = await measureLoad({ stage, scene, helper, load, pid: serve.pid });
    return { statements: roundTripsEach, walBytes: walBytesEach, processorMs: null };
  });
  await stage.clear();
  return figuresOf('create', measured, { statements: 0, walBytes: 0, processorMs: 0 });
}

/** Deliveries alone. */
async function costOfBacklog(bench: Bench): Promise<Figure[]> {
  const { stage, effort } = bench;
  const receiver = stage.helper('receiver');
  const { scene, endpoints } = await drainScene(stage, await receiver.call('start', null), ENDPOINTS);
  await stage.start('worker', scene);
  const count = scaled(effort, DELIVERIES);
  const measured = await costs(bench, 'deliveries', async () => {
    const { roundTrips, walBytes } = await databaseWorkOf(stage, scene, async () => {
      await drainOnce(scene, receiver, endpoints, count);
      // Wake-up jobs that run when nothing is left to deliver cost as well.
      await quiet(scene.admin);
    });
    return { statements: roundTrips / count, walBytes: walBytes / count, processorMs: null };
  });
  await stage.clear();
  return figuresOf('event out of a backlog', measured, { statements: 8, walBytes: 0, processorMs: 0 });
}

/** Everyday load: the cancel of a link and the delivery of its event, with all that API, worker and job queue do. */
async function costOfEvents(bench: Bench): Promise<Figure[]> {
  const { stage, effort } = bench;
  const paced = await pacedStage(stage);
  const service = () => [paced.serve.pid, paced.worker.pid].map((pid) => processorMs(pid) ?? 0).reduce((a, b) => a + b);
  const measured = await costs(bench, `events at ${PER_SECOND}/s`, async () => {
    let events = 0;
    const before = service();
    const work = await databaseWorkOf(stage, paced.scene, async () => {
      events = (await cancelPaced(paced, effort.windowMs)).latencies.length;
    });
    const together = work.processorMs === null ? null : work.processorMs + service() - before;
    return {
      statements: work.roundTrips / events,
      walBytes: work.walBytes / events,
      processorMs: together === null ? null : together / events,
    };
  });
  return figuresOf(`event at ${PER_SECOND} cancels/s`, measured, { statements: 5, walBytes: 8_000, processorMs: 4.5 });
}

function figuresOf(what: string, costs: readonly Cost[], limits: Limits): Figure[] {
  const of = (kind: keyof Limits, name: string, unit: string) => {
    const repetitions = costs.flatMap((cost) => cost[kind] ?? []);
    const limit = limits[kind];
    if (repetitions.length === 0) return [];
    return figure('cost', {
      ...{ name: `${name} per ${what}`, unit, better: 'lower', repetitions },
      ...(limit === 0 ? {} : { target: { of: 'value', is: 'at most', limit } }),
    });
  };
  return [
    of('statements', 'statements, begin and commit counted,', 'statements'),
    of('walBytes', 'WAL of the statements', 'bytes'),
    of('processorMs', 'processor time of service and database', 'ms'),
  ].flat();
}

async function run(bench: Bench) {
  return [...(await costOfCreates(bench)), ...(await costOfBacklog(bench)), ...(await costOfEvents(bench))];
}

/** Cost of one create and of one delivered event. */
export const cost: Scenario = { name: 'cost', run };
