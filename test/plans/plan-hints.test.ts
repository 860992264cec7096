import { expect } from 'chai';
import pg from 'pg';
import { createLogger } from '../../src/base/log/log.ts';
import { SESSION } from '../../src/database/connection/service-connection.ts';
import { PLAN_HINTS } from '../../src/database/query/plan-hints.ts';
import { createOrm } from '../../src/processes/shared.ts';
import { CLAIM } from '../../src/webhooks/delivery/claim.ts';
import { RECORD } from '../../src/webhooks/delivery/record-success.ts';
import { createDatabase } from '../harness/database.ts';

/** The plan that a session with these start-up options keeps of a statement, made on tables analyzed while empty. */
async function planOnEmptyTables(options: string, statement: string, values: string): Promise<string> {
  const client = new pg.Client({ connectionString: await createDatabase(), options });
  await client.connect();
  try {
    await client.query('analyze');
    await client.query('set plan_cache_mode = force_generic_plan');
    await client.query(`prepare kept as ${statement}`);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain execute kept (${values})`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await client.end();
  }
}

describe('plan hints', () => {
  const NO_SUCCESSES = `now(), null, '{}', '{}', '{}', '{}', '{}', '{}', '{}', 15, 'delivered', '{}'`;

  it('plan hints are the settings of every session, so that no statement is ever compiled', async () => {
    const orm = createOrm(await createDatabase(), createLogger('silent'), 1);
    try {
      const rows = await orm.em.execute<{ name: string; setting: string }[]>('select name, setting from pg_settings');
      const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
      for (const [name, value] of Object.entries(PLAN_HINTS)) expect(settings.get(name), name).to.equal(`${value}`);
      expect(settings.get('jit')).to.equal('off');
    } finally {
      await orm.close();
    }
  });

  it('plan hints keep a statement off whole tables although its plan was made while they were empty', async () => {
    for (const [statement, values] of [
      [RECORD, NO_SUCCESSES],
      [CLAIM, `now(), null, '{}', '{}', 15, '{}'`],
    ] as const) {
      const plan = await planOnEmptyTables(SESSION, statement, values);
      expect(plan).to.include('using webhook_endpoints_pkey');
      expect(plan).not.to.match(/Seq Scan|Hash (\w+ )?Join|Merge (\w+ )?Join/);
    }
  });

  for (const [left, offence] of [
    ['enable_seqscan', /Seq Scan on webhook_/],
    ['enable_hashjoin', /Hash (\w+ )?Join/],
  ] as const) {
    it(`plan hints need ${left}: without it the same plan reads a whole table`, async () => {
      const without = SESSION.replace(`-c ${left}=off`, '');
      expect(await planOnEmptyTables(without, RECORD, NO_SUCCESSES)).to.match(offence);
    });
  }
});
