import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { SECRETS_KEY } from '../../scripts/trial/process.ts';
import { DatabaseSetup } from '../faults/database-setup.ts';
import type { Client } from '../harness/client.ts';
import { query } from '../harness/database.ts';
import { checkout, start, until } from '../harness/processes.ts';
import { newScratchFolder } from '../harness/scratch.ts';
import { idempotent, linkBody } from '../harness/service.ts';
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
    writeProgram(join(programs, 'paylinks'), `exec ${process.execPath} ${join(checkout, 'src/cli/main.js')} "$@"`);
  });

  after(async () => {
    await setup.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts a block of the guide, with the addresses, the key and the folders of the test in place of those of the guide. */
  function startBlock(kind: string) {
    const [text = ''] = shellBlocks(kind);
    const inside = text
      .replaceAll('/opt/paylinks/', checkout)
      .replaceAll('/root/', `${folder}/`)
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
});
