import { expect } from 'chai';
import { chunkAfter } from '../../src/platform/database/query/rule-invariant.ts';
import { type SqlValue, sql } from '../../src/platform/database/query/sql.ts';
import { useService } from '../harness/fixtures.ts';
import { createLink } from '../harness/service.ts';
import { findViolations } from '../harness/violations.ts';

const LINKS = 12_000;

/** A node of a plan, as `explain` shows it. */
interface Node {
  'Node Type': string;
  'Actual Rows': number;
  Plans?: Node[];
}

describe('invariants of all rows', () => {
  const service = useService();
  before(async () => {
    await createLink((await service.practice()).test);
    await service.query(
      `insert into payment_links
       select (json_populate_record(l, json_build_object('id', l.id || n, 'token', l.token || n))).*
       from payment_links l, generate_series(1, $1::integer) as n`,
      [LINKS],
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

  it('invariants of all rows read each chunk alone', async () => {
    const [middle] = await service.query<{ id: string }>(
      'select id from payment_links order by id limit 1 offset 6000',
    );
    for (const last of [null, middle?.id ?? '']) {
      expect(await mostRows(chunkAfter('payment_links', last))).to.equal(5_000);
    }
  });

  it('invariants of all rows look at the last row of the last chunk', async () => {
    const [oldest] = await service.query<{ id: string; practiceId: string }>(
      `update payment_links set status = 'paid', paid_at = created_at, closed_at = created_at
       where id = (select min(id) from payment_links) returning id, practice_id as "practiceId"`,
    );
    const [violation, ...others] = await findViolations(service, { invariant: 'links_agree_with_payments' });
    expect(others).to.deep.equal([]);
    expect(violation?.practiceId).to.equal(oldest?.practiceId);
    expect(violation?.problem).to.include(oldest?.id);
  });
});
