import { expect } from 'chai';
import type { ReportedViolation } from '../../src/platform/database/query/rule-invariant.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { runPaylinks } from '../harness/processes.ts';
import { createLink, SECRETS_KEY } from '../harness/service.ts';

describe('paylinks check', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());

  const check = (databaseUrl: string, ...args: string[]) =>
    runPaylinks(['check', ...args], { ...process.env, DATABASE_URL: databaseUrl, PROCESSOR: 'sandbox', SECRETS_KEY });

  it('paylinks check exits with 0 and a line without violations, and with 1 and no output if it cannot run', async () => {
    const sound = await check(service.config.databaseUrl);
    expect([sound.code, /^no faults: \d+ invariants /.test(sound.stdout)], sound.stdout).to.deep.equal([0, true]);
    const nowhere = new URL(service.config.databaseUrl);
    nowhere.pathname = '/nowhere';
    const failed = await check(nowhere.href, '--json');
    expect([failed.code, failed.stdout, failed.stderr.startsWith('paylinks: ')]).to.deep.equal([1, '', true]);
  });

  it('paylinks check exits with 1 for a violation, says the next step, and changes nothing', async () => {
    const { id } = await createLink(practice.test);
    await service.query(`update payment_links set status = 'paid', paid_at = now(), closed_at = now() where id = $1`, [
      id,
    ]);
    const content = () =>
      service.query('select l::text from payment_links l union all select a::text from audit_log a');
    const before = await content();
    const { code, stdout, stderr } = await check(service.config.databaseUrl, '--json');
    expect([code, stderr]).to.deep.equal([1, '']);
    const { data }: { data: ReportedViolation[] } = JSON.parse(stdout);
    expect(data).to.have.length(1);
    expect(data[0]).to.include({ invariant: 'links_agree_with_payments', practiceId: practice.practiceId });
    expect(data[0]?.problem).to.include(id);
    expect(data[0]?.next).to.match(/^Compare it with the payment at the processor .+ and report it\.$/);
    expect(await content()).to.deep.equal(before);
  });
});
