import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { environmentOf, variableOf } from '../../src/cells/environment.ts';
import { leastFullCell, namedCell } from '../../src/cli/cells/choice.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { createDatabase, createEmptyDatabase, MIGRATED_NAMES, query } from '../harness/database.ts';
import { freePort } from '../harness/free-port.ts';
import { commandsIn, runPaylinks, startPaylinks } from '../harness/processes.ts';
import { TestService } from '../harness/service.ts';

/** Returns the error of a promise that must fail. */
async function errorOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'no error',
    (error: Error) => error.message,
  );
}

describe('commands on cells', () => {
  let folder: string;
  let file: string;
  let cells: { name: string; addresses: string[]; hosts?: string[]; slots: number[][] }[];
  let urls: { a: string; b: string };
  let env: NodeJS.ProcessEnv;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'paylinks-cells-'));
    file = join(folder, 'cells.json');
    cells = [
      { name: 'a', addresses: ['127.0.0.1:3101'], slots: [[0, 511]] },
      { name: 'b', addresses: ['127.0.0.1:3201'], hosts: ['b.pay.example.com'], slots: [[512, 1023]] },
    ];
    writeFileSync(file, JSON.stringify({ cells }));
    urls = { a: await createDatabase(), b: await createDatabase() };
    env = {
      ...process.env,
      ...{ PROCESSOR: 'sandbox', PAYLINKS_CELLS: file, DATABASE_URL: urls.a, DATABASE_URL__B: urls.b },
    };
  });

  after(() => rmSync(folder, { recursive: true }));

  const run = (own: NodeJS.ProcessEnv, ...args: string[]) => runPaylinks(args, own);
  const { json } = commandsIn(() => env);

  const create = (...more: string[]) =>
    json('practices', 'create', '--name', 'Elm', '--admin-email', 'a@elm.example', ...more);
  const count = async (url: string) => (await query(url, 'select from practices')).length;

  it('a new practice goes to the cell with the fewest practices, with a slot of that cell, unless --cell names one', async () => {
    const first = await create();
    expect([first.cell, first.slot >= 1 && first.slot <= 511]).to.deep.equal(['a', true]);
    const second = await create();
    expect([second.cell, second.slot >= 512 && second.slot <= 1023]).to.deep.equal(['b', true]);
    expect((await create('--cell', 'b')).cell).to.equal('b');
    expect([await count(urls.a), await count(urls.b)]).to.deep.equal([1, 2]);
    const listed = await json('practices', 'list', '--cell', 'b');
    expect(listed.data.map(({ slot }: { slot: number }) => slot >= 512)).to.deep.equal([true, true]);
    expect((await json('practices', 'list')).data.map(({ id }: { id: string }) => id)).to.deep.equal([first.id]);
  });

  it('a cell with a larger weight gets more of the new practices, and one with the weight 0 gets none', async () => {
    const weighted = async (weights: { a: number; b: number }) => {
      const own = cells.map((cell) => ({ ...cell, weight: cell.name === 'a' ? weights.a : weights.b }));
      writeFileSync(file, JSON.stringify({ cells: own }));
      return { a: await count(urls.a), b: await count(urls.b) };
    };
    afterThisTest(() => writeFileSync(file, JSON.stringify({ cells })));
    const before = await weighted({ a: 1, b: 100 });
    for (let created = 0; created < 3; created++) expect((await create()).cell).to.equal('b');
    expect(await weighted({ a: 1, b: 0 })).to.deep.equal({ a: before.a, b: before.b + 3 });
    expect((await create()).cell).to.equal('a');
    const args = ['practices', 'create', '--name', 'Elm', '--admin-email', 'a@elm.example', '--cell', 'b'];
    const refused = await run(env, ...args);
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.equal('paylinks: Cell b gets no new practices: its weight in the map is 0.\n');
    await weighted({ a: 0, b: 0 });
    expect((await run(env, ...args.slice(0, -2))).stderr).to.include('No cell has slots for new practices.');
  });

  it('API and workers refuse a database with practices whose slots belong to another cell, and commands do not', async () => {
    const [first] = await query<{ id: string }>(urls.b, 'select min(id) as id from practices');
    await query(urls.b, 'update practices set slot = 3 where id = $1', [first?.id]);
    afterThisTest(() => query(urls.b, 'update practices set slot = 600'));
    for (const name of ['serve', 'worker']) {
      const { code, stderr, stdout } = await startPaylinks([name], { ...environmentOf('b', env), PORT: '0' }).finished;
      expect(code, stdout).to.equal(1);
      expect(stderr).to.include(`to another cell than b: ${first?.id} (slot 3)`).and.include('Correct the map');
    }
    expect((await run(env, 'practices', 'list', '--cell', 'b')).code).to.equal(0);
  });

  it('cells are migrated one at a time', async () => {
    const [a, b] = [await createEmptyDatabase(), await createEmptyDatabase()];
    const own = { ...env, DATABASE_URL: a, DATABASE_URL__B: b };
    const { code, stdout, stderr } = await run(own, 'migrate', '--cell', 'b', '--json');
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout).data.map(({ name }: { name: string }) => name)).to.deep.equal(MIGRATED_NAMES);
    const migrated = async (url: string) =>
      (await query<{ there: boolean }>(url, "select to_regclass('practices') is not null as there"))[0]?.there;
    expect([await migrated(a), await migrated(b)]).to.deep.equal([false, true]);
  });

  it('paylinks cells map shows the cells, writes the configuration of HAProxy, and names the faults of a map', async () => {
    const map = (...args: string[]) => run({ PATH: env.PATH }, 'cells', 'map', ...args);
    const checked = await map('--check', file, '--json');
    expect(checked.code, checked.stderr).to.equal(0);
    expect(JSON.parse(checked.stdout).data[1]).to.deep.equal({ ...cells[1], slots: 512, weight: 1 });
    const { code, stdout, stderr } = await map('--haproxy', file);
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.include('backend b_api').and.include('server b-1 127.0.0.1:3201 check');
    const faulty = join(folder, 'faulty.json');
    writeFileSync(faulty, JSON.stringify({ cells: [{ name: 'a', addresses: ['a:1'], slots: [[0, 9]] }] }));
    const refused = await map('--haproxy', faulty);
    expect([refused.code, refused.stdout]).to.deep.equal([1, '']);
    expect(refused.stderr).to.include('no cell has 1014 of the slots, the first of them is 10');
    expect((await map('--check', join(folder, 'none'))).stderr).to.include('ENOENT');
  });

  describe('the environment of a cell', () => {
    it('variables with the name of the cell replace those without', () => {
      expect(variableOf('DATABASE_URL', 'east-2')).to.equal('DATABASE_URL__EAST_2');
      const all = { A: '1', A__B: '2', A__EAST_2: '3', B__EAST_2: '4', CELL: 'x', __B: '5' };
      expect(environmentOf('b', all)).to.include({ A: '2', CELL: 'b' });
      expect(environmentOf('east-2', all)).to.include({ A: '3', B: '4', CELL: 'east-2' });
      expect(environmentOf('c', all)).to.include({ A: '1', CELL: 'c' });
    });

    it('a command without --cell acts on the cell of CELL, or else on the first one', async () => {
      expect((await namedCell(undefined, env)).DATABASE_URL).to.equal(urls.a);
      expect((await namedCell(undefined, { ...env, CELL: 'b' })).DATABASE_URL).to.equal(urls.b);
      expect(await namedCell(undefined, { CELL: 'b', DATABASE_URL: 'x' })).to.deep.equal({
        CELL: 'b',
        DATABASE_URL: 'x',
      });
    });

    it('without a map of cells nothing changes, and --cell is refused', async () => {
      const single = { DATABASE_URL: 'x' };
      expect(await namedCell(undefined, single)).to.equal(single);
      expect(await leastFullCell(undefined, single)).to.equal(single);
      expect(await errorOf(namedCell('b', single))).to.include('Set PAYLINKS_CELLS');
    });

    it('settings without a suffix are never those of another cell', async () => {
      const { DATABASE_URL__B: _, ...without } = env;
      for (const choose of [() => namedCell('b', without), () => leastFullCell(undefined, without)]) {
        expect(await errorOf(choose())).to.include('Set DATABASE_URL__B');
      }
      expect(await errorOf(namedCell('c', env))).to.include('its cells are a, b');
    });

    it('a cell out of reach is named, so that the operator chooses another one', async () => {
      const away = { ...env, DATABASE_URL__B: 'postgres://127.0.0.1:1/none' };
      expect(await errorOf(leastFullCell(undefined, away))).to.include('Cell b is out of reach');
    });
  });

  describe('the label of metrics', () => {
    it('metrics carry the cell of their process with CELL or a map, and none otherwise', async () => {
      for (const [own, label] of [
        [{ CELL: 'b' }, 'cell="b"'],
        [{ PAYLINKS_CELLS: file }, 'cell="a"'],
        [{}, null],
      ] as const) {
        const port = await freePort();
        const service = await TestService.start({ env: { ...own, METRICS_PORT: `${port}` } });
        try {
          const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
          const line = text.split('\n').find((candidate) => candidate.startsWith('paylinks_build_info'));
          if (label === null) expect(text).to.not.include('cell=');
          else expect(line).to.include(label);
        } finally {
          await service.close();
        }
      }
    });

    it('a process refuses a map without its cell, and names every fault of a map', async () => {
      const faulty = join(folder, 'overlapping.json');
      const cell = { name: 'a', addresses: ['a:1'], slots: [[0, 1023]] };
      writeFileSync(faulty, JSON.stringify({ cells: [cell, cell] }));
      const failed = await errorOf(TestService.start({ env: { PAYLINKS_CELLS: faulty } }));
      expect(failed).to.include('the name a occurs twice').and.include('slot 0 belongs to a and a');
      expect(await errorOf(TestService.start({ env: { PAYLINKS_CELLS: file, CELL: 'c' } }))).to.include('has no cell');
    });
  });
});
