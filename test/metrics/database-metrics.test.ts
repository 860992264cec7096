import { expect } from 'chai';
import pg from 'pg';
import { READINGS } from '../../src/main/metrics/database-metrics.ts';
import { SESSION } from '../../src/platform/database/connection/connection.ts';
import { applySettings } from '../../src/platform/database/connection/pool.ts';
import { createDatabase, query } from '../harness/database.ts';
import { insertDeliveries } from '../harness/deliveries.ts';
import { useServiceForEach } from '../harness/fixtures.ts';
import { Payments } from '../harness/payments.ts';
import { createEndpoint, ENDPOINTS, paidLink } from '../harness/webhooks.ts';
import { databaseValues } from './counters.ts';

/** Returns the plans of all readings as text, by their names, as if tables were large: small ones would be read as a whole. */
async function plansOf(databaseUrl: string, options: string): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c enable_seqscan=off' });
  await client.connect();
  await applySettings(client, { settings: SESSION });
  try {
    const plans = new Map<string, string>();
    for (const { name, text } of READINGS) {
      const values = text.includes('$1') ? [null] : [];
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (${options}) ${text}`, values);
      plans.set(name, rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    return plans;
  } finally {
    await client.end();
  }
}

/** Returns the number of rows that a plan has read from indexes. */
function rowsRead(plan: string): number {
  const scans = plan.matchAll(/Index .*\(actual rows=([\d.]+) loops=(\d+)\)/g);
  return [...scans].reduce((sum, [, rows, loops]) => sum + Number(rows) * Number(loops), 0);
}

describe('metrics of the database', () => {
  const service = useServiceForEach();

  /** Makes two endpoints. Returns a function that inserts due deliveries, at both in turn. */
  async function twoEndpoints() {
    const { practiceId, test } = await service.practice();
    const endpoints = [
      await createEndpoint(test, 'https://127.0.0.1/1'),
      await createEndpoint(test, 'https://127.0.0.1/2'),
    ];
    return (count: number) =>
      insertDeliveries(
        service,
        Array.from({ length: count }, (_, index) => ({
          practiceId,
          endpointId: endpoints[index % 2]?.id ?? '',
          createdAt: new Date(service.clock.now().getTime() - index),
          status: 'pending',
        })),
      );
  }

  it('statuses and ages without anything are 0, so that an alert can compare them with the past', async () => {
    expect(await databaseValues(service, 'paylinks_webhook_endpoints')).to.deep.equal({
      'status="enabled"': 0,
      'status="disabled"': 0,
    });
    expect(await databaseValues(service, 'paylinks_webhook_deliveries_waiting')).to.deep.equal({
      'status="pending",endpoint="enabled"': 0,
      'status="pending",endpoint="disabled"': 0,
      'status="pending",endpoint="deleted"': 0,
      'status="retrying",endpoint="enabled"': 0,
      'status="retrying",endpoint="disabled"': 0,
      'status="retrying",endpoint="deleted"': 0,
    });
    expect(await databaseValues(service, 'paylinks_payment_attempts_open')).to.deep.equal({
      'age="<1m"': 0,
      'age="1m-1h"': 0,
      'age="1h-1d"': 0,
      'age=">=1d"': 0,
    });
  });

  it('open payment attempts are counted in the class of their age, which begins with its first moment', async () => {
    const practice = await service.practice();
    const payments = new Payments(service);
    const open = async () => payments.pay(await payments.link(practice), 'card_challenge');
    await open();
    service.clock.advance({ hours: 23 });
    await open();
    service.clock.advance({ minutes: 59 });
    await open();
    service.clock.advance({ minutes: 1 });
    await open();
    await open();
    await payments.pay(await payments.link(practice), 'card_success');
    expect(await databaseValues(service, 'paylinks_payment_attempts_open')).to.deep.equal({
      'age="<1m"': 2,
      'age="1m-1h"': 1,
      'age="1h-1d"': 1,
      'age=">=1d"': 1,
    });
    expect(await databaseValues(service, 'paylinks_payment_attempt_oldest_open_seconds')).to.deep.equal({
      paylinks_payment_attempt_oldest_open_seconds: 86_400,
    });
    expect(await databaseValues(service, 'paylinks_reconciliations_overdue')).to.deep.equal({
      paylinks_reconciliations_overdue: 2,
    });
  });

  it('waiting deliveries are counted by the status of their endpoint, and none waits at one that was disabled', async () => {
    const practice = await service.practice();
    const { id } = await createEndpoint(practice.test, 'https://127.0.0.1/hook');
    await paidLink(practice.test);
    await paidLink(practice.test);
    const rows = (text: string) => service.query(text, [id]);
    const waiting = async () => {
      const values = await databaseValues(service, 'paylinks_webhook_deliveries_waiting');
      return Object.entries(values).filter(([, value]) => value !== 0);
    };
    expect(await waiting()).to.deep.equal([['status="pending",endpoint="enabled"', 2]]);
    // As in the moment between the end of an endpoint and that of its waiting deliveries.
    await rows(`update webhook_endpoints set status = 'disabled' where id = $1`);
    expect(await waiting()).to.deep.equal([['status="pending",endpoint="disabled"', 2]]);
    await rows(
      `update webhook_endpoints set deleted_at = now(), url = '', secret_ciphertext = '', description = null where id = $1`,
    );
    expect(await waiting()).to.deep.equal([['status="pending",endpoint="deleted"', 2]]);
    const { id: other } = await createEndpoint(practice.test, 'https://127.0.0.1/other');
    await rows(`update webhook_deliveries set endpoint_id = '${other}' where endpoint_id = $1`);
    expect((await practice.test.patch(`${ENDPOINTS}/${other}`, { enabled: false })).status).to.equal(200);
    expect(await waiting()).to.deep.equal([]);
  });

  it('the oldest due delivery is found at every endpoint and in every rank, and one that is due later counts as 0', async () => {
    const insert = await twoEndpoints();
    const oldest = async () => {
      const values = await databaseValues(service, 'paylinks_webhook_oldest_due_seconds');
      expect(values['mode="live"']).to.equal(0);
      return values['mode="test"'];
    };
    expect(await oldest(), 'nothing waits').to.equal(0);
    service.clock.advance({ hours: 1 });
    const ids = await insert(6);
    await service.query(`update webhook_deliveries set due_at = $1::timestamptz + interval '1 minute'`, [
      service.clock.now(),
    ]);
    expect(await oldest(), 'nothing is due').to.equal(0);
    for (const [index, id] of ids.entries()) {
      const dueAt = new Date(service.clock.now().getTime() - (index + 1) * 1_000);
      await service.query('update webhook_deliveries set rank = $1, due_at = $2 where id = $3', [index % 3, dueAt, id]);
      expect(await oldest(), `delivery ${index}`).to.equal(index + 1);
    }
  });

  it('an endpoint is late with a delivery that is due for five minutes, unless one of its deliveries is under way', async () => {
    const insert = await twoEndpoints();
    const late = () => databaseValues(service, 'paylinks_webhook_endpoints_late');
    await insert(4);
    service.clock.advance({ seconds: 299 });
    expect(await late()).to.deep.equal({ 'mode="live"': 0, 'mode="test"': 0 });
    service.clock.advance({ seconds: 2 });
    expect(await late()).to.deep.equal({ 'mode="live"': 0, 'mode="test"': 2 });
    const until = new Date(service.clock.now().getTime() + 10_000);
    await service.query(`update webhook_endpoints set lease_until = $1 where url like '%/1'`, [until]);
    expect(await late()).to.deep.equal({ 'mode="live"': 0, 'mode="test"': 1 });
    await service.query('update webhook_endpoints set test = false');
    expect(await late()).to.deep.equal({ 'mode="live"': 1, 'mode="test"': 0 });
  });

  it('the oldest due delivery is read from one row for each endpoint and rank, however many wait there', async () => {
    const insert = await twoEndpoints();
    // Statistics know nothing of what comes, as in a sudden backlog.
    await service.query('analyze webhook_deliveries');
    await insert(200);
    await service.query(
      `update webhook_deliveries set rank = 1 where id in (select id from webhook_deliveries order by id limit 100)`,
    );
    const plans = await plansOf(service.config.databaseUrl, 'analyze, timing off');
    const plan = plans.get('paylinks_webhook_oldest_due_seconds') ?? '';
    // Four deliveries and the endpoint of each, and one more: before 18, the rows of all repetitions are known by their rounded mean only.
    expect(rowsRead(plan), plan).to.be.within(1, 9);
  });

  /** Adds due jobs, each with this error of its last try. */
  async function addJobs(task: string, count: number, lastError: string | null): Promise<void> {
    await service.query(
      `with task as (
         insert into graphile_worker._private_tasks (identifier) values ($1) returning id
       )
       insert into graphile_worker._private_jobs (task_id, run_at, last_error, attempts, max_attempts)
       select id, $2, $3, 1, 2 from task, generate_series(1, $4::integer)`,
      [task, service.clock.now(), lastError, count],
    );
  }

  const changeJobs = (text: string) => service.query(`update graphile_worker._private_jobs ${text}`);

  const jobCounts = async () => ({
    waiting: await databaseValues(service, 'paylinks_jobs_waiting'),
    failing: await databaseValues(service, 'paylinks_jobs_failing'),
    exhausted: await databaseValues(service, 'paylinks_jobs_exhausted'),
  });

  it('jobs that are due, and jobs that failed, are counted by task and up to 100,000', async () => {
    await addJobs('failing', 2, 'an error');
    await changeJobs(`set run_at = run_at + interval '1 minute'`);
    await addJobs('waiting', 1, null);
    expect(await jobCounts()).to.deep.equal({
      waiting: { 'task="waiting"': 1 },
      failing: { 'task="failing"': 2 },
      exhausted: {},
    });
    await service.query('delete from graphile_worker._private_jobs');
    await addJobs('both', 100_001, 'an error');
    expect(await jobCounts()).to.deep.equal({
      waiting: { 'task="both"': 100_000 },
      failing: { 'task="both"': 100_000 },
      exhausted: {},
    });
  });

  it('a job without a try left is exhausted, unless it runs its last try now', async () => {
    await addJobs('mail', 1, 'an error');
    const counted = { waiting: { 'task="mail"': 1 }, failing: { 'task="mail"': 1 }, exhausted: {} };
    expect(await jobCounts()).to.deep.equal(counted);
    await changeJobs(`set attempts = max_attempts, locked_at = now(), locked_by = 'a worker'`);
    expect(await jobCounts(), 'in its last try').to.deep.equal(counted);
    await changeJobs('set locked_at = null, locked_by = null');
    expect(await jobCounts(), 'after it').to.deep.equal({ waiting: {}, failing: {}, exhausted: { 'task="mail"': 1 } });
  });

  it('no reading scans a table of payments or deliveries, and what is overdue is a range of an index', async () => {
    const url = await createDatabase();
    await query(url, 'analyze');
    const plans = await plansOf(url, 'costs off');
    for (const [name, plan] of plans) {
      expect(plan, name).to.not.match(/Seq Scan on (payment_attempts|transactions|webhook_deliveries)/);
    }
    const overdue = plans.get('paylinks_reconciliations_overdue') ?? '';
    expect(overdue.match(/Index Cond: \(reconcile_at < /g) ?? [], overdue).to.have.length(2);
  });
});
