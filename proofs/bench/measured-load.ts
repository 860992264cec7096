import { processorMs } from '../proc.ts';
import type { Measured } from './figure.ts';
import type { Load } from './processes/load-process.ts';
import { type Bench, measureBoth, type Repetitions } from './scenario.ts';
import { type Helpers, type Scene, SERVICE_ROLE, type Stage } from './stage.ts';
import { percentile } from './statistics.ts';

/** Part of the statement that takes leases of endpoints, and of no other. It has no constants, which `pg_stat_statements` leaves out. */
export const PART_OF_CLAIM = '), claimed as (';

/**
 * Returns what the database did for the service while the work ran, with the result of that. Statements are without begin, commit and
 * rollback, round trips with them. The processor time is that of the whole server, or null where the system does not report it.
 */
export async function databaseWorkOf<T>(stage: Stage, { admin }: Scene, work: () => Promise<T>) {
  await admin.query('select pg_stat_statements_reset()');
  const before = stage.databaseProcessorMs();
  const result = await work();
  const after = stage.databaseProcessorMs();
  const { rows } = await admin.query<Record<'statements' | 'roundTrips' | 'walBytes' | 'claims', number>>(
    `select coalesce(sum(calls) filter (where query !~* '^(begin|start|commit|rollback)'), 0)::float8 as statements,
       coalesce(sum(calls), 0)::float8 as "roundTrips", coalesce(sum(wal_bytes), 0)::float8 as "walBytes",
       coalesce(sum(calls) filter (where position($2 in query) > 0), 0)::float8 as claims
     from pg_stat_statements s join pg_roles r on r.oid = s.userid join pg_database d on d.oid = s.dbid
     where r.rolname = $1 and d.datname = current_database() and s.toplevel`,
    [SERVICE_ROLE, PART_OF_CLAIM],
  );
  const [counts = { statements: 0, roundTrips: 0, walBytes: 0, claims: 0 }] = rows;
  const known = before !== null && after !== null;
  return { result, ...counts, processorMs: known ? after - before : null };
}

/** The result of a load, with the work that each answer cost the answering process and the database. */
type MeasuredLoad = Awaited<ReturnType<typeof measureLoad>>;

/**
 * Puts a load on the service or a floor, and measures client, process and database. The database does nothing else at that time.
 *
 * @param pid of the answering process
 */
export async function measureLoad(stage: Stage, scene: Scene, helper: Helpers['load'], load: Load, pid: number) {
  const before = processorMs(pid);
  const work = await databaseWorkOf(stage, scene, () => helper.call('putLoad', load));
  const after = processorMs(pid);
  const each = (total: number) => total / work.result.answered;
  return {
    ...work.result,
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
  return async (names: LoadFigures, loadFor: (port: number) => Load | Promise<Load>): Promise<Measured[]> => {
    const measure = async (port: number, pid: number) => measureLoad(stage, scene, helper, await loadFor(port), pid);
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
  /** Such as `cancel, 1 endpoint`. */
  name: string;
  unit: string;
  floor: string;
  /** Least ratio of the rates. */
  rate: number;
  /** Most statements and milliseconds of processor per answer. */
  cost?: { statements: number; processorMs: number } | undefined;
}

/** The figures of a load: rate, p99, statements, processor time. */
function loadFigures(
  { name, unit, floor: what, rate, cost }: LoadFigures,
  { service, floor }: Repetitions<MeasuredLoad>,
): Measured[] {
  const beside = (of: (load: MeasuredLoad) => number) => ({
    repetitions: service.map(of),
    floor: { what, repetitions: floor.map(of) },
  });
  const round = (of: (load: MeasuredLoad) => number | null) =>
    service.map((load) => (of(load) ?? 0).toFixed(2)).join(', ');
  const figures: Measured[] = [
    { name, unit, ...beside(({ perSecond }) => perSecond), target: { of: 'ratio', limit: rate } },
    {
      ...{ name: `${name}: p99`, unit: 'ms', target: { of: 'ratio', limit: 3 } },
      ...beside(({ latencies }) => percentile([...latencies], 99)),
    },
    {
      ...{ name: `${name}: statements`, unit: 'statements' },
      repetitions: service.map(({ statementsEach }) => statementsEach),
      target: cost && { of: 'value', limit: cost.statements },
      note: `with begin and commit: ${round(({ roundTripsEach }) => roundTripsEach)}`,
    },
  ];
  if (service.some(({ processorMsEach }) => processorMsEach === null)) return figures;
  const parts = `of the service ${round((load) => load.processorMsEach)}; of the database ${round((load) => load.databaseMsEach)}`;
  const processor: Measured = {
    ...{ name: `${name}: processor time, service and database`, unit: 'ms', note: parts },
    ...beside(({ processorMsEach, databaseMsEach }) => (processorMsEach ?? 0) + (databaseMsEach ?? 0)),
    target: cost && { of: 'value', limit: cost.processorMs },
  };
  return [...figures, processor];
}
