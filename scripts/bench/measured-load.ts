import { processorMs } from '../proc.ts';
import { type Figure, figure, type Target } from './figure.ts';
import type { Load, LoadResult } from './processes/load-process.ts';
import { type Bench, measureBoth, type Repetitions } from './scenario.ts';
import { type Helpers, type Scene, SERVICE_ROLE, type Stage } from './stage.ts';
import { percentile } from './statistics.ts';

/** Statements that the database ran for the service, their WAL, and the processor time of the whole server. */
export interface DatabaseWork {
  /** Without begin, commit and rollback. */
  statements: number;
  roundTrips: number;
  walBytes: number;
  /** Null where the system does not report it. */
  processorMs: number | null;
}

/** Returns what the database did for the service while the work ran. */
export async function databaseWorkOf(
  stage: Stage,
  { admin }: Scene,
  work: () => Promise<unknown>,
): Promise<DatabaseWork> {
  await admin.query('select pg_stat_statements_reset()');
  const before = stage.databaseProcessorMs();
  await work();
  const after = stage.databaseProcessorMs();
  const { rows } = await admin.query<Record<'statements' | 'roundTrips' | 'walBytes', number>>(
    `select coalesce(sum(calls) filter (where query !~* '^(begin|start|commit|rollback)'), 0)::float8 as statements,
       coalesce(sum(calls), 0)::float8 as "roundTrips", coalesce(sum(wal_bytes), 0)::float8 as "walBytes"
     from pg_stat_statements s join pg_roles r on r.oid = s.userid join pg_database d on d.oid = s.dbid
     where r.rolname = $1 and d.datname = current_database() and s.toplevel`,
    [SERVICE_ROLE],
  );
  const [{ statements, roundTrips, walBytes } = { statements: 0, roundTrips: 0, walBytes: 0 }] = rows;
  const known = before !== null && after !== null;
  return { statements, roundTrips, walBytes, processorMs: known ? after - before : null };
}

/** The result of a load, with the work that each answer cost the answering process and the database. */
type MeasuredLoad = Awaited<ReturnType<typeof measureLoad>>;

/** A load on the service or a floor. The database does nothing else at that time. */
export interface MeasureOptions {
  stage: Stage;
  scene: Scene;
  helper: Helpers['load'];
  load: Load;
  /** The answering process. */
  pid: number;
}

/** Puts the load on the process and measures client, process and database. */
export async function measureLoad({ stage, scene, helper, load, pid }: MeasureOptions) {
  const before = processorMs(pid);
  const { promise, resolve } = Promise.withResolvers<LoadResult>();
  const work = await databaseWorkOf(stage, scene, async () => resolve(await helper.call('putLoad', load)));
  const after = processorMs(pid);
  const result = await promise;
  const each = (total: number) => total / result.answered;
  return {
    ...result,
    statementsEach: each(work.statements),
    roundTripsEach: each(work.roundTrips),
    walBytesEach: each(work.walBytes),
    // Null where the system does not report them.
    processorMsEach: before === null || after === null ? null : each(after - before),
    databaseMsEach: work.processorMs === null ? null : each(work.processorMs),
  };
}

/** Starts an API and its floor on the scene. Returns a function that puts the same loads on both, and makes their figures. */
export async function apiBesideFloor(bench: Bench, scene: Scene, environment: Record<string, string> = {}) {
  const { stage } = bench;
  const [serve, helper] = [await stage.start('serve', scene, environment), stage.helper('load')];
  const floor = stage.helper('floorApi');
  const floorPort = await floor.call('serve', scene.url);
  return async (names: LoadFigures, loadFor: (port: number) => Load | Promise<Load>): Promise<Figure[]> => {
    const measure = async (port: number, pid: number) =>
      measureLoad({ stage, scene, helper, load: await loadFor(port), pid });
    const measured = await measureBoth(
      bench,
      names.name,
      () => measure(serve.port, serve.pid),
      () => measure(floorPort, floor.pid),
    );
    return loadFigures(names, measured);
  };
}

/** Names and targets of the figures of a load. */
export interface LoadFigures {
  scenario: string;
  /** Such as `cancel, 1 endpoint`. */
  name: string;
  unit: string;
  floor: string;
  /** Least ratio of the rates. */
  rate: number;
  /** Most statements and milliseconds of processor per answer; null without a target. */
  cost: { statements: number; processorMs: number } | null;
}

/** The figures of a load: rate, p99, statements, processor time. */
function loadFigures(
  { scenario, name, unit, floor: what, rate, cost }: LoadFigures,
  { service, floor }: Repetitions<MeasuredLoad>,
): Figure[] {
  const rates = (of: readonly MeasuredLoad[]) => of.map(({ perSecond }) => perSecond);
  const p99 = (of: readonly MeasuredLoad[]) => of.map(({ latencies }) => percentile([...latencies], 99));
  const atMost = (limit: number | undefined): { target?: Target } =>
    limit === undefined ? {} : { target: { of: 'value', is: 'at most', limit } };
  const round = (values: readonly (number | null)[]) => values.map((value) => (value ?? 0).toFixed(2)).join(', ');
  const isProcessorKnown = service.every(({ processorMsEach }) => processorMsEach !== null);
  return [
    figure(scenario, {
      ...{ name, unit, better: 'higher', repetitions: rates(service) },
      floor: { what, repetitions: rates(floor) },
      target: { of: 'ratio', is: 'at least', limit: rate },
    }),
    figure(scenario, {
      ...{ name: `${name}: p99`, unit: 'ms', better: 'lower', repetitions: p99(service) },
      floor: { what, repetitions: p99(floor) },
      target: { of: 'ratio', is: 'at most', limit: 3 },
    }),
    figure(scenario, {
      ...{ name: `${name}: statements`, unit: 'statements', better: 'lower' },
      repetitions: service.map(({ statementsEach }) => statementsEach),
      ...atMost(cost?.statements),
      note: `with begin and commit: ${round(service.map(({ roundTripsEach }) => roundTripsEach))}`,
    }),
    ...(isProcessorKnown
      ? [
          figure(scenario, {
            ...{ name: `${name}: processor time, service and database`, unit: 'ms', better: 'lower' },
            repetitions: processorOf(service),
            floor: { what, repetitions: processorOf(floor) },
            ...atMost(cost?.processorMs),
            note: `of the service ${round(service.map(({ processorMsEach }) => processorMsEach))}; of the database ${round(service.map(({ databaseMsEach }) => databaseMsEach))}`,
          }),
        ]
      : []),
  ];
}

function processorOf(of: readonly MeasuredLoad[]): number[] {
  return of.map(({ processorMsEach, databaseMsEach }) => (processorMsEach ?? 0) + (databaseMsEach ?? 0));
}
