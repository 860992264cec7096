import { expect } from 'chai';
import { LAST_OF_2_0_0, MIGRATIONS, RELEASE } from '../../src/platform/database/schema-files.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { createDatabase, createEmptyDatabase, query } from '../harness/database.ts';
import { freePort } from '../harness/free-port.ts';
import { runPaylinks, startPaylinks } from '../harness/processes.ts';

const PASSWORD = 'test';

describe('commands on a database that is not usable', () => {
  /** Runs a command. The start of `serve` and `worker` makes the same checks, so one of them stands for both. */
  async function run(url: string, ...args: string[]): Promise<{ code: number | null; stderr: string }> {
    const SECRETS_KEY = `cli:${Buffer.alloc(32, 3).toString('base64')}`;
    const own = { DATABASE_URL: url, PROCESSOR: 'sandbox', SECRETS_KEY, PORT: '0', LOG_LEVEL: 'silent' };
    const env = { ...process.env, ...own };
    const isProcess = args[0] === 'serve' || args[0] === 'worker';
    return isProcess ? startPaylinks(args, env).finished : runPaylinks(args, env);
  }

  it('commands on a database that is not usable name its server and the next step while it is out of reach', async () => {
    const port = await freePort();
    for (const command of [['migrate'], ['practices', 'list']]) {
      const { code, stderr } = await run(`postgres://paylinks@127.0.0.1:${port}/paylinks`, ...command);
      expect(code, stderr).to.equal(1);
      expect(stderr).to.include(`ECONNREFUSED 127.0.0.1:${port}`).and.include('DATABASE_URL').and.include('Check');
    }
  });

  it('commands on a database that is not usable say how to create one that does not exist, and no process starts', async () => {
    const url = new URL(await createEmptyDatabase());
    url.pathname = '/no_such_database';
    for (const command of [['migrate'], ['check'], ['serve']]) {
      const { code, stderr } = await run(url.href, ...command);
      expect(code, stderr).to.equal(1);
      expect(stderr).to.include('3D000').and.include('createdb');
    }
  });

  it('commands on a database that is not usable say that its account lacks a right, and no process starts', async () => {
    const role = `guest_${process.pid}`;
    const owned = await createDatabase();
    await query(owned, `create role ${role} login password '${PASSWORD}'`);
    afterThisTest(async () => query(await createEmptyDatabase(), `drop role ${role}`));
    const empty = await createEmptyDatabase();
    await query(empty, 'revoke all on schema public from public');
    for (const [database, ...command] of [
      [empty, 'migrate'],
      [owned, 'migrate'],
      [owned, 'practices', 'list'],
      [owned, 'worker'],
    ] as const) {
      const url = new URL(database);
      [url.username, url.password] = [role, PASSWORD];
      const { code, stderr } = await run(url.href, ...command);
      expect(code, stderr).to.equal(1);
      expect(stderr).to.include('42501').and.include('alter database');
    }
  });

  it('commands on a database that lacks migrations ask for paylinks migrate, in a few words', async () => {
    const url = await createEmptyDatabase();
    for (const command of [['practices', 'list'], ['check'], ['secrets', 'rotate'], ['serve']]) {
      const { code, stderr } = await run(url, ...command);
      expect(code, stderr).to.equal(1);
      expect(stderr).to.include('database/schema').and.include('scripts/paylinks migrate');
      expect(stderr).to.have.length.below(300);
    }
    const lacking = await createDatabase();
    await query(
      lacking,
      `update schema_functions set hash = 'other', release = '{0,9,9}' where name = 'database/triggers'`,
    );
    const release = RELEASE.join('.');
    const newest = MIGRATIONS.at(-1)?.name;
    const { code, stderr } = await run(lacking, 'practices', 'list');
    expect([code, stderr]).to.deep.equal([
      1,
      `paylinks: The schema is of release ${release} with ${newest} as its newest migration. It lacks database/triggers of release ${release}.\n` +
        'Run scripts/paylinks migrate with this release.\n',
    ]);
    await query(lacking, `update schema_functions set release = '{0,9,9}'`);
    const former = await run(lacking, 'practices', 'list');
    expect(former.stderr).to.include('The schema is of release 0.9.9').and.include('Back the database up first');
  });

  it('commands on a database of 1.x say to migrate with 2.0.0 first', async () => {
    const url = await createDatabase();
    await query(url, 'delete from schema_migrations where name <> $1', [LAST_OF_2_0_0]);
    await query(url, `update schema_migrations set name = '0018-former'`);
    await query(url, `update schema_functions set release = '{1,9,0}'`);
    for (const command of [['migrate'], ['practices', 'list'], ['serve']]) {
      const { code, stderr } = await run(url, ...command);
      expect(code, stderr).to.equal(1);
      expect(stderr).to.include('release 1.9.0').and.include('migrate with 2.0.0 first');
    }
  });
});
