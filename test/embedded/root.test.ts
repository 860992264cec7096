import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { removeEmbeddedPostgres, startEmbeddedPostgres } from 'development-postgres';
import { runsAsRoot } from 'development-postgres/account';
import { query } from '../harness/database.ts';
import { leaveOut } from '../harness/leave-out.ts';
import { postgresMajor } from '../harness/postgres-major.ts';

/** Only root has these troubles, so only root can test them. */
describe('the embedded PostgreSQL, run by root', () => {
  let checkout: string;
  let directory: string;
  const start = (folder = directory) =>
    startEmbeddedPostgres({ directory: folder, isDurable: false, major: postgresMajor });

  before(function () {
    if (!runsAsRoot()) leaveOut(this, 'not root');
  });

  beforeEach(async () => {
    // mkdtemp makes it 0700, like /root.
    checkout = await mkdtemp(join(tmpdir(), 'paylinks-root-test-'));
    directory = join(checkout, '.local', 'postgres');
  });

  afterEach(async () => {
    await removeEmbeddedPostgres(directory);
    await rm(checkout, { recursive: true, force: true });
  });

  describe('in a folder that only root can enter', () => {
    it('the embedded PostgreSQL keeps its data elsewhere when only root can enter the folder, and finds it again', async () => {
      const first = await start();
      await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
      await first.stop();
      expect((await stat(join(await home(), 'data'))).uid).to.not.equal(0);
      const second = await start();
      expect(await query(second.url, 'SELECT answer FROM kept')).to.deep.equal([{ answer: 42 }]);
      await second.stop();
    });

    it('the embedded PostgreSQL starts empty once the folder was removed', async () => {
      const first = await start();
      await query(first.url, 'CREATE TABLE lost AS SELECT 42 AS answer');
      await rm(join(checkout, '.local'), { recursive: true });
      const second = await start();
      expect(await query(second.url, `SELECT to_regclass('lost') AS lost`)).to.deep.equal([{ lost: null }]);
      await Promise.all([first.stop(), second.stop()]);
    });

    it('the embedded PostgreSQL gives a copied or moved checkout a database of its own', async () => {
      const original = await start();
      await cp(join(checkout, '.local'), join(checkout, 'copied'), { recursive: true });
      const copy = await start(join(checkout, 'copied', 'postgres'));
      expect(copy.postmasterPid).to.not.equal(original.postmasterPid);
      await Promise.all([original.stop(), copy.stop()]);
      await removeEmbeddedPostgres(join(checkout, 'copied', 'postgres'));
    });

    it('the embedded PostgreSQL refuses a folder with data that its account can no longer reach, and leaves the data', async () => {
      await chmod(checkout, 0o755);
      await (await start()).stop();
      await chmod(checkout, 0o700);
      const error = await start().catch((failure: unknown) => failure);
      expect(error).to.have.property('message').that.includes("can't use");
      expect(existsSync(join(directory, 'data'))).to.equal(true);
    });

    it('removing the embedded PostgreSQL also removes its data elsewhere', async () => {
      await (await start()).stop();
      const elsewhere = await home();
      await removeEmbeddedPostgres(directory);
      expect(existsSync(elsewhere)).to.equal(false);
    });
  });

  it('the embedded PostgreSQL keeps its data in a folder that others can enter, readable for its account only', async () => {
    await chmod(checkout, 0o755);
    await (await start()).stop();
    const { uid, mode } = await stat(join(directory, 'data'));
    expect([uid === 0, mode & 0o777]).to.deep.equal([false, 0o700]);
  });

  async function home(): Promise<string> {
    return JSON.parse(await readFile(join(directory, 'data-is-elsewhere.json'), 'utf8')).home;
  }
});
