import { expect } from 'chai';
import { chunkAfter } from '../../src/database/query/rule-invariant.ts';
import { type SqlValue, sql } from '../../src/database/query/sql.ts';
import { DELIVERY_INVARIANTS } from '../../src/webhooks/invariants.ts';
import { query } from '../harness/database.ts';
import { insertDeliveries } from '../harness/deliveries.ts';
import { TestService } from '../harness/service.ts';
import { createEndpoint } from '../harness/webhooks.ts';

const DELIVERIES = 12_000;

const NOBODY = { practiceId: '', endpointId: '' };

/** A node of a plan, as `explain` shows it. */
interface Node {
  'Node Type': string;
  'Actual Rows': number;
  Plans?: Node[];
}

describe('invariants of all rows', function () {
  this.timeout(120_000);
  let service: TestService;
  /** The practice with most of the deliveries. */
  let practiceId: string;

  before(async () => {
    service = await TestService.start();
    const practices = await Promise.all([service.practice(), service.practice()]);
    const owners = await Promise.all(
      practices.map(async ({ practiceId, test }) => {
        const { id: endpointId } = await createEndpoint(test, 'https://hooks.example.com/');
        return { practiceId, endpointId };
      }),
    );
    const [small = NOBODY, large = NOBODY] = owners;
    const startMs = service.clock.now().getTime();
    const deliveries = Array.from({ length: DELIVERIES }, (_, index) => ({
      ...(index % 20 === 0 ? small : large),
      createdAt: new Date(startMs - index * 1_000),
      status: 'delivered' as const,
    }));
    await insertDeliveries(service, deliveries);
    await query(service.config.databaseUrl, 'vacuum analyze webhook_deliveries');
    practiceId = large.practiceId;
  });

  after(() => service.close());

  /** Returns the most rows that a step of the plan had. */
  async function mostRows([text, values]: readonly [string, SqlValue[]]): Promise<number> {
    const explained = await sql<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      service.scope().em,
      `explain (analyze, format json) ${text}`,
      values,
    );
    const rowsOf = (node: Node): number => Math.max(node['Actual Rows'], ...(node.Plans ?? []).map(rowsOf));
    const plan = explained[0]?.['QUERY PLAN'][0].Plan;
    if (plan === undefined) throw new Error('no plan');
    return rowsOf(plan);
  }

  it('invariants of all rows read each chunk alone, of a practice and of all', async () => {
    const [middle] = await query<{ id: string; created_at: string }>(
      service.config.databaseUrl,
      `select id, created_at::text from webhook_deliveries where practice_id = $1 order by id limit 1 offset 6000`,
      [practiceId],
    );
    const after = { id: middle?.id ?? '', at: middle?.created_at ?? '' };
    for (const from of [null, after]) {
      expect(await mostRows(chunkAfter('webhook_deliveries', null, from))).to.equal(5_000);
      expect(await mostRows(chunkAfter('webhook_deliveries', { practiceId, test: true }, from))).to.equal(5_000);
    }
  });

  it('invariants of all rows look at the last row of the last chunk, of a practice and of all', async () => {
    const [oldest] = await query<{ id: string; practice_id: string }>(
      service.config.databaseUrl,
      `update webhook_deliveries set attempt_count = attempt_count + 1
       where id = (select id from webhook_deliveries where practice_id = $1 order by id limit 1) returning id, practice_id`,
      [practiceId],
    );
    for (const own of [null, oldest?.practice_id ?? '']) {
      const found: string[] = [];
      for (const { name, find } of DELIVERY_INVARIANTS) {
        if (name !== 'deliveries_agree_with_attempts') continue;
        for await (const violation of find(() => service.scope(), { practiceId: own })) {
          expect(violation.practiceId).to.equal(oldest?.practice_id);
          found.push(violation.problem);
        }
      }
      expect(found).to.have.length(1);
      expect(found[0]).to.include(oldest?.id);
    }
  });
});
