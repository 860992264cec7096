import { randomBytes } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/postgresql';
import { expect } from 'chai';
import { createOrm } from '../../src/main/processes/shared.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { UnusableDatabase } from '../../src/platform/database/connection/unusable-database.ts';
import { migrate, readUsableSchema } from '../../src/platform/database/migrate.ts';
import { RELEASE } from '../../src/platform/database/schema-files.ts';
import { createDatabase, createEmptyDatabase, query } from '../harness/database.ts';

const log = createLogger('silent');

const CHANGED = 'payment-links/store/match-patient';

describe('migrate', () => {
  let url: string;
  let orm: MikroORM;

  beforeEach(async () => {
    url = await createDatabase();
    orm = createOrm(url, log, 1);
  });

  afterEach(() => orm.close());

  /** Makes the database's function differ from its file, as if this release had deployed it or another one. */
  const deployOther = (release: string) =>
    query(
      url,
      `create or replace function match_patient(p_practice_id text, p_external_id text, p_phone text) returns text
         language sql stable as $$ select 'other' $$;
       update schema_functions set hash = 'other', release = '${release}' where name = '${CHANGED}'`,
    );

  const match = async () => (await query(url, `select match_patient('prac_1', null, null) as id`))[0]?.id;

  const findPending = async () => {
    const { pendingMigrations, changedFiles } = await readUsableSchema(orm.em.fork());
    return [...pendingMigrations, ...changedFiles];
  };

  it('migrate replaces a function whose file has changed, and no other', async () => {
    await deployOther('{0,9,9}');
    expect(await findPending()).to.deep.equal([CHANGED]);
    expect(await migrate(url, log)).to.deep.equal([CHANGED]);
    expect(await match()).to.equal(null);
    expect(await findPending()).to.deep.equal([]);
  });

  it('migrate leaves a function of a newer release in place, and a process of this release starts with it', async () => {
    await deployOther(`{${RELEASE[0]},999,0}`);
    expect(await findPending()).to.deep.equal([]);
    expect(await migrate(url, log)).to.deep.equal([]);
    expect(await match()).to.equal('other');
  });

  it('a schema of a later major version is refused by its release and newest migration, and is left as it was', async () => {
    await deployOther('{999,10,0}');
    const [newest] = await query(url, 'select name from schema_migrations order by id desc limit 1');
    for (const attempt of [() => migrate(url, log), findPending]) {
      const error = await attempt().catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(UnusableDatabase);
      expect(String(error))
        .to.include('release 999.10.0')
        .and.include(String(newest?.name))
        .and.include(RELEASE.join('.'));
      expect(error).to.have.property('hint').that.includes('Start release 999.10.0').and.includes('backup');
    }
    expect(await match()).to.equal('other');
  });

  it('migrate replaces all changed files or none', async () => {
    await deployOther('{0,9,9}');
    await query(url, `update schema_functions set hash = 'other' where name = 'payment-links/store/create-links'`);
    // PostgreSQL refuses to replace a function by one of another result.
    await query(
      url,
      `drop function create_links(json, timestamptz, integer); create function create_links(json, timestamptz, integer)
         returns integer language sql as $$ select 1 $$`,
    );
    const error = await migrate(url, log).catch((reason: unknown) => reason);
    expect(String(error)).to.include('cannot change return type');
    expect(await match()).to.equal('other');
    expect(await findPending()).to.have.members([CHANGED, 'payment-links/store/create-links']);
  });

  it('migrate needs no right but the ownership of its database', async () => {
    const owned = new URL(await createEmptyDatabase());
    const role = `owner_${randomBytes(6).toString('hex')}`;
    await query(owned.href, `create role ${role} login password 'owner'`);
    await query(owned.href, `alter database ${owned.pathname.slice(1)} owner to ${role}`);
    [owned.username, owned.password] = [role, 'owner'];
    expect(await migrate(owned.href, log)).to.include('database/triggers');
  });

  it('migrate refuses a database without our tables that cannot store every character, and says how to create another', async () => {
    const empty = await createEmptyDatabase("encoding 'SQL_ASCII' template template0");
    const error = await migrate(empty, log).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(UnusableDatabase);
    expect(String(error)).to.include('SQL_ASCII');
    // The database may have tables of another program. So the hint never says to drop it.
    expect(error)
      .to.have.property('hint')
      .that.includes('Set DATABASE_URL to a new database')
      .and.includes(`encoding 'UTF8' template template0`);
    expect(await query(empty, `select to_regnamespace('graphile_worker') as jobs`)).to.deep.equal([{ jobs: null }]);
  });
});
