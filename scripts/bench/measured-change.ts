import { type Figure, figure, type Target } from './figure.ts';
import { type MeasuredLoad, measureLoad, processorTimes } from './measured-load.ts';
import type { Load } from './processes/http-load.ts';
import { type Helpers, type Scene, SERVICE_ROLE, type Stage } from './stage.ts';
import { percentile } from './statistics.ts';

/** Statements that the database ran for the service, and the processor time of the whole server. */
export interface DatabaseWork {
  /** Without begin, commit and rollback. */
  statements: number;
  roundTrips: number;
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
  const { rows } = await admin.query<{ statements: number; round_trips: number }>(
    `select coalesce(sum(calls) filter (where query !~* '^(begin|start|commit|rollback)'), 0)::float8 as statements,
       coalesce(sum(calls), 0)::float8 as round_trips
     from pg_stat_statements s join pg_roles r on r.oid = s.userid join pg_database d on d.oid = s.dbid
     where r.rolname = $1 and d.datname = current_database() and s.toplevel`,
    [SERVICE_ROLE],
  );
  return {
    statements: rows[0]?.statements ?? 0,
    roundTrips: rows[0]?.round_trips ?? 0,
    processorMs: before === null || after === null ? null : after - before,
  };
}

/** A load on the service or a floor, with the work that each answer cost the database. */
export interface MeasuredChange extends MeasuredLoad {
  statementsEach: number;
  roundTripsEach: number;
  databaseMsEach: number | null;
}

/** Puts the load on the process and measures client, process and database. The database does nothing else at that time. */
export async function measureChange(
  stage: Stage,
  scene: Scene,
  helper: Helpers['load'],
  load: Load,
  pid: number,
): Promise<MeasuredChange> {
  let result: MeasuredLoad | undefined;
  const { statements, roundTrips, processorMs } = await databaseWorkOf(stage, scene, async () => {
    result = await measureLoad(helper, load, pid);
  });
  if (result === undefined) throw new Error('the load was not put on');
  const { answered } = result;
  return {
    ...result,
    statementsEach: statements / answered,
    roundTripsEach: roundTrips / answered,
    databaseMsEach: processorMs === null ? null : processorMs / answered,
  };
}

/** Names and targets of the figures of a change. */
export interface ChangeFigures {
  scenario: string;
  /** Such as `cancel, 1 endpoint`. */
  name: string;
  unit: string;
  floor: string;
  /** Least ratio of the rates. */
  rate: number;
  /** Most statements and milliseconds of processor per change; null without a target. */
  cost: { statements: number; processorMs: number } | null;
}

/** The figures of a change: rate, p99, statements, processor time. */
export function changeFigures(
  { scenario, name, unit, floor, rate, cost }: ChangeFigures,
  service: readonly MeasuredChange[],
  beside: readonly MeasuredChange[],
): Figure[] {
  const rates = (of: readonly MeasuredChange[]) => of.map(({ perSecond }) => perSecond);
  const p99 = (of: readonly MeasuredChange[]) => of.map(({ latencies }) => percentile([...latencies], 99));
  const atMost = (limit: number): Target => ({ of: 'value', is: 'at most', limit });
  const round = (values: readonly (number | null)[]) => values.map((value) => (value ?? 0).toFixed(2)).join(', ');
  return [
    figure(scenario, {
      ...{ name, unit, better: 'higher', repetitions: rates(service) },
      floor: { what: floor, repetitions: rates(beside) },
      target: { of: 'ratio', is: 'at least', limit: rate },
    }),
    figure(scenario, {
      ...{ name: `${name}: p99`, unit: 'ms', better: 'lower', repetitions: p99(service) },
      floor: { what: floor, repetitions: p99(beside) },
      target: { of: 'ratio', is: 'at most', limit: 3 },
    }),
    figure(scenario, {
      ...{ name: `${name}: statements`, unit: 'statements', better: 'lower' },
      repetitions: service.map(({ statementsEach }) => statementsEach),
      ...(cost === null ? {} : { target: atMost(cost.statements) }),
      note: `with begin and commit: ${round(service.map(({ roundTripsEach }) => roundTripsEach))}`,
    }),
    ...(processorTimes(service).length === 0
      ? []
      : [
          figure(scenario, {
            ...{ name: `${name}: processor time, service and database`, unit: 'ms', better: 'lower' },
            repetitions: processorOf(service),
            floor: { what: floor, repetitions: processorOf(beside) },
            ...(cost === null ? {} : { target: atMost(cost.processorMs) }),
            note: `of the service ${round(service.map(({ processorMsEach }) => processorMsEach))}; of the database ${round(service.map(({ databaseMsEach }) => databaseMsEach))}`,
          }),
        ]),
  ];
}

function processorOf(of: readonly MeasuredChange[]): number[] {
  return of.map(({ processorMsEach, databaseMsEach }) => (processorMsEach ?? 0) + (databaseMsEach ?? 0));
}
