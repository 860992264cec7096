import { expect } from 'chai';
import pg from 'pg';
import { createOrm } from '../../src/main/processes/shared.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { SESSION } from '../../src/platform/database/connection/connection.ts';
import { applySettings } from '../../src/platform/database/connection/pool.ts';
import { PLAN_HINTS } from '../../src/platform/database/query/plan-hints.ts';
import { RECORD } from '../../src/webhooks/delivery/record-success.ts';
import { CLAIM } from '../../src/webhooks/delivery/start.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { createDatabase } from '../harness/database.ts';

/** 2,000 endpoints, each with five deliveries. A hundred of them are due. */
const GROW = `
  set session_replication_role = replica;
  insert into webhook_endpoints (id, practice_id, test, url, enabled_events, status, secret_ciphertext, created_at)
    select 'we_' || n, 'prac_1', false, 'https://example.com', '{}', 'enabled', 'k.', now() from generate_series(1, 2000) as n;
  insert into webhook_deliveries (id, practice_id, endpoint_id, type, test, status, payload, delivery_run, due_at, delivered_at, created_at)
    select 'evt_' || n, 'prac_1', 'we_' || 1 + n % 2000, 'ping', false, case when n <= 100 then 'pending' else 'delivered' end, '{}',
      'automatic', case when n <= 100 then now() end, case when n > 100 then now() end, now()
    from generate_series(1, 10000) as n;
  insert into webhook_attempts (delivery_id, number, endpoint_id, practice_id, started_at, duration_ms, lease_epoch)
    select id, 1, endpoint_id, practice_id, now(), 10, 1 from webhook_deliveries;
  analyze`;

/** 20,000 deliveries of one endpoint, all delivered. */
const DELIVERED = `
  set session_replication_role = replica;
  insert into webhook_deliveries (id, practice_id, endpoint_id, type, test, status, payload, delivery_run, delivered_at, created_at)
    select 'evt_' || n, 'prac_1', 'we_1', 'ping', true, 'delivered', '{}', 'automatic', now(), now() from generate_series(1, 20000) as n;
  insert into webhook_attempts (delivery_id, number, endpoint_id, practice_id, started_at, duration_ms, lease_epoch)
    select id, 1, endpoint_id, practice_id, now(), 10, 1 from webhook_deliveries;
  analyze`;

/** Statements of deliveries, each with values for one item and for more. */
const STATEMENTS = [
  ['a success is recorded', RECORD.one, `now(), null, null, null, null, null, null, null, null, 15, '{}'`],
  ['successes are recorded', RECORD.more, `now(), null, '{}', '{}', '{}', '{}', '{}', '{}', '{}', 15, '{}'`],
  ['a lease is claimed', CLAIM.one, `now(), null, null, null, 15, '{}'`],
  ['leases are claimed', CLAIM.more, `now(), null, '{}', '{}', 15, '{}'`],
] as const;

/** Returns the plans that one session keeps of a statement, each made on the tables as a step left them. */
async function keptPlans(statement: string, values: string, steps: readonly string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: await createDatabase() });
  await client.connect();
  await applySettings(client, { settings: SESSION });
  try {
    await client.query('set plan_cache_mode = force_generic_plan');
    const plans: string[] = [];
    for (const step of steps) {
      await client.query(step);
      if (plans.length === 0) await client.query(`prepare kept as ${statement}`);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain execute kept (${values})`);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    return plans;
  } finally {
    await client.end();
  }
}

describe('plan hints', () => {
  it('plan hints are the settings of every session, so that no statement is ever compiled', async () => {
    const orm = createOrm(await createDatabase(), createLogger('silent'), 1);
    afterThisTest(() => orm.close());
    const rows = await orm.em.execute<{ name: string; setting: string }[]>('select name, setting from pg_settings');
    const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
    for (const [name, value] of Object.entries(PLAN_HINTS)) expect(settings.get(name), name).to.equal(`${value}`);
    expect(settings.get('jit')).to.equal('off');
  });

  for (const [what, statement, values] of STATEMENTS) {
    it(`a plan of empty tables by which ${what} ends when they are analyzed, and the next one reads no table as a whole`, async () => {
      const [empty, grown] = await keptPlans(statement, values, ['analyze', GROW]);
      expect(empty).not.to.equal(grown);
      expect(grown)
        .to.include('using webhook_endpoints_pkey')
        .and.not.match(/Seq Scan on webhook_/);
    });

    it(`a plan by which ${what}, made while no delivery waited, finds rows by keys, and only what is due by what is due`, async () => {
      const [plan = ''] = await keptPlans(statement, values, [DELIVERED]);
      expect(plan).to.include('using webhook_deliveries_pkey');
      // The few endpoints are read as a whole.
      expect(plan).not.to.match(/Seq Scan on webhook_(deliveries|attempts)/);
      if (what.includes('recorded')) {
        expect(plan).to.include('using webhook_attempts_pkey').and.not.include('webhook_attempts_open');
      }
      expect(plan.match(/using webhook_deliveries_due.*\n *Index Cond: .*endpoint_id/g), plan).to.have.length(1);
      expect(plan.match(/webhook_deliveries_due/g), 'what is due alone is found by it').to.have.length(1);
    });
  }
});
