import { expect } from 'chai';
import pg from 'pg';
import { createLogger } from '../../src/base/log/log.ts';
import { migrate } from '../../src/database/migrate.ts';
import { query } from '../harness/database.ts';
import { createLink, type TestPractice, TestService } from '../harness/service.ts';

const log = createLogger('silent');

/** Makes the database as a migration leaves it that was ended before it had filled the rows. */
const UNFILL = `
  alter table idempotent_replies alter practice_id drop not null;
  update idempotent_replies set practice_id = null`;

describe('the columns practice_id of old rows', () => {
  let service: TestService;
  let practice: TestPractice;
  let url: string;

  before(async () => {
    service = await TestService.start();
    url = service.config.databaseUrl;
    practice = await service.practice();
    await Promise.all([1, 2, 3].map(() => createLink(practice.live)));
  });

  beforeEach(() => query(url, UNFILL));

  after(() => service.close());

  const state = async () => {
    const [row] = await query<{ practices: string[]; required: boolean; checks: number }>(
      url,
      `select array(select distinct practice_id from idempotent_replies) as practices,
         (select attnotnull from pg_attribute where attrelid = 'idempotent_replies'::regclass and attname = 'practice_id')
           as required,
         (select count(*)::integer from pg_constraint where conname = 'idempotent_replies_has_practice') as checks`,
    );
    return row;
  };

  it('a migration that was ended before its end is finished by the next one', async () => {
    expect(await state()).to.deep.equal({ practices: [null], required: false, checks: 0 });
    await migrate(url, log);
    expect(await state()).to.deep.equal({ practices: [practice.practiceId], required: true, checks: 0 });
  });

  it('links are created while old rows are filled and while a transaction keeps the table from being altered', async () => {
    const writer = new pg.Client({ connectionString: url });
    await writer.connect();
    await writer.query('begin');
    await writer.query(`update idempotent_replies set created_at = created_at where false`);
    const migrating = migrate(url, log);
    // More than the first tries of the migration, which wait 100 ms for the table's lock.
    for (let created = 0; created < 20; created++) await createLink(practice.live);
    expect((await state())?.required).to.equal(false);
    await writer.query('commit');
    await writer.end();
    await migrating;
    expect((await state())?.required).to.equal(true);
  });
});
