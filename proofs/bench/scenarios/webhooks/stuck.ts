import pg from 'pg';
import type { Measured } from '../../figure.ts';
import { type Bench, measureBoth } from '../../scenario.ts';
import { seedActiveLinks } from '../../seed/changes.ts';
import { seedEndpoints, seedPractices } from '../../seed/seed.ts';
import { percentile } from '../../statistics.ts';
import { cancelPaced, cancelRequests, linksFor, pacedStage } from './paced.ts';

const PER_SECOND = 60;
const STUCK_PER_SECOND = 20;
const CONNECTIONS = 32;
/** Statuses of a practice whose row is locked. */
const OWN_REFUSALS = [409, 429, 503];
/** Most milliseconds that others may wait longer. */
const LONGER_MS = 1_000;
const FLOOR = 'the same without stuck practices';

/** Two practices with steady traffic, of each of which another transaction has locked a row, beside others. */
export async function stuck(bench: Bench): Promise<Measured[]> {
  const { stage, effort } = bench;
  const paced = await pacedStage(stage);
  const { admin, url } = paced.scene;
  const stuckPractices = await seedPractices(admin, {
    practices: 2,
    locationsEach: 1,
    keysEach: 1,
    keyPrefix: 'stuck',
  });
  const port = await paced.receiver.call('start', null);
  const urls = stuckPractices.map((_, index) => `http://127.0.0.1:${port}/at-once/stuck-${index}`);
  const [, endpoint] = await seedEndpoints(admin, stuckPractices, urls);
  const ownLoad = stage.helper('load');
  const forMs = effort.windowMs * 1.5;
  const measure = async () => cancelPaced(paced, await linksFor(paced, forMs, PER_SECOND), PER_SECOND);
  const besideStuck = async () => {
    const links = await seedActiveLinks(admin, stuckPractices, Math.ceil((STUCK_PER_SECOND * forMs) / 1000));
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from practices where id = $1 for update', [stuckPractices[0]?.id]);
    await holder.query('select from webhook_endpoints where id = $1 for update', [endpoint?.id]);
    const own = ownLoad.call('putPacedLoad', {
      ...{ port: paced.serve.port, perSecond: STUCK_PER_SECOND, connections: CONNECTIONS },
      ...{ requests: cancelRequests(links), expectStatus: 200, refusals: OWN_REFUSALS },
    });
    try {
      return await measure();
    } finally {
      await holder.query('rollback');
      await holder.end();
      await own;
    }
  };
  const { service, floor } = await measureBoth(bench, `${PER_SECOND} cancels/s`, besideStuck, measure);
  const compare = (what: string, of: 'answers' | 'latencies'): Measured => ({
    ...{ name: `${PER_SECOND} cancels/s beside two stuck practices: p99 of the others' ${what}`, unit: 'ms' },
    repetitions: service.map((result) => percentile(result[of], 99)),
    floor: { what: FLOOR, repetitions: floor.map((result) => percentile(result[of], 99)) },
    target: { of: 'difference', limit: LONGER_MS },
  });
  return [
    compare('answers', 'answers'),
    compare('receipts', 'latencies'),
    {
      ...{ name: `${PER_SECOND} cancels/s beside two stuck practices: 5xx of the others`, unit: 'requests' },
      ...{ repetitions: service.map(({ refused }) => refused), target: { of: 'value', limit: 0 } },
    },
  ];
}
