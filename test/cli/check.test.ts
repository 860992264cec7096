import { expect } from 'chai';
import pg from 'pg';
import { query } from '../harness/database.ts';
import { runPaylinks } from '../harness/processes.ts';
import { createLink, SECRETS_KEY, type TestPractice, TestService } from '../harness/service.ts';

const PATH = '/api/v1/payment-links';

interface Finding {
  invariant: string;
  practiceId: string;
  problem: string;
  repaired: boolean;
  next: string;
}

describe('paylinks check', function () {
  this.timeout(180_000);
  let service: TestService;
  let practice: TestPractice;
  let url: string;

  before(async () => {
    service = await TestService.start();
    url = service.config.databaseUrl;
  });

  beforeEach(async () => {
    practice = await service.practice();
    await Promise.all(Array.from({ length: 5 }, () => createLink(practice.test)));
    await fold();
  });

  after(() => service.close());

  const fold = () => query(url, 'select fold_list_changes(1000, 2)');

  async function check(...args: string[]): Promise<{ code: number | null; findings: Finding[] }> {
    const env = { ...process.env, DATABASE_URL: url, PROCESSOR: 'sandbox', SECRETS_KEY };
    const { code, stdout, stderr } = await runPaylinks(['check', '--json', ...args], env);
    expect(stderr).to.equal('');
    return { code, findings: JSON.parse(stdout).data };
  }

  it('paylinks check finds nothing and exits with 0 while the counts agree with the rows, folded or not', async () => {
    await createLink(practice.test);
    expect(await check()).to.deep.equal({ code: 0, findings: [] });
    const env = { ...process.env, DATABASE_URL: url, PROCESSOR: 'sandbox' };
    const { stdout } = await runPaylinks(['check'], env);
    expect(stdout).to.match(/^no faults: \d+ invariants /);
  });

  it('paylinks check that cannot run exits with 1 as with findings, but prints nothing on standard output', async () => {
    const nowhere = new URL(url);
    nowhere.pathname = '/nowhere';
    const env = { ...process.env, DATABASE_URL: nowhere.href, PROCESSOR: 'sandbox' };
    const { code, stdout, stderr } = await runPaylinks(['check', '--json'], env);
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.match(/^paylinks: /);
  });

  it('paylinks check exits with 1 and names practice and list whose counts are wrong, and --repair makes them right', async () => {
    const other = await service.practice();
    await query(url, 'update list_counts set row_count = row_count + 1 where practice_id = $1', [practice.practiceId]);
    await query(url, 'delete from list_chunks where practice_id = $1', [practice.practiceId]);
    const { practiceId } = practice;
    const { code, findings } = await check();
    expect([code, findings.map(({ problem: _, next: __, ...rest }) => rest)]).to.deep.equal([
      1,
      [{ invariant: 'kept_counts', practiceId, repaired: false }],
    ]);
    expect(findings[0]?.problem).to.match(/^\d+ counts of test links differ from the rows$/);
    expect(await check('--practice', other.practiceId)).to.deep.equal({ code: 0, findings: [] });
    const repaired = await check('--repair', '--practice', practiceId);
    expect([repaired.code, repaired.findings.map((finding) => finding.repaired)]).to.deep.equal([1, [true]]);
    expect(await check()).to.deep.equal({ code: 0, findings: [] });
    expect((await practice.test.get(PATH)).body.totalCount).to.equal(5);
  });

  it('paylinks check --repair waits for no writer of links, and counts each link once', async () => {
    await query(url, 'delete from list_counts where practice_id = $1', [practice.practiceId]);
    const writer = new pg.Client({ connectionString: url });
    await writer.connect();
    try {
      await writer.query('begin');
      await writer.query(
        `insert into payment_links
         select (json_populate_record(l, json_build_object('id', 'plink_late', 'token', 'late'))).*
         from payment_links l where practice_id = $1 limit 1`,
        [practice.practiceId],
      );
      expect((await check('--repair')).code).to.equal(1);
      await writer.query('commit');
    } finally {
      await writer.end();
    }
    expect((await practice.test.get(PATH)).body.totalCount).to.equal(6);
    await fold();
    expect((await practice.test.get(PATH)).body.totalCount).to.equal(6);
    expect(await check()).to.deep.equal({ code: 0, findings: [] });
  });

  for (const [damage, statement] of [
    ['are missing', 'delete from list_counts where practice_id = $1'],
    ['are too low', 'update list_counts set row_count = 0 where practice_id = $1'],
    ['are too high', 'update list_counts set row_count = row_count + 7 where practice_id = $1'],
  ] as const) {
    it(`a list of one chunk shows every link although its counts ${damage}`, async () => {
      await query(url, 'delete from list_chunks where practice_id = $1', [practice.practiceId]);
      await query(
        url,
        `update list_counts set start_at = '-infinity', start_id = '' where practice_id = $1
        and start_at = (select min(start_at) from list_counts where practice_id = $1)`,
        [practice.practiceId],
      );
      await query(url, `delete from list_counts where practice_id = $1 and start_at > '-infinity'`, [
        practice.practiceId,
      ]);
      await query(url, statement, [practice.practiceId]);
      const seen: string[] = [];
      for (const [page, shown, hasMore] of [
        [1, 2, true],
        [2, 2, true],
        [3, 1, false],
        [4, 0, false],
      ] as const) {
        const { body } = await practice.test.get(`${PATH}?pageSize=2&page=${page}`);
        expect([body.data.length, body.hasMore], `page ${page}`).to.deep.equal([shown, hasMore]);
        if (shown > 0) expect(body.totalCount, `page ${page}`).to.be.at.least(Math.min(5, page * 2));
        seen.push(...body.data.map(({ id }: { id: string }) => id));
      }
      expect(new Set(seen).size).to.equal(5);
    });
  }
});
