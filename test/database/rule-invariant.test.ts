import { expect } from 'chai';
import { chunkAfter } from '../../src/database/query/rule-invariant.ts';
import { type SqlValue, sql } from '../../src/database/query/sql.ts';
import { LINK_INVARIANTS } from '../../src/payment-links/invariants.ts';
import { useService } from '../harness/fixtures.ts';
import { createLink } from '../harness/service.ts';

const LINKS = 12_000;

/** A node of a plan, as `explain` shows it. */
interface Node {
  'Node Type': string;
  'Actual Rows': number;
  Plans?: Node[];
}

describe('invariants of all rows', () => {
  const service = useService();
  /** The practice with most of the links. */
  let practiceId: string;

  before(async () => {
    const [small, large] = await Promise.all([service.practice(), service.practice()]);
    practiceId = large.practiceId;
    for (const { test } of [small, large]) await createLink(test);
    await service.query(
      `insert into payment_links
       select (json_populate_record(l, json_build_object('id', l.id || n, 'token', l.token || n,
         'created_at', l.created_at - n * interval '1 second'))).*
       from payment_links l, generate_series(1, $2::integer) as n where n % 20 = 0 or l.practice_id = $1`,
      [practiceId, LINKS],
    );
    await service.query('vacuum analyze payment_links');
  });

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
    const [middle] = await service.query<{ id: string; created_at: string }>(
      `select id, created_at::text from payment_links where practice_id = $1 order by id limit 1 offset 6000`,
      [practiceId],
    );
    const after = { id: middle?.id ?? '', at: middle?.created_at ?? '' };
    for (const from of [null, after]) {
      expect(await mostRows(chunkAfter('payment_links', null, from))).to.equal(5_000);
      expect(await mostRows(chunkAfter('payment_links', { practiceId, test: true }, from))).to.equal(5_000);
    }
  });

  it('invariants of all rows look at the last row of the last chunk, of a practice and of all', async () => {
    const [oldest] = await service.query<{ id: string; practice_id: string }>(
      `update payment_links set status = 'paid', paid_at = created_at, closed_at = created_at
       where id = (select id from payment_links where practice_id = $1 order by id limit 1) returning id, practice_id`,
      [practiceId],
    );
    for (const own of [null, oldest?.practice_id ?? '']) {
      const found: string[] = [];
      for (const { name, find } of LINK_INVARIANTS) {
        if (name !== 'links_agree_with_payments') continue;
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
