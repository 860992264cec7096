import { hashKey } from '../../../../src/access/service.ts';
import type { Measured } from '../../figure.ts';
import { type Bench, measureBoth } from '../../scenario.ts';
import { type SeededPractice, seedPractices } from '../../seed/seed.ts';
import type { Scene } from '../../stage.ts';
import { CREATE_PRACTICES, createLoad } from './create.ts';

const APIS = 2;
const FLOOR = 'the same with many keys';
/** A key that is busy, and a service that is. */
const REFUSALS = [409, 503];

/** Creates of one key by two APIs at once. */
export async function oneKey(bench: Bench): Promise<Measured[]> {
  const { stage, effort } = bench;
  const scene = await stage.newScene();
  const practices = await seedPractices(scene.admin, CREATE_PRACTICES);
  const one = practices.slice(0, 1).map((practice) => ({ ...practice, keys: practice.keys.slice(0, 1) }));
  await liftDailyCap(scene, one);
  const start = async () => ({ ...(await stage.start('serve', scene)), load: stage.helper('load') });
  const apis = await Promise.all(Array.from({ length: APIS }, start));
  const putLoads = async (of: readonly SeededPractice[]) => {
    const answers = await Promise.all(
      apis.map(({ port, load }) => {
        const how = createLoad(of, effort, port);
        return load.call('putLoad', { ...how, connections: how.connections / APIS, refusals: REFUSALS });
      }),
    );
    const [answered, refused] = [
      sum(answers.map(({ answered }) => answered)),
      sum(answers.map(({ refused }) => refused)),
    ];
    const share = refused / answered;
    return { perSecond: sum(answers.map(({ perSecond }) => perSecond)) * (1 - share), refusedPercent: share * 100 };
  };
  const { service, floor } = await measureBoth(
    bench,
    'creates of one key',
    () => putLoads(one),
    () => putLoads(practices),
  );
  return [
    {
      ...{ name: `creates of one key by ${APIS} APIs`, unit: 'creates/s' },
      repetitions: service.map(({ perSecond }) => perSecond),
      floor: { what: FLOOR, repetitions: floor.map(({ perSecond }) => perSecond) },
    },
    {
      ...{ name: `creates of one key by ${APIS} APIs: share of 409 and 503`, unit: '%' },
      repetitions: service.map(({ refusedPercent }) => refusedPercent),
    },
  ];
}

/** Lets the keys create a million links above the daily cap, today and tomorrow: a run may pass midnight. */
async function liftDailyCap({ admin }: Scene, practices: readonly SeededPractice[]): Promise<void> {
  await admin.query(
    `insert into daily_link_counts (api_key_id, practice_id, day, created_count)
     select k.id, k.practice_id, (now() at time zone 'UTC')::date + later, -1000000
     from api_keys k, generate_series(0, 1) as later where k.hash = any ($1)`,
    [practices.flatMap(({ keys }) => keys.map(hashKey))],
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
