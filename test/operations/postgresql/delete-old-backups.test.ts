import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { useFolder } from '../../harness/fixtures.ts';
import { checkout, start } from '../../harness/processes.ts';
import { writeProgram } from '../shell-blocks.ts';

const DAY_SECONDS = 86_400;

/** Stand-in for PostgreSQL's program, which not every machine has: deletes the files of a folder before the named one. */
const CLEANUP = 'for file in "$1"/*; do if [ "$(basename "$file")" \\< "$2" ]; then rm -f "$file"; fi; done';

describe('the program that deletes old base backups', () => {
  const root = useFolder('old-backups');
  const [folder, program] = [join(root, 'backups'), join(root, 'delete-old-backups')];

  beforeEach(() => {
    mkdirSync(join(folder, 'wal'), { recursive: true });
    mkdirSync(join(root, 'programs'));
    const cleanup = join(root, 'postgresql/15/bin');
    mkdirSync(cleanup, { recursive: true });
    writeProgram(join(cleanup, 'pg_archivecleanup'), CLEANUP);
    const text = readFileSync(join(checkout, 'operations/postgresql/delete-old-backups'), 'utf8');
    writeFileSync(program, text.replace('/usr/lib/postgresql/', join(root, 'postgresql/')), { mode: 0o755 });
  });

  /** Makes a base backup that begins with a file of WAL, and that file. */
  function backUp(name: string, wal: string, ageDays: number, isComplete = true): void {
    const backup = join(folder, name);
    mkdirSync(join(backup, 'base'), { recursive: true });
    for (let number = 0; number < 50; number++) writeFileSync(join(backup, `base/${number}`), '');
    writeFileSync(
      join(backup, 'backup_label'),
      `START WAL LOCATION: 0/2000028 (file ${wal})\nCHECKPOINT LOCATION: 0\n`,
    );
    if (isComplete) writeFileSync(join(backup, 'backup_manifest'), '{}');
    writeFileSync(join(folder, 'wal', wal), '');
    const taken = Date.now() / 1_000 - ageDays * DAY_SECONDS;
    utimesSync(backup, taken, taken);
  }

  const environment = () => ({ PATH: `${join(root, 'programs')}:${process.env.PATH}` });

  function run(argument = folder): [number | null, string] {
    const { status, stderr } = spawnSync(program, [argument], { env: environment(), encoding: 'utf8' });
    return [status, stderr];
  }

  /** Names of what lies in the folder, without the file that locks it, and in the archive. */
  const contents = () => [
    readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .toSorted(),
    readdirSync(join(folder, 'wal')).toSorted(),
  ];

  it('old base backups are deleted with the WAL before the oldest that stays, also with a slash behind the folder', () => {
    for (const [argument, day] of [
      [folder, '01'],
      [`${folder}/`, '02'],
    ] as const) {
      backUp(`base-2026-01-${day}`, 'A', 30);
      backUp('base-2026-01-15', 'B', 10);
      backUp('base-2026-01-22', 'C', 3);
      expect(run(argument)).to.deep.equal([0, '']);
      expect(contents(), argument).to.deep.equal([
        ['base-2026-01-15', 'base-2026-01-22', 'wal'],
        ['B', 'C'],
      ]);
    }
  });

  it('the newest complete base backup stays at any age, and an unfinished later one neither counts nor is touched', () => {
    backUp('base-2026-01-01', 'A', 50);
    backUp('base-2026-01-08', 'B', 40);
    backUp('base-2026-01-15', 'C', 0, false);
    for (const argument of [folder, `${folder}/`, folder]) {
      expect(run(argument)).to.deep.equal([0, '']);
      expect(contents(), argument).to.deep.equal([
        ['base-2026-01-08', 'base-2026-01-15', 'wal'],
        ['B', 'C'],
      ]);
    }
    expect(readdirSync(join(folder, 'base-2026-01-15')).toSorted()).to.deep.equal(['backup_label', 'base']);
  });

  it('nothing is deleted while no base backup is complete', () => {
    backUp('base-2026-01-01', 'A', 50, false);
    backUp('base-2026-01-08', 'B', 40, false);
    const before = contents();
    const [status, stderr] = run();
    expect([status, stderr.includes('nothing is deleted')]).to.deep.equal([1, true]);
    expect(contents()).to.deep.equal(before);
  });

  it('the newest base backup stays with its WAL although it is old, whatever its name', () => {
    for (const more of ['', ' [before upgrade]', '?', '\nof 15']) {
      const name = `base-2026-11-03${more}`;
      backUp('base-2026-11-01', 'A', 22);
      backUp('base-2026-11-02', 'B', 21);
      backUp(name, 'C', 20);
      expect(run()).to.deep.equal([0, '']);
      expect(contents(), name).to.deep.equal([[name, 'wal'], ['C']]);
      rmSync(join(folder, name), { recursive: true });
    }
  });

  it('nothing is deleted that is not named as a base backup of a day, however old it is', () => {
    backUp('base-before-upgrade', 'A', 40);
    backUp('base-2026-11-01', 'B', 22);
    backUp('base-2026-11-20', 'C', 3);
    expect(run()).to.deep.equal([0, '']);
    expect(contents()[0]).to.deep.equal(['base-2026-11-20', 'base-before-upgrade', 'wal']);
  });

  it('a run that is killed leaves no half base backup that looks complete, and the next run removes what it left', async () => {
    backUp('base-2026-01-01', 'A', 50);
    backUp('base-2026-01-08', 'B', 40);
    backUp('base-2026-01-22', 'C', 3);
    // Deletes one file of each folder, then kills its process group.
    writeProgram(
      join(root, 'programs/rm'),
      'for one; do if [ -d "$one" ]; then /bin/rm "$one/base/0"; half=yes; fi; done; [ "$half" != yes ] || kill -KILL 0',
    );
    const killed = await start(program, [folder], { env: environment() }).finished;
    expect(killed.code).to.equal(null);
    const complete = readdirSync(folder).filter(
      (name) => name.startsWith('base-') && existsSync(join(folder, name, 'backup_manifest')),
    );
    const halves = complete.filter((name) => !existsSync(join(folder, name, 'base/0')));
    expect([complete.at(-1), halves]).to.deep.equal(['base-2026-01-22', []]);
    expect(contents()[0]).to.have.length.above(2);

    rmSync(join(root, 'programs/rm'));
    expect(run()).to.deep.equal([0, '']);
    expect(contents()).to.deep.equal([['base-2026-01-22', 'wal'], ['C']]);
  });

  it('six runs at the same time end without a failure, and delete what one run deletes', async () => {
    for (let day = 1; day < 10; day++) backUp(`base-2026-01-0${day}`, `A${day}`, 50 - day);
    backUp('base-2026-01-22', 'C', 3);
    const runs = Array.from({ length: 6 }, () => start(program, [folder], { env: environment() }));
    const endings = await Promise.all(runs.map(({ finished }) => finished));
    expect(endings.map(({ code, stderr }) => [code, stderr])).to.deep.equal(runs.map(() => [0, '']));
    expect(contents()).to.deep.equal([['base-2026-01-22', 'wal'], ['C']]);
  });
});
