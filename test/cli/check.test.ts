import { expect } from 'chai';
import { query } from '../harness/database.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { runPaylinks } from '../harness/processes.ts';
import { createLink, SECRETS_KEY } from '../harness/service.ts';
import { createEndpoint } from '../harness/webhooks.ts';

interface ReportedViolation {
  invariant: string;
  practiceId: string;
  problem: string;
  repaired: boolean;
  next: string;
}

describe('paylinks check', function () {
  this.timeout(180_000);
  const service = useService();
  const practice = madeForEach(() => service.practice());
  let url: string;

  before(async () => {
    url = service.config.databaseUrl;
  });

  beforeEach(() => Promise.all(Array.from({ length: 5 }, () => createLink(practice.test))));

  async function check(...args: string[]): Promise<{ code: number | null; reported: ReportedViolation[] }> {
    const env = { ...process.env, DATABASE_URL: url, PROCESSOR: 'sandbox', SECRETS_KEY };
    const { code, stdout, stderr } = await runPaylinks(['check', '--json', ...args], env);
    expect(stderr).to.equal('');
    return { code, reported: JSON.parse(stdout).data };
  }

  it('paylinks check finds nothing and exits with 0 while what is stored agrees with itself', async () => {
    await createLink(practice.test);
    expect(await check()).to.deep.equal({ code: 0, reported: [] });
    const env = { ...process.env, DATABASE_URL: url, PROCESSOR: 'sandbox' };
    const { stdout } = await runPaylinks(['check'], env);
    expect(stdout).to.match(/^no faults: \d+ invariants /);
  });

  it('paylinks check that cannot run exits with 1 as with reported, but prints nothing on standard output', async () => {
    const nowhere = new URL(url);
    nowhere.pathname = '/nowhere';
    const env = { ...process.env, DATABASE_URL: nowhere.href, PROCESSOR: 'sandbox' };
    const { code, stdout, stderr } = await runPaylinks(['check', '--json'], env);
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.match(/^paylinks: /);
  });

  it('paylinks check exits with 1 and names the practice and the row, and --repair makes it right', async () => {
    const other = await service.practice();
    const { practiceId } = practice;
    const { id } = await createEndpoint(practice.test, 'http://127.0.0.1:9/');
    await query(url, `update webhook_endpoints set lease_until = now() + interval '1 day' where id = $1`, [id]);
    const { code, reported } = await check();
    expect([code, reported.map(({ problem: _, next: __, ...rest }) => rest)]).to.deep.equal([
      1,
      [{ invariant: 'leases_end_in_time', practiceId, repaired: false }],
    ]);
    expect(reported[0]?.problem).to.include(id);
    expect(await check('--practice', other.practiceId)).to.deep.equal({ code: 0, reported: [] });
    const repaired = await check('--repair', '--practice', practiceId);
    expect([repaired.code, repaired.reported.map((violation) => violation.repaired)]).to.deep.equal([1, [true]]);
    expect(await check()).to.deep.equal({ code: 0, reported: [] });
  });
});
