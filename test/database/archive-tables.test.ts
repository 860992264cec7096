import { expect } from 'chai';
import { createLogger } from '../../src/base/log/log.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createOrm } from '../../src/service-orm.ts';
import { ARCHIVED_TABLES } from '../harness/archive.ts';
import { createDatabase, createEmptyDatabase, query } from '../harness/database.ts';

/** A statement about both tables of a pair, which says the same of both. `$1` is the table. */
const SAME = {
  columns: `select attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull || ' ' ||
      coalesce(pg_get_expr(adbin, adrelid), '') as text
    from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attname`,
  indexes: `select regexp_replace(pg_get_indexdef(indexrelid), 'INDEX \\S+ ON \\S+', '') as text
    from pg_index where indrelid = $1::regclass order by 1`,
  checks: `select conname || ' ' || pg_get_constraintdef(oid) as text from pg_constraint
    where conrelid = $1::regclass and contype = 'c' and conname <> 'payment_links_archived' order by 1`,
  // Rows of the archive have the fields that the other triggers set. One condition leaves out what archive_links moves.
  triggers: `select replace(regexp_replace(pg_get_triggerdef(oid), ' ON \\S+', ''),
      ' WHEN ((current_setting(''paylinks.archives_links''::text, true) IS DISTINCT FROM ''on''::text))', '') as text
    from pg_trigger
    where tgrelid = $1::regclass and not tgisinternal and tgfoid <> 'copy_payment'::regproc order by 1`,
};

describe('the tables of the archive', () => {
  let url: string;

  before(async () => {
    url = await createDatabase();
  });

  const texts = async (statement: string, table: string) =>
    (await query<{ text: string }>(url, statement, [table])).map(({ text }) => text);

  for (const [kind, statement] of Object.entries(SAME)) {
    it(`each table of the archive has the ${kind} of the table of the same name`, async () => {
      let seen = 0;
      for (const table of ARCHIVED_TABLES) {
        const there = await texts(statement, `public.${table}`);
        expect(await texts(statement, `archive.${table}`), table).to.deep.equal(there);
        seen += there.length;
      }
      expect(seen).to.be.above(6);
    });
  }

  it('the archive has a table for every row that hangs on a link, but for requests that retention deletes first', async () => {
    const tables = await query<{ name: string }>(
      url,
      `select relname as name from pg_class where relnamespace = 'archive'::regnamespace and relkind = 'r' order by 1`,
    );
    expect(tables.map(({ name }) => name)).to.deep.equal(ARCHIVED_TABLES.toSorted());
    const hanging = await query<{ name: string }>(
      url,
      `select distinct conrelid::regclass::text as name from pg_constraint
       where contype = 'f' and confrelid = any ($1::regclass[]) order by 1`,
      [ARCHIVED_TABLES],
    );
    expect(hanging.map(({ name }) => name)).to.deep.equal([...ARCHIVED_TABLES, 'receipt_requests'].toSorted());
  });

  it('a foreign key keeps every archived row with its link and its practice', async () => {
    const keysOf = `select count(*)::integer || '' as text from pg_constraint where conrelid = $1::regclass and contype = 'f'`;
    for (const table of ARCHIVED_TABLES) {
      const [there] = await texts(keysOf, `public.${table}`);
      // The practice follows from the location, and an archived link has no open attempt.
      const missing = table === 'payment_links' ? 2 : 0;
      expect(await texts(keysOf, `archive.${table}`), table).to.deep.equal([`${Number(there) - missing}`]);
    }
  });

  /** Fails unless both tables of each of these pairs are alike. */
  async function expectPairs(tables: readonly string[]): Promise<void> {
    for (const [kind, statement] of Object.entries(SAME)) {
      for (const table of tables) {
        const there = await texts(statement, `public.${table}`);
        expect(await texts(statement, `archive.${table}`), `${kind} of ${table}`).to.deep.equal(there);
      }
    }
  }

  it('every migration after that of the archive keeps the pairs alike if the archive was attached before', async () => {
    url = await createEmptyDatabase();
    const log = createLogger('silent');
    const orm = createOrm(url, log, 1);
    try {
      await orm.migrator.up({ to: '0033-archive' });
    } finally {
      await orm.close();
    }
    for (const table of ARCHIVED_TABLES) await query(url, `alter table archive.${table} inherit ${table}`);
    await migrate(url, log);
    await expectPairs(ARCHIVED_TABLES);
  });

  for (const isAttached of [false, true]) {
    const state = isAttached ? 'if the archive is attached' : 'if it is not';

    it(`a migration that adds to the archive first changes both tables ${state}`, async () => {
      url = await createDatabase();
      if (isAttached) await query(url, 'select attach_archive(null)');
      for (const table of ['archive.refunds', 'refunds']) {
        await query(
          url,
          `alter table ${table} add note text, add amount_range int4range default '[1,2)' not null;
           alter table ${table} add constraint refunds_note check (note <> '') not valid;
           create index refunds_note on ${table} (note) where note is not null`,
        );
      }
      for (const table of ['archive.refunds', 'refunds'])
        await query(url, `alter table ${table} validate constraint refunds_note`);
      await expectPairs(['refunds']);
      expect((await texts(SAME.columns, 'archive.refunds')).join()).to.include('note text');
    });

    it(`a migration that takes away from the present table first changes both tables ${state}`, async () => {
      url = await createDatabase();
      if (isAttached) await query(url, 'select attach_archive(null)');
      const [column, check, mandatory] = ['reason text', 'refunds_amount_cents_check', 'amount_cents integer true'];
      const seen = async (table: string) =>
        [await texts(SAME.columns, table), await texts(SAME.checks, table)].flat().join('\n');
      expect(await seen('archive.refunds'))
        .to.include(column)
        .and.to.include(mandatory)
        .and.to.include(check);
      for (const table of ['refunds', 'archive.refunds']) {
        await query(
          url,
          `alter table ${table} drop column reason; alter table ${table} drop constraint ${check};
           alter table ${table} alter amount_cents drop not null`,
        );
      }
      await expectPairs(['refunds']);
      for (const gone of [column, check, mandatory]) expect(await seen('archive.refunds')).not.to.include(gone);
    });
  }

  it('PostgreSQL refuses a migration that takes away from an attached archive first, so that none is released', async () => {
    url = await createDatabase();
    await query(url, 'select attach_archive(null)');
    for (const change of [
      'drop column reason',
      'drop constraint refunds_amount_cents_check',
      'rename reason to cause',
    ]) {
      const error = await query(url, `alter table archive.refunds ${change}`).catch((error: unknown) => error);
      expect(error, change).to.be.instanceOf(Error);
    }
  });
});
