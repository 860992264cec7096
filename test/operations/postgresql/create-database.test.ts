import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type EmbeddedPostgres, startEmbeddedPostgres } from 'development-postgres';
import { query } from '../../harness/database.ts';
import { leaveOut } from '../../harness/leave-out.ts';
import { postgresMajor } from '../../harness/postgres-major.ts';
import { checkout } from '../../harness/processes.ts';
import { newScratchFolder } from '../../harness/scratch.ts';

describe('the database of the composition', () => {
  let folder: string;
  let postgres: EmbeddedPostgres;

  before(async () => {
    folder = newScratchFolder('create-database');
    postgres = await startEmbeddedPostgres({ directory: folder, isDurable: false, major: postgresMajor });
  });

  after(async () => {
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('the script of the composition makes a role that owns its database and has no other right', async function () {
    if (spawnSync('psql', ['--version']).error !== undefined) return leaveOut(this, 'no psql on this machine');
    // As in the image, the superuser is `postgres`, and the names of the embedded server are free.
    const superuser = new URL(postgres.url);
    await query(superuser.href, "create role postgres superuser login password 'superuser'");
    [superuser.pathname, superuser.username, superuser.password] = ['/postgres', 'postgres', 'superuser'];
    await query(superuser.href, 'alter role paylinks rename to embedded');
    await query(superuser.href, 'drop database if exists paylinks');
    const { hostname, port } = superuser;
    const server = { PGHOST: hostname, PGPORT: port, PGPASSWORD: 'superuser' };
    const POSTGRES_PASSWORD = `it's "a" \\word $HOME`;
    const { status, stderr } = spawnSync(join(checkout, 'operations/container/create-database.sh'), [], {
      env: { PATH: process.env.PATH, ...server, POSTGRES_USER: 'postgres', POSTGRES_PASSWORD },
      encoding: 'utf8',
    });
    expect([status, stderr]).to.deep.equal([0, '']);
    const own = new URL(postgres.url);
    [own.pathname, own.username, own.password] = ['/paylinks', 'paylinks', encodeURIComponent(POSTGRES_PASSWORD)];
    const [rights] = await query(
      own.href,
      `select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as more,
         (select array_agg(datname::text) from pg_database where datdba = r.oid) as owned,
         (select count(*)::integer from pg_auth_members where member = r.oid) as groups
       from pg_roles r where rolname = current_user`,
    );
    expect(rights).to.deep.equal({ more: false, owned: ['paylinks'], groups: 0 });
    const refused = await query(superuser.href, 'select 1').then(
      () => 'accepted',
      (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
    );
    expect(refused).to.equal('28P01');
  });
});
