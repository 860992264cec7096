import type pg from 'pg';
import { figure } from '../../figure.ts';
import { type Bench, type Scenario, scaled } from '../../scenario.ts';
import { seedPractices } from '../../seed/seed.ts';
import { SERVICE_ROLE } from '../../stage.ts';
import { CREATE_PRACTICES, createLoad } from '../links/create.ts';
import { drainOnce, quiet } from '../webhooks/drain.ts';
import { PER_SECOND, pacedStage, publishPaced } from '../webhooks/paced.ts';

const CREATES = 2_000;
const DELIVERIES = 5_000;

/** Work of the database for the service while the scenario ran. */
interface Cost {
  statements: number;
  walBytes: number;
}

async function costOf(admin: pg.Pool, work: () => Promise<unknown>): Promise<Cost> {
  await admin.query('select pg_stat_statements_reset()');
  const lsn = async () => (await admin.query<{ lsn: string }>('select pg_current_wal_lsn() as lsn')).rows[0]?.lsn;
  const before = await lsn();
  await work();
  const { rows } = await admin.query<{ statements: number; wal_bytes: number }>(
    `select sum(calls)::float8 as statements, pg_wal_lsn_diff(pg_current_wal_lsn(), $2::pg_lsn)::float8 as wal_bytes
     from pg_stat_statements s join pg_roles r on r.oid = s.userid join pg_database d on d.oid = s.dbid
     where r.rolname = $1 and d.datname = current_database()`,
    [SERVICE_ROLE, before],
  );
  return { statements: rows[0]?.statements ?? 0, walBytes: rows[0]?.wal_bytes ?? 0 };
}

async function costOfCreates({ stage, effort, say }: Bench) {
  const scene = await stage.newScene();
  const practices = await seedPractices(scene.admin, CREATE_PRACTICES);
  const serve = await stage.start('serve', scene);
  const load = stage.helper('load');
  const creates = createLoad(practices, effort, [serve.port]);
  const count = scaled(effort, CREATES);
  const some = { ...creates, warmUpMs: 0, windowMs: 60_000, maxRequests: count };
  await load.call('putLoad', some);
  const costs: Cost[] = [];
  for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
    let made = 0;
    const cost = await costOf(scene.admin, async () => {
      made = (await load.call('putLoad', some)).count;
    });
    costs.push({ statements: cost.statements / made, walBytes: cost.walBytes / made });
    say(`creates, repetition ${repetition} of ${effort.repetitions}`);
  }
  await stage.clear();
  return figuresOf('create', costs);
}

/** Deliveries alone: what publishes them is another account. */
async function costOfDeliveries({ stage, effort, say }: Bench) {
  const paced = await pacedStage(stage);
  const { scene, receiver, endpoints } = paced;
  // The account of the database's owner, so that publishing is not counted as delivering.
  const publisherUrl = adminUrl(scene.url, scene.admin);
  const count = scaled(effort, DELIVERIES);
  await drainOnce(scene, receiver, endpoints, count);
  const [piled, steady]: [Cost[], Cost[]] = [[], []];
  for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
    const drained = await costOf(scene.admin, async () => {
      await drainOnce(scene, receiver, endpoints, count);
      // Wake-up jobs that run when nothing is left to deliver cost as well.
      await quiet(scene.admin);
    });
    piled.push({ statements: drained.statements / count, walBytes: drained.walBytes / count });
    let events = 0;
    const published = await costOf(scene.admin, async () => {
      events = (await publishPaced(paced, publisherUrl, effort.windowMs)).latencies.length;
    });
    steady.push({ statements: published.statements / events, walBytes: published.walBytes / events });
    say(`deliveries, repetition ${repetition} of ${effort.repetitions}`);
  }
  return [...figuresOf('event out of a backlog', piled), ...figuresOf(`event at ${PER_SECOND}/s`, steady)];
}

function adminUrl(serviceUrl: string, admin: pg.Pool): string {
  const url = new URL(serviceUrl);
  const own = new URL(admin.options.connectionString ?? '');
  url.username = own.username;
  url.password = own.password;
  return url.href;
}

function figuresOf(what: string, costs: Cost[]) {
  const isDelivery = what !== 'create';
  return [
    figure('cost', {
      name: `statements per ${what}`,
      unit: 'statements',
      better: 'lower',
      repetitions: costs.map(({ statements }) => statements),
      ...(isDelivery ? { target: { of: 'value', is: 'at most', limit: 8 } as const } : {}),
      ...(isDelivery ? { note: 'begin and commit counted, publishing not' } : { note: 'begin and commit counted' }),
    }),
    figure('cost', {
      name: `WAL per ${what}`,
      unit: 'bytes',
      better: 'lower',
      repetitions: costs.map(({ walBytes }) => walBytes),
      ...(isDelivery ? { note: 'of everything, publishing included' } : {}),
    }),
  ];
}

async function run(bench: Bench) {
  return [...(await costOfCreates(bench)), ...(await costOfDeliveries(bench))];
}

/** Cost of one create and of one delivered event for the database. */
export const cost: Scenario = { name: 'cost', run };
