import { expect } from 'chai';
import pg from 'pg';
import { deleteMoved } from '../../src/moves/delete-moved.ts';
import { movePractices } from '../../src/moves/move.ts';
import { query } from '../harness/database.ts';
import { insertDeliveries, maintain, partition } from '../harness/partitions.ts';
import { until } from '../harness/processes.ts';
import type { TestPractice } from '../harness/service.ts';
import { createEndpoint } from '../harness/webhooks.ts';
import { TwoCells } from './two-cells.ts';

describe('a practice with partitions of deliveries that moves', function () {
  this.timeout(180_000);
  let cells: TwoCells;
  let practice: TestPractice;
  let ids: string[];

  beforeEach(async () => {
    cells = await TwoCells.start({ workers: false });
    for (const { clock } of [cells.source, cells.target]) clock.set('2030-06-12T09:00:00.000Z');
    practice = await cells.source.practice();
    const { id: endpointId } = await createEndpoint(practice.test, 'https://hooks.example.com/');
    await partition(cells.source);
    cells.source.clock.set('2030-07-21T00:00:00.000Z');
    await maintain(cells.source);
    const delivery = {
      ...{ practiceId: practice.practiceId, endpointId, createdAt: new Date('2030-06-18T00:00:00.000Z') },
      status: 'exhausted' as const,
    };
    ids = await insertDeliveries(cells.source, [delivery, delivery, delivery]);
  });

  afterEach(() => cells.close());

  /** Returns the deliveries of the practice that the target has, with an attempt each. */
  const arrived = async () =>
    (
      await query<{ id: string }>(
        cells.urls.targetUrl,
        `select d.id from webhook_deliveries d join webhook_attempts a on a.delivery_id = d.id
         where d.practice_id = $1 and a.practice_id = $1 order by d.id`,
        [practice.practiceId],
      )
    ).map(({ id }) => id);

  it('a cell with partitions and one without exchange a practice in both directions', async () => {
    const practiceIds = [practice.practiceId];
    const { sourceUrl, targetUrl } = cells.urls;
    await movePractices({ sourceUrl, targetUrl, practiceIds });
    expect(await arrived()).to.deep.equal(ids.toSorted());
    await deleteMoved(sourceUrl, practiceIds);
    expect(Object.keys(await cells.rows(cells.source, practice.practiceId))).to.deep.equal([]);
    await movePractices({ sourceUrl: targetUrl, targetUrl: sourceUrl, practiceIds });
    expect(await cells.rows(cells.source, practice.practiceId)).to.include({
      webhook_deliveries: 3,
      webhook_attempts: 3,
    });
  });

  for (const [copy, table] of [
    ['first', 'practices'],
    ['second', 'list_counts'],
  ] as const) {
    it(`a partition that is replaced while the ${copy} copy reads its snapshot loses no delivery`, async () => {
      const { source, urls } = cells;
      source.clock.set('2030-07-28T00:00:00.000Z');
      const blocker = new pg.Client({ connectionString: urls.targetUrl });
      await blocker.connect();
      const waits = (table: string) => `select from pg_locks where not granted and relation = '${table}'::regclass
      and database = (select oid from pg_database where datname = current_database())`;
      const moving = movePractices({
        ...urls,
        practiceIds: [practice.practiceId],
        onStep: async (step) => {
          if (step === 'begun') await blocker.query(`begin; lock table ${table} in access exclusive mode`);
        },
      });
      let replaced = false;
      try {
        // The snapshot of the source is taken, and the table is not copied yet.
        await until(
          async () => (await query(urls.targetUrl, waits(table))).length > 0,
          () => 'the copy does not wait',
        );
        const replacing = maintain(source).finally(() => (replaced = true));
        await until(
          async () => replaced || (await query(urls.sourceUrl, waits('webhook_deliveries'))).length > 0,
          () => 'the replacement neither waits nor ends',
        );
        await blocker.query('rollback');
        await Promise.all([moving, replacing]);
      } finally {
        await blocker.end();
      }
      expect(await arrived()).to.deep.equal(ids.toSorted());
      const names = await query<{ name: string }>(
        urls.sourceUrl,
        `select name from delivery_partitions where name like '%kept'`,
      );
      expect(names.map(({ name }) => name)).to.deep.equal(['w20300617_kept']);
    });
  }
});

describe('a practice that moves while the deliveries of a cell are partitioned', function () {
  this.timeout(180_000);
  let cells: TwoCells;
  let practice: TestPractice;

  beforeEach(async () => {
    cells = await TwoCells.start({ workers: false });
    practice = await cells.source.practice();
  });

  afterEach(() => cells.close());

  // The move keeps the tables of the target locked, so only the source can be partitioned.
  for (const step of ['begun', 'guarded', 'frozen'] as const) {
    it(`the source is partitioned when the move is ${step}, and each delivery arrives once`, async () => {
      const { source } = cells;
      const endpoint = await createEndpoint(practice.test, 'https://hooks.example.com/');
      const delivery = { practiceId: practice.practiceId, endpointId: endpoint.id, status: 'exhausted' as const };
      const createdAt = source.clock.now();
      await insertDeliveries(
        source,
        [delivery, delivery, delivery].map((each) => ({ ...each, createdAt })),
      );
      let steps = 0;
      await movePractices({
        ...cells.urls,
        practiceIds: [practice.practiceId],
        onStep: async (now) => {
          if (now !== step) return;
          steps++;
          expect(await partition(source)).to.equal(true);
          if (step !== 'frozen') return;
          // The guard refuses writes after the conversion as before.
          const write = `update webhook_deliveries set rank = 1 where practice_id = '${practice.practiceId}'`;
          const error = await query(cells.urls.sourceUrl, write).then(() => null, String);
          expect(error).to.be.a('string');
        },
      });
      expect(steps).to.equal(1);
      const after = await cells.rows(cells.target, practice.practiceId);
      expect([after.webhook_deliveries, after.webhook_attempts]).to.deep.equal([3, 3]);
      expect(await cells.check(cells.target)).to.deep.equal([]);
    });
  }
});
