import { expect } from 'chai';
import type { ReportedViolation } from '../../src/base/invariant.ts';
import { createLogger } from '../../src/base/log/log.ts';
import { type RunningWorker, startWorker } from '../../src/processes/worker.ts';
import { RunningClock } from '../faults/crash-setup.ts';
import { madeForEach, useReceiver, useService } from '../harness/fixtures.ts';
import { Payments } from '../harness/payments.ts';
import { runPaylinks, until } from '../harness/processes.ts';
import { createLink, SECRETS_KEY } from '../harness/service.ts';
import { createEndpoint, paidLink } from '../harness/webhooks.ts';

describe('paylinks check --repair', function () {
  this.timeout(240_000);
  const service = useService({ clock: new RunningClock() });
  const receiver = useReceiver();
  const practice = madeForEach(() => service.practice());
  const payments = new Payments(service);
  const link = () => payments.link(practice);

  async function check(...args: string[]): Promise<ReportedViolation[]> {
    const env = { ...process.env, DATABASE_URL: service.config.databaseUrl, PROCESSOR: 'sandbox', SECRETS_KEY };
    const { code, stdout, stderr } = await runPaylinks(['check', '--json', ...args], env);
    expect(stderr).to.equal('');
    const { data }: { data: ReportedViolation[] } = JSON.parse(stdout);
    expect(code, 'the exit code says if something is reported').to.equal(data.length === 0 ? 0 : 1);
    return data.filter(({ practiceId }) => practiceId === practice.practiceId);
  }

  const rows = <Row extends Record<string, unknown>>(text: string, values: unknown[] = [practice.practiceId]) =>
    service.query<Row>(text, values);

  async function whileWorking(work: () => Promise<void>): Promise<void> {
    const worker: RunningWorker = await startWorker(service.config, createLogger('silent'));
    try {
      await work();
    } finally {
      await worker.stop();
    }
  }

  /** Waits until everything is delivered, and then until the check, which takes a process each time, finds nothing. */
  async function untilSound(): Promise<void> {
    const left = () => rows(`select from webhook_deliveries where practice_id = $1 and status <> 'delivered'`);
    await until(async () => (await left()).length === 0, 'deliveries are left', 60_000);
    await until(async () => (await check()).length === 0, 'the repaired data is still wrong', 60_000);
  }

  const acts = () =>
    rows<{ actor: string; target: string }>(
      `select actor_kind as actor, target_id as target from audit_log
       where practice_id = $1 and action = 'data.repaired' order by id`,
    );

  /** Violates each invariant that has a repair, some in two ways. Returns the objects whose repair is recorded. */
  async function damage() {
    const { id: waiting } = await createEndpoint(practice.live, `${receiver.url}/waiting`);
    const { id: leased } = await createEndpoint(practice.test, `${receiver.url}/leased`);
    const [overdue, old, unnamed] = [await link(), await link(), await link()];
    const [dangling, lost] = [await link(), await link()];
    await practice.live.post(`/api/v1/payment-links/${lost.id}/cancel`, {});
    await payments.pay(old, 'card_challenge');
    await payments.pay(unnamed, 'card_challenge');
    await payments.pay(dangling, 'card_declined');
    await paidLink(practice.test);
    await rows(`update webhook_endpoints set lease_until = now() + interval '1 day' where id = $1`, [leased]);
    await rows(`update payment_links set expires_at = now() - interval '11 minutes' where id = $1`, [overdue.id]);
    await rows(
      `update payment_attempts set created_at = now() - interval '26 hours', reconcile_at = now() + interval '50 minutes'
       where payment_link_id = $1`,
      [old.id],
    );
    await rows('update payment_links set open_attempt_id = null where id = $1', [unnamed.id]);
    await rows(
      `update payment_links set open_attempt_id = (select id from payment_attempts where payment_link_id = $1) where id = $1`,
      [dangling.id],
    );
    // As if it had been cancelled an hour ago.
    await rows(`update webhook_endpoints set created_at = now() - interval '2 hours' where id = $1`, [waiting]);
    await rows(`update payment_links set closed_at = now() - interval '1 hour' where id = $1`, [lost.id]);
    await rows('delete from webhook_deliveries where payment_link_id = $1', [lost.id]);
    const targets = [leased, overdue.id, old.id, unnamed.id, dangling.id, lost.id];
    return { targets, overdue, unnamed, dangling, lost };
  }

  it('paylinks check exits with 0 and a line without violations, and with 1 and no output if it cannot run', async () => {
    const run = (databaseUrl: string, ...args: string[]) =>
      runPaylinks(['check', ...args], { ...process.env, DATABASE_URL: databaseUrl, PROCESSOR: 'sandbox', SECRETS_KEY });
    const sound = await run(service.config.databaseUrl);
    expect([sound.code, /^no faults: \d+ invariants /.test(sound.stdout)], sound.stdout).to.deep.equal([0, true]);
    const nowhere = new URL(service.config.databaseUrl);
    nowhere.pathname = '/nowhere';
    const failed = await run(nowhere.href, '--json');
    expect([failed.code, failed.stdout, failed.stderr.startsWith('paylinks: ')]).to.deep.equal([1, '', true]);
  });

  it('every repair is announced without --repair, made once with it, recorded, and holds when a worker has run', async () => {
    const { targets, overdue, unnamed, dangling, lost } = await damage();
    const found = await check();
    const lease = found.find(({ invariant }) => invariant === 'leases_end_in_time');
    expect(lease?.problem).to.include(targets[0]);
    expect(new Set(found.map(({ invariant }) => invariant))).to.deep.equal(
      new Set([
        ...['leases_end_in_time', 'links_expire_in_time', 'attempts_end_in_a_day', 'links_agree_with_attempts'],
        'changes_have_their_events',
      ]),
    );
    expect(found.filter(({ next }) => !next.startsWith('--repair would '))).to.deep.equal([]);
    expect(await acts()).to.deep.equal([]);

    const repaired = await check('--repair');
    expect(repaired.map(({ problem }) => problem)).to.deep.equal(found.map(({ problem }) => problem));
    expect(repaired.filter((violation) => !violation.repaired)).to.deep.equal([]);
    const recorded = await acts();
    expect(recorded.map(({ target }) => target).toSorted()).to.deep.equal(targets.toSorted());
    expect(new Set(recorded.map(({ actor }) => actor))).to.deep.equal(new Set(['operator']));
    const [attempt] = await service.query<{ id: string; open: string }>(
      'select a.id, l.open_attempt_id as open from payment_attempts a join payment_links l on l.id = a.payment_link_id where l.id = $1',
      [unnamed.id],
    );
    expect(attempt?.open).to.equal(attempt?.id);

    // Without a worker, attempts still wait. A second repair adds nothing.
    const again = await check('--repair');
    expect(again.map(({ invariant }) => invariant)).to.include.members(['attempts_end_in_a_day']);
    expect(again.filter((violation) => violation.repaired)).to.deep.equal([]);
    expect(await acts()).to.deep.equal(recorded);

    await whileWorking(untilSound);
    expect(await payments.events(overdue)).to.deep.equal(['expired']);
    expect(await payments.events(lost)).to.deep.equal(['cancelled']);
    expect(await payments.pay(dangling, 'card_success')).to.equal('accepted');
    expect(await check()).to.deep.equal([]);
  });

  it('what only a person can decide is left as it is, and the report says what the person does', async () => {
    const endpoint = await createEndpoint(practice.live, receiver.url);
    const [paid, refunded, third] = [await link(), await link(), await link()];
    for (const link of [paid, refunded, third]) await payments.pay(link, 'card_success');
    await payments.refund(refunded);
    const deliverer = service.deliverer();
    void deliverer.deliver([endpoint.id]);
    await deliverer.idle();
    await rows('update payment_links set amount_cents = amount_cents + 1 where id = $1', [paid.id]);
    await rows(`update payment_attempts set amount_cents = amount_cents + 1 where payment_link_id = $1`, [third.id]);
    await rows(`update transactions set status = 'succeeded' where payment_link_id = $1`, [refunded.id]);
    const tables = ['payment_links', 'payment_attempts', 'transactions', 'webhook_deliveries', 'audit_log'];
    const contents = () =>
      Promise.all(tables.map((table) => rows(`select t::text from ${table} t where practice_id = $1 order by id`)));
    const before = await contents();
    const reported = await check('--repair');
    expect(new Set(reported.map(({ invariant }) => invariant))).to.include.all.keys(
      ...['links_agree_with_payments', 'payments_agree_with_attempts', 'refunds_agree_with_payments'],
    );
    for (const { repaired, next } of reported) {
      expect(repaired).to.equal(false);
      expect(next).to.match(/^A person has to decide: .+ and report it\.$/);
    }
    expect(await contents()).to.deep.equal(before);
  });

  it('repairs beside creates, payments, expiries and a worker lose no event', async () => {
    await createEndpoint(practice.test, `${receiver.url}/load`);
    const linkIds: string[] = [];
    let isOver = false;
    const load = async () => {
      while (!isOver) linkIds.push((await paidLink(practice.test)).id);
    };
    const harm = async () => {
      while (!isOver) {
        const link = await createLink(practice.test);
        linkIds.push(link.id);
        await rows(`update payment_links set expires_at = now() - interval '11 minutes' where id = $1`, [link.id]);
        await rows(`update webhook_endpoints set lease_until = now() + interval '1 hour' where practice_id = $1`);
      }
    };
    let repaired = 0;
    await whileWorking(async () => {
      const running = [load(), load(), harm()];
      try {
        // On a slow machine a run may begin before there is harm.
        for (let run = 0; run < 3 || (repaired < 2 && run < 30); run++)
          repaired += (await check('--repair')).filter((one) => one.repaired).length;
      } finally {
        isOver = true;
        await Promise.all(running);
      }
      await check('--repair');
      await untilSound();
    });
    expect(repaired).to.be.at.least(2);
    const events = await rows<{ link: string; types: string[] }>(
      'select payment_link_id as link, array_agg(type order by id) as types from webhook_deliveries where practice_id = $1 group by 1',
    );
    expect(events.map(({ link }) => link).toSorted()).to.deep.equal(linkIds.toSorted());
    for (const { types } of events) {
      expect(types).to.have.length(1);
      expect(types[0]).to.match(/^payment_link\.(paid|expired)$/);
    }
    expect((await practice.test.get('/api/v1/payment-links')).body.totalCount).to.equal(linkIds.length);
  });
});
