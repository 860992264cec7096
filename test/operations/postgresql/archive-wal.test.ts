import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { useFolder } from '../../harness/fixtures.ts';
import { checkout, killGroup, start, until } from '../../harness/processes.ts';
import { writeProgram } from '../shell-blocks.ts';

const program = join(checkout, 'operations/postgresql/archive-wal');

/** Returns the names in a folder and below it, sorted; those of folders end with a slash. */
function contentsOf(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const names = entries.map(
    (entry) => `${relative(folder, join(entry.parentPath, entry.name))}${entry.isDirectory() ? '/' : ''}`,
  );
  return names.toSorted();
}

/** Opens a pipe for writing as soon as another process reads it, and returns its descriptor. */
async function openWhenRead(pipe: string, explain: () => string): Promise<number> {
  let descriptor: number | null = null;
  const hasReader = () => {
    try {
      descriptor = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENXIO')) throw error;
    }
    return descriptor !== null;
  };
  await until(hasReader, explain);
  if (descriptor === null) throw new Error('nobody reads the pipe');
  return descriptor;
}

describe('the program that archives WAL', () => {
  const folder = useFolder('archive-wal');
  const [archive, programs] = [join(folder, 'wal'), join(folder, 'programs')];

  beforeEach(() => {
    mkdirSync(archive);
    mkdirSync(programs);
    writeFileSync(join(folder, 'segment'), 'one');
  });

  function archiveAs(name: string): { status: number | null; stderr: string } {
    const env = { PATH: `${programs}:${process.env.PATH}` };
    return spawnSync(program, ['segment', join(archive, name)], { cwd: folder, env, encoding: 'utf8' });
  }

  /** Does what the text says before each `sync`, and returns a function that lists what has been synced since its last call. */
  function beforeSync(text: string): () => string[] {
    const log = join(folder, 'synced');
    writeProgram(join(programs, 'sync'), `${text}\nprintf '%s\\n' "$@" >> ${log}\nPATH=\${PATH#*:}\nexec sync "$@"`);
    return () => {
      const synced = readFileSync(log, 'utf8').split('\n');
      rmSync(log);
      return synced.filter((path) => path.startsWith('/'));
    };
  }

  it('the program that archives WAL accepts a file again if it is the same, and no other of its name', () => {
    const statuses = ['one', 'one', 'another'].map((text) => {
      writeFileSync(join(folder, 'segment'), text);
      return archiveAs('A').status;
    });
    expect(statuses).to.deep.equal([0, 0, 1]);
    expect(readFileSync(join(archive, 'A'), 'utf8')).to.equal('one');
    expect(contentsOf(archive)).to.deep.equal(['A', 'unfinished/']);
  });

  it('the program that archives WAL removes its copy when it is ended, and an hour later that of a killed one', async () => {
    const unfinished = join(archive, 'unfinished');
    // A copy of a pipe to which nobody writes does not end.
    const pipe = join(folder, 'endless');
    spawnSync('mkfifo', [pipe]);
    const copies = () => (existsSync(unfinished) ? readdirSync(unfinished) : []);
    const endBy = async (signal: NodeJS.Signals) => {
      const known = copies();
      const copy = start(program, ['endless', join(archive, 'A')], { cwd: folder });
      const writer = await openWhenRead(pipe, copy.output);
      killGroup(copy, signal);
      await copy.finished;
      closeSync(writer);
      return copies().filter((name) => !known.includes(name));
    };
    // As PostgreSQL does when it is stopped at once.
    expect(await endBy('SIGQUIT')).to.deep.equal([]);
    expect(await endBy('SIGTERM')).to.deep.equal([]);
    const [old = '', young = ''] = [...(await endBy('SIGKILL')), ...(await endBy('SIGKILL'))];
    const hourAgo = Date.now() / 1_000 - 3_601;
    utimesSync(join(unfinished, old), hourAgo, hourAgo);
    const { status, stderr } = archiveAs('B');
    expect([status, stderr]).to.deep.equal([0, '']);
    expect(contentsOf(archive)).to.deep.equal(['B', 'unfinished/', `unfinished/${young}`]);
  });

  it('the program that archives WAL lets the servers of a cluster archive the same file at the same time', async () => {
    // As large as a file of WAL, so that the copies overlap.
    writeFileSync(join(folder, 'segment'), Buffer.alloc(16_777_216, 'wal'));
    const copies = Array.from({ length: 6 }, () => start(program, ['segment', join(archive, 'A')], { cwd: folder }));
    const endings = await Promise.all(copies.map(({ finished }) => finished));
    expect(endings.map(({ code, stderr }) => [code, stderr])).to.deep.equal(copies.map(() => [0, '']));
    expect(contentsOf(archive)).to.deep.equal(['A', 'unfinished/']);
    expect(readFileSync(join(archive, 'A')).equals(readFileSync(join(folder, 'segment')))).to.equal(true);
  });

  it('the program that archives WAL makes a file durable that a killed run has placed, before it accepts it', () => {
    const synced = beforeSync(`[ ! -e ${archive}/A ] || kill -KILL $PPID`);
    expect(archiveAs('A').status).to.equal(null);
    expect(readFileSync(join(archive, 'A'), 'utf8')).to.equal('one');
    synced();
    beforeSync('');
    expect(archiveAs('A').status).to.equal(0);
    expect(synced()).to.deep.equal([join(archive, 'A'), archive]);
  });

  it('the program that archives WAL replaces no file that another server places during the copy', () => {
    for (const [text, expected] of [
      ['another', 1],
      ['one', 0],
    ] as const) {
      beforeSync(`[ -e ${archive}/A ] || printf ${text} > ${archive}/A`);
      expect(archiveAs('A').status, text).to.equal(expected);
      expect(contentsOf(archive)).to.deep.equal(['A', 'unfinished/']);
      expect(readFileSync(join(archive, 'A'), 'utf8')).to.equal(text);
      rmSync(join(archive, 'A'));
    }
  });

  it('the program that archives WAL works on a file system without hard links', () => {
    writeProgram(join(programs, 'ln'), 'echo "Operation not permitted" >&2; exit 1');
    const { status, stderr } = archiveAs('A');
    expect([status, stderr]).to.deep.equal([0, '']);
    expect(readFileSync(join(archive, 'A'), 'utf8')).to.equal('one');
    expect(contentsOf(archive)).to.deep.equal(['A', 'unfinished/']);
  });
});
