import { expect } from 'chai';
import pg from 'pg';
import { createLogger } from '../../src/base/log/log.ts';
import { migrate } from '../../src/database/migrate.ts';
import { query } from '../harness/database.ts';
import { useService } from '../harness/fixtures.ts';
import { until } from '../harness/processes.ts';
import { createLink, type TestPractice } from '../harness/service.ts';

const log = createLogger('silent');

/** Makes the database as a migration leaves it that was ended before it had filled the rows. */
const UNFILL = `
  alter table idempotent_replies alter practice_id drop not null;
  update idempotent_replies set practice_id = null`;

describe('the columns practice_id of old rows', () => {
  const service = useService();
  let practice: TestPractice;
  let url: string;

  before(async () => {
    url = service.config.databaseUrl;
    practice = await service.practice();
    await Promise.all([1, 2, 3].map(() => createLink(practice.live)));
  });

  beforeEach(() => query(url, UNFILL));

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

  it('old rows are filled by bounded statements, however many belong to one API key', async () => {
    await query(
      url,
      `insert into idempotent_replies (api_key_id, idempotency_key, body_hash, reply, created_at, practice_id)
       select api_key_id, 'copy-' || n, body_hash, reply, created_at, practice_id
       from (select * from idempotent_replies limit 1) as one, generate_series(1, 4500) as n`,
    );
    await query(
      url,
      `update idempotent_replies set practice_id = null;
       create table statements (rows integer);
       create function note_rows() returns trigger language plpgsql as
         'begin insert into statements select count(*) from filled; return null; end';
       create trigger noted after update on idempotent_replies referencing new table as filled
         for each statement execute function note_rows()`,
    );
    await migrate(url, log);
    await query(url, 'drop trigger noted on idempotent_replies');
    const rows = await query<{ rows: number }>(url, 'select rows from statements where rows > 0');
    expect(rows.map((row) => row.rows)).to.deep.equal([2_000, 2_000, 503]);
    expect(await state()).to.deep.equal({ practices: [practice.practiceId], required: true, checks: 0 });
    await query(url, `delete from idempotent_replies where idempotency_key like 'copy-%'`);
  });

  it('a row that another transaction has locked is filled by a later try, and nobody waits for it until then', async () => {
    const locking = new pg.Client({ connectionString: url });
    await locking.connect();
    const [first, ...others] = await query<{ key: string }>(
      url,
      'select idempotency_key as key from idempotent_replies order by api_key_id, idempotency_key',
    );
    await locking.query('begin');
    await locking.query('update idempotent_replies set reply = reply where idempotency_key = $1', [others.at(-1)?.key]);
    const migrating = migrate(url, log);
    const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
      and query like '%update idempotent_replies t set practice_id%'`;
    await until(
      async () => (await query(url, waits)).length > 0,
      () => 'the filling does not wait',
    );
    // The batch had this row, and let it go at the end of its try.
    await locking.query('update idempotent_replies set reply = reply where idempotency_key = $1', [first?.key]);
    await locking.query('commit');
    await locking.end();
    await migrating;
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
