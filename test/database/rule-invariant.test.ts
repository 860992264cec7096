import { expect } from 'chai';
import { type FilledPractice, fill, oldestDelivered } from '../../scripts/growth/fill.ts';
import { chunkAfter } from '../../src/database/query/rule-invariant.ts';
import { type SqlValue, sql } from '../../src/database/query/sql.ts';
import { DELIVERY_INVARIANTS } from '../../src/webhooks/invariants.ts';
import { query } from '../harness/database.ts';
import { TestService } from '../harness/service.ts';

const DELIVERIES = 12_000;

/** A node of a plan, as `explain` shows it. */
interface Node {
  'Node Type': string;
  'Actual Rows': number;
  Plans?: Node[];
}

describe('invariants of all rows', function () {
  this.timeout(120_000);
  let service: TestService;
  let practices: FilledPractice[];

  before(async () => {
    service = await TestService.start();
    const now = new Date();
    practices = await fill(
      service.config.databaseUrl,
      {
        ...{ deliveries: DELIVERIES, practices: 2, receiver: 'http://127.0.0.1:9/', now },
        deliveredSince: oldestDelivered(now),
      },
      () => undefined,
    );
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
    const practiceId = practices[1]?.id ?? '';
    const [middle] = await query<{ id: string; created_at: string }>(
      service.config.databaseUrl,
      `select id, created_at::text from webhook_deliveries where practice_id = $1 order by id limit 1 offset 6000`,
      [practiceId],
    );
    const after = { id: middle?.id ?? '', at: middle?.created_at ?? '' };
    for (const from of [null, after]) {
      expect(await mostRows(chunkAfter('webhook_deliveries', null, from))).to.equal(5_000);
      expect(await mostRows(chunkAfter('webhook_deliveries', { practiceId, test: false }, from))).to.equal(5_000);
    }
  });

  it('invariants of all rows look at the last row of the last chunk, of a practice and of all', async () => {
    const [oldest] = await query<{ id: string; practice_id: string }>(
      service.config.databaseUrl,
      `update webhook_deliveries set attempt_count = attempt_count + 1
       where id = (select id from webhook_deliveries where practice_id = $1 order by id limit 1) returning id, practice_id`,
      [practices[1]?.id],
    );
    for (const practiceId of [null, oldest?.practice_id ?? '']) {
      const found: string[] = [];
      for (const { name, find } of DELIVERY_INVARIANTS) {
        if (name !== 'deliveries_agree_with_attempts') continue;
        for await (const violation of find(() => service.scope(), { practiceId })) {
          expect(violation.practiceId).to.equal(oldest?.practice_id);
          found.push(violation.problem);
        }
      }
      expect(found).to.have.length(1);
      expect(found[0]).to.include(oldest?.id);
    }
  });
});
