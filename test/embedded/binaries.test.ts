import { chmod, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { assertRunnable, type Binaries, installedBinaries } from 'development-postgres/binaries';
import { PostgresError } from 'development-postgres/error';
import { postgresMajor } from '../harness/postgres-major.ts';

describe('the PostgreSQL programs', () => {
  let binaries: Binaries;

  before(async () => {
    const root = await mkdtemp(join(tmpdir(), 'paylinks-binaries-test-'));
    await cp(join(installedBinaries(postgresMajor).root, 'bin'), join(root, 'bin'), { recursive: true });
    binaries = { root, edition: 'test', major: postgresMajor };
  });

  after(() => rm(binaries.root, { recursive: true }));

  it('the error for programs without their libraries, or that may not be executed, asks for an install with scripts', async () => {
    for (const mode of [0o755, 0o644]) {
      await chmod(join(binaries.root, 'bin', 'postgres'), mode);
      expect(unusable().hint)
        .to.match(/npm rebuild postgres-\d+-/)
        .and.include('DATABASE_URL');
    }
  });

  it('the error for programs of another system asks for DATABASE_URL', async () => {
    await rm(join(binaries.root, 'bin', 'postgres'));
    const error = unusable();
    expect(error.message).to.include('ENOENT');
    expect(error.hint).to.include('DATABASE_URL').and.not.include('npm');
  });

  function unusable(): PostgresError {
    try {
      assertRunnable(binaries);
    } catch (error) {
      if (error instanceof PostgresError) return error;
    }
    throw new Error('expected PostgresError');
  }
});
