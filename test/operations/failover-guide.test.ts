import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../src/main/processes/config.ts';
import { DatabaseSetup } from '../faults/database-setup.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import type { Client } from '../harness/client.ts';
import { query } from '../harness/database.ts';
import { freePort, listen } from '../harness/free-port.ts';
import { checkout, start, until } from '../harness/processes.ts';
import { newScratchFolder } from '../harness/scratch.ts';
import { idempotent, linkBody } from '../harness/service.ts';
import { SECRETS_KEY } from '../harness/service-process.ts';
import { shellBlocks, writeProgram } from './shell-blocks.ts';

describe('the failover that the guide for operators tries', () => {
  const setup = new DatabaseSetup();
  let api: Client;
  let folder: string;

  before(async () => {
    await setup.start();
    api = await setup.api();
    folder = newScratchFolder('failover-guide');
    const programs = join(folder, 'programs');
    mkdirSync(programs);
    writeProgram(join(programs, 'paylinks'), `exec ${process.execPath} ${join(checkout, 'src/main/cli/main.js')} "$@"`);
  });

  after(async () => {
    await setup.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts a block of the guide, with the addresses, the key and the folders of the test in place of those of the guide. */
  function startBlock(kind: string) {
    const [text = ''] = shellBlocks(kind);
    const inside = text
      .replaceAll('/root/', `${folder}/`)
      // After it, because the checkout may be a folder of /root.
      .replaceAll('/opt/paylinks/', checkout)
      .replaceAll('http://127.0.0.1:3000', api.baseUrl)
      .replaceAll('pp_test_…', `${setup.practice.test.key}`)
      .replace(/ 120$/m, ' 15');
    return start('bash', ['--norc', '-euo', 'pipefail', '-c', inside], {
      cwd: folder,
      env: {
        PATH: `${folder}/programs:${process.env.PATH}`,
        ...{ DATABASE_URL: setup.postgres.url, PROCESSOR: 'sandbox', SECRETS_KEY },
      },
    });
  }

  const confirmed = (file = 'confirmed.txt') => {
    const lines = readFileSync(join(folder, file), 'utf8').trim().split('\n');
    return lines.map((line) => line.split(' ')).map(([key = '', id = '']) => ({ key, id }));
  };

  it('a database that dies under load loses no link that was confirmed, and the commands say so', async () => {
    const load = startBlock('failover-load');
    await until(
      () => /^\S+ [1-9]\d* links are confirmed$/m.test(load.output()),
      () => load.output(),
    );
    await setup.proxy.down();
    await until(
      async () => (await setup.create(api)).status === 503,
      'the API does not notice that its database is gone',
    );
    await setup.postgres.restart('immediate');
    await setup.proxy.up();
    const { code, stdout, stderr } = await load.finished;
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/^\d+ links are confirmed\. The longest time without one is \d+ s\.$/m);
    const known = confirmed();
    const compared = await startBlock('failover-compare').finished;
    expect(compared.stdout).to.include(`${known.length} links were confirmed: 0 are missing, 0 are doubled.`);
    expect(compared.code, compared.stdout + compared.stderr).to.equal(0);
  });

  it('a link that is missing and one that is doubled are named, and the comparison fails', async () => {
    const [missing, doubled] = confirmed();
    await api.post('/api/v1/payment-links', linkBody({ externalReference: doubled?.key }), idempotent());
    await query(setup.postgres.url, `update payment_links set external_reference = 'lost' where id = $1`, [
      missing?.id,
    ]);
    const { code, stdout } = await startBlock('failover-compare').finished;
    expect(stdout).to.include(`${missing?.id} of ${missing?.key} is missing`);
    expect(stdout).to.include(`${doubled?.key} has more links than ${doubled?.id}`);
    expect(stdout).to.include('1 are missing, 1 are doubled.');
    expect(code).to.equal(1);
  });

  it('callers ask less often than the limit of their address lets them, so that only a failover makes them wait', () => {
    const program = readFileSync(join(checkout, 'operations/failover/confirmed-links'), 'utf8');
    const [, callers = ''] = /^CALLERS='(.*)'$/m.exec(program) ?? [];
    const [, pause = ''] = /^PAUSE=([\d.]+)$/m.exec(program) ?? [];
    const askedPerMinute = (60 / Number(pause)) * callers.split(' ').length;
    expect(askedPerMinute).to.be.below(readConfig({}).ipRequestsPerMinute);
  });

  /** Runs the command of the guide against an address, with a file in the folder of the test. */
  const run = (args: string[], env: NodeJS.ProcessEnv) =>
    start(join(checkout, 'operations/failover/confirmed-links'), args, {
      cwd: folder,
      env: { PATH: process.env.PATH, ...env },
    }).finished;

  /** Starts a server that stands in for API and proxy, and returns the environment of the command for it. */
  async function standIn(answer: RequestListener): Promise<NodeJS.ProcessEnv> {
    const server = createServer(answer);
    afterThisTest(() => server.close());
    return { BASE: `http://127.0.0.1:${await listen(server)}`, KEY: 'pp_test_1' };
  }

  it('the load asks again when an answer is cut off or is the fault of a proxy, and an empty list is no proof', async () => {
    const asked = new Map<string, number>();
    // The first answer to each key is cut off within the link's id, and the second one is that of a proxy.
    const answer: RequestListener = (request, response) => {
      const key = `${request.headers['idempotency-key']}`;
      const times = (asked.get(key) ?? 0) + 1;
      asked.set(key, times);
      const body = `{"id":"plink_${key.replaceAll('-', '')}"}`;
      if (times === 2) return void response.writeHead(502).end('bad gateway');
      response.writeHead(201, { 'Content-Length': body.length });
      if (times === 1) response.write(body.slice(0, 12), () => request.socket.destroy());
      else response.end(body);
    };
    const env = await standIn(answer);
    const load = await run(['create', 'cut.txt', '4'], env);
    expect(load.code, load.stderr).to.equal(0);
    for (const { key, id } of confirmed('cut.txt')) {
      expect(id).to.equal(`plink_${key.replaceAll('-', '')}`);
      expect(asked.get(key)).to.equal(3);
    }
    writeFileSync(join(folder, 'empty.txt'), '');
    const { code, stderr } = await run(['compare', 'empty.txt'], env);
    expect([code, stderr]).to.deep.equal([1, 'empty.txt has no confirmed links to compare\n']);
  });

  it('an answer that repeating would hide is printed, and ends its caller, the load without callers, and the comparison', async () => {
    let asked = 0;
    const env = await standIn((_, response) => {
      asked += 1;
      response.writeHead(500).end('{"code":"internal_error"}');
    });
    const load = await run(['create', 'fault.txt', '600'], env);
    expect([load.code, asked], load.stderr).to.deep.equal([1, 5]);
    expect(load.stderr).to.include('{"code":"internal_error"}\n500\n');
    expect(load.stderr).to.include('5 callers ended early');
    writeFileSync(join(folder, 'fault.txt'), 'failover-1 plink_1 1\nfailover-2 plink_2 1\n');
    const { code, stderr } = await run(['compare', 'fault.txt'], env);
    expect([code, asked], stderr).to.deep.equal([1, 6]);
    expect(stderr).to.include('internal_error').and.to.include('The comparison ended early, after 0 of 2 links.');
  });

  it('a server that nobody can reach is named once by each caller, and all of them end', async () => {
    const env = { BASE: `http://127.0.0.1:${await freePort()}`, KEY: 'pp_test_1', ASK_AGAIN_FOR: '1' };
    const load = await run(['create', 'away.txt', '600'], env);
    expect(load.code, load.stderr).to.equal(1);
    expect(load.stderr.match(/^\S+ asking again: curl: \(7\) /gm)).to.have.length(5);
    expect(load.stderr.match(/ended after 1 s of asking again: curl: \(7\) /g)).to.have.length(5);
    writeFileSync(join(folder, 'away.txt'), 'failover-1 plink_1 1\n');
    const { code, stderr } = await run(['compare', 'away.txt'], env);
    expect(code).to.equal(1);
    expect(stderr).to.match(/ended after 1 s .*\nThe comparison ended early, after 0 of 1 links\.\n$/);
  });

  it('a wrong key ends the load with the answer of the API, and a call without an address says how to use it', async () => {
    const refused = await run(['create', 'refused.txt', '600'], { BASE: api.baseUrl, KEY: 'pp_test_wrong' });
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.include('"code":"invalid_api_key"').and.to.not.include('pp_test_wrong');
    const unused = await run(['create', 'unused.txt'], {});
    expect([unused.code, unused.stderr.includes('confirmed-links compare FILE')]).to.deep.equal([2, true]);
  });
});
