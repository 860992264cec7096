import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkout } from '../../harness/processes.ts';

const DAY_MS = 86_400_000;

describe('names of base backups, for the program that deletes old ones', () => {
  let folder: string;

  before(function () {
    // Debian's program that deletes WAL.
    if (globSync('/usr/lib/postgresql/*/bin/pg_archivecleanup').length === 0) this.skip();
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'paylinks-backups-'));
    mkdirSync(join(folder, 'wal'));
    for (const number of [1, 2, 3]) writeFileSync(join(folder, 'wal', wal(number)), '');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const wal = (number: number) => `00000001000000000000000${number}`;

  /** Makes a complete base backup that begins with a file of WAL, and is as many days old. */
  function backUp(name: string, days: number, first: number): void {
    const path = join(folder, name);
    mkdirSync(path);
    writeFileSync(join(path, 'backup_label'), `START WAL LOCATION: 0/${first}000028 (file ${wal(first)})\n`);
    writeFileSync(join(path, 'backup_manifest'), '{}');
    const at = (Date.now() - days * DAY_MS) / 1_000;
    utimesSync(path, at, at);
  }

  function run(env: NodeJS.ProcessEnv = {}) {
    const program = join(checkout, 'operations/postgresql/delete-old-backups');
    const { status, stderr } = spawnSync(program, [folder], { encoding: 'utf8', env: { ...process.env, ...env } });
    return [status, stderr];
  }

  const left = () => readdirSync(folder).filter((name) => name.startsWith('base-'));

  for (const name of [
    'base-2026-11-03',
    'base-2026-11-03 [before upgrade]',
    'base-2026-11-03?',
    'base-2026-11-03\nof 15',
  ]) {
    it(`the newest base backup stays with its WAL although it is old: ${JSON.stringify(name)}`, () => {
      backUp('base-2026-11-01', 22, 1);
      backUp('base-2026-11-02', 21, 2);
      backUp(name, 20, 3);
      expect(run()).to.deep.equal([0, '']);
      expect(left()).to.deep.equal([name]);
      expect(readdirSync(join(folder, 'wal'))).to.deep.equal([wal(3)]);
    });
  }

  it('nothing is deleted that is not named as a base backup of a day, however old it is', () => {
    backUp('base-before-upgrade', 40, 1);
    backUp('base-2026-11-01', 22, 2);
    backUp('base-2026-11-20', 3, 3);
    expect(run()).to.deep.equal([0, '']);
    expect(left()).to.deep.equal(['base-2026-11-20', 'base-before-upgrade']);
  });

  it('nothing is deleted while no base backup is complete', () => {
    mkdirSync(join(folder, 'base-2026-11-01'));
    utimesSync(join(folder, 'base-2026-11-01'), 0, 0);
    expect(run()).to.deep.equal([1, `${folder} has no complete base backup; nothing is deleted\n`]);
    expect(left()).to.deep.equal(['base-2026-11-01']);
    expect(readdirSync(join(folder, 'wal'))).to.have.length(3);
  });
});
