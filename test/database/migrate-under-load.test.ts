import { expect } from 'chai';
import pg from 'pg';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { DATABASE_LIMITS, migratingConnection } from '../../src/platform/database/connection/connection.ts';
import { createPool } from '../../src/platform/database/connection/pool.ts';
import { buildIndexes, parseIndexes, withoutIndexes } from '../../src/platform/database/index-builds.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { createEmptyDatabase, query } from '../harness/database.ts';
import { until } from '../harness/processes.ts';
import { readDump } from './release/record.ts';

const log = createLogger('silent');

const RELEASE = readDump('2.0.0');

/** Time for which a migration is watched while a transaction of another process keeps it waiting. */
const WATCHED_MS = 1_500;

describe('migrate on a database that is in use', () => {
  let url: string;
  let other: pg.Client;

  beforeEach(async () => {
    url = await createEmptyDatabase();
    await query(url, RELEASE);
    other = new pg.Client({ connectionString: url });
    await other.connect();
  });

  afterEach(() => other.end());

  const isWaiting = async (statement: string) => {
    const rows = await query(
      url,
      `select from pg_stat_activity
       where wait_event_type = 'Lock' and application_name = 'paylinks migrate' and query ilike $1 and datname = current_database()`,
      [`%${statement}%`],
    );
    return rows.length > 0;
  };

  /** Runs the statement with the limits of an API, again and again. Rejects if one of them has to wait too long. */
  const repeat = async (statement: string) => {
    const client = new pg.Client({ connectionString: url, lock_timeout: DATABASE_LIMITS.lock_timeout });
    await client.connect();
    const endMs = performance.now() + WATCHED_MS;
    try {
      while (performance.now() < endMs) await client.query(statement);
    } finally {
      await client.end();
    }
  };

  const invalidIndexes = () =>
    query(url, 'select indexrelid::regclass::text as name from pg_index where not indisvalid');

  /** Migrates while another transaction keeps locks, and repeats a statement as soon as the migration waits in `step`. */
  const migrateBehind = async (locks: string, step: string, statement: string) => {
    await other.query('begin');
    await other.query(locks);
    const migrated = migrate(url, log);
    await until(() => isWaiting(step), 'it waits for nothing');
    await repeat(statement);
    await other.query('commit');
    return migrated;
  };

  it('migrate builds indexes while links are written, also if it has to wait for a transaction that is under way', async () => {
    const write = 'update payment_links set description = description';
    await migrateBehind(write, 'create index concurrently', `${write} where false`);
    expect(await invalidIndexes()).to.deep.equal([]);
    const built = await query<{ name: string }>(
      url,
      `select indexrelid::regclass::text as name from pg_index
       where indexrelid::regclass::text in ('webhook_deliveries_newest', 'payment_links_search')`,
    );
    expect(built).to.have.length(2);
  });

  it('migrate stops waiting for a lock that others keep, so that requests behind it go on, and tries again', async () => {
    const migrated = await migrateBehind('select from api_keys', 'alter table api_keys', 'select from api_keys');
    expect(migrated).to.include('0115-creators-of-keys');
  });

  it('migrate builds an index again that an interrupted build left behind', async () => {
    await query(url, 'create index payment_links_search on payment_links (id)');
    await query(url, `update pg_index set indisvalid = false where indexrelid = 'payment_links_search'::regclass`);
    await migrate(url, log);
    expect(await invalidIndexes()).to.deep.equal([]);
    const [row] = await query<{ text: string }>(
      url,
      `select pg_get_indexdef('payment_links_search'::regclass) as text`,
    );
    expect(row?.text).to.include('USING gin');
  });

  it('migrate builds an index of another schema, and leaves it out of the migration', async () => {
    await query(url, 'create schema other; create table other.a (id text); create table a (id text)');
    const text = 'create index a_id on other.a (id);\ncreate index a_id on a (id);';
    const pool = createPool(migratingConnection(url), 1, log);
    try {
      for (let time = 0; time < 2; time++) await buildIndexes(pool, text);
    } finally {
      await pool.end();
    }
    const built = await query<{ name: string }>(
      url,
      `select indexrelid::regclass::text as name from pg_index where indexrelid::regclass::text like '%a_id' order by 1`,
    );
    const names = built.map(({ name }) => name);
    expect(names).to.include.members(['a_id', 'other.a_id']);
    expect(withoutIndexes(text, names).trim()).to.equal('');
    expect(withoutIndexes(text, ['a_id']).trim()).to.equal('create index a_id on other.a (id);');
  });

  it('a migration without its built indexes keeps its other statements', () => {
    const text = `create table a (id text); -- create index c on a (id);
      create unique index b on a (id)
        where id is not null; create index c on a (id);`;
    expect(parseIndexes(text).map(({ name, table }) => [name, table])).to.deep.equal([
      ['b', 'a'],
      ['c', 'a'],
    ]);
    expect(withoutIndexes(text, ['other'])).to.equal(text);
    expect(withoutIndexes(text, ['b']).replaceAll(/\s+/g, ' ')).to.equal(
      'create table a (id text); create index c on a (id);',
    );
  });
});
