import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterThisTest } from '../harness/after-this-test.ts';
import { createDatabase } from '../harness/database.ts';
import { useFolder } from '../harness/fixtures.ts';
import { freePort } from '../harness/free-port.ts';
import { checkout, until } from '../harness/processes.ts';
import { SECRETS_KEY } from '../harness/service.ts';

/** Limit of a file in blocks of the shell, and more requests than its lines have room for. */
const FILE_BLOCKS = 32;
const REQUESTS = 150;

/** Requests whose lines fill a pipe, and also the memory for waiting lines. */
const FILL_PIPE = 800;
const FILL_MEMORY = 7_000;

/** Requests at a time. */
const CLIENTS = 50;

const LOSS = 'lines of the log were dropped';

interface Line {
  msg?: string;
  count?: number;
}

describe('writes to the log', function () {
  this.timeout(120_000);
  const folder = useFolder('paylinks-log-');
  let databaseUrl: string;

  before(async () => {
    databaseUrl = await createDatabase();
  });

  /** Starts a process of the service with this standard output, and waits until it works. */
  async function start(command: 'serve' | 'worker', output: number | 'pipe', limit = 'true') {
    const [port, metricsPort] = [await freePort(), await freePort()];
    const env = {
      ...process.env,
      ...{ DATABASE_URL: databaseUrl, SECRETS_KEY, PROCESSOR: 'sandbox', IP_REQUESTS_PER_MINUTE: '1000000' },
      ...{ PORT: `${port}`, METRICS_PORT: `${metricsPort}`, DRAIN_SECONDS: '0' },
    };
    // The shell ignores the signal of a file that reached its limit, so that the write fails as on a full disk.
    const script = `trap '' XFSZ; ${limit}; exec "$@"`;
    const words = ['-c', script, 'sh', process.execPath, join(checkout, 'src/main/cli/main.js'), command];
    const child = spawn('sh', words, { env, stdio: ['ignore', output, 'pipe', 'ipc'] });
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    const ended = new Promise<number | string | null>((resolve) => {
      child.once('exit', (code, signal) => resolve(signal ?? code));
    });
    afterThisTest(async () => {
      child.kill('SIGKILL');
      child.stdout?.destroy();
      await ended;
    });
    let isReady = false;
    child.once('message', () => {
      isReady = true;
    });
    await until(() => {
      if (child.exitCode !== null) throw new Error(errors);
      return isReady;
    }, 'the process does not say that it works');
    return {
      child,
      get: async (path: string) =>
        (await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(10_000) })).status,
      async dropped() {
        const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
        return Number(/^paylinks_log_lines_dropped_total (\d+)$/m.exec(metrics)?.[1]);
      },
      end() {
        child.kill('SIGTERM');
        return ended;
      },
    };
  }

  function openFile(path: string): number {
    const file = openSync(path, 'a');
    afterThisTest(() => closeSync(file));
    return file;
  }

  for (const command of ['serve', 'worker'] as const) {
    it(`${command} starts, works and ends in order while no line of its log can be written, and counts the lines`, async () => {
      const process = await start(command, openFile('/dev/full'));
      if (command === 'serve') expect(await process.get('/api/v1/payment-links')).to.equal(401);
      await until(async () => (await process.dropped()) > 0, 'no line was counted');
      expect(await process.end()).to.equal(0);
    });
  }

  it('an API whose disk fills up goes on, and logs the number of lost lines when there is room again', async () => {
    const path = join(folder, 'api.log');
    const api = await start('serve', openFile(path), `ulimit -f ${FILE_BLOCKS}`);
    for (let request = 0; request < REQUESTS; request++) expect(await api.get('/api/v1/payment-links')).to.equal(401);
    await until(async () => (await api.dropped()) > 0, 'no line was counted');
    truncateSync(path);
    const dropped = await api.dropped();
    expect(await api.get('/api/v1/payment-links')).to.equal(401);
    const lines = () => readFileSync(path, 'utf8').split('\n').slice(0, -1);
    await until(
      () => lines().some((line) => line.includes(LOSS)),
      () => lines().join('\n'),
    );
    // The end of the line that the full disk cut comes first.
    const [, ...whole] = lines().map((line, index) => (index === 0 ? {} : (JSON.parse(line) as Line)));
    expect(whole.find(({ msg }) => msg === LOSS)?.count).to.equal(dropped);
    expect(await api.end()).to.equal(0);
  });

  async function send(api: { get(path: string): Promise<number> }, count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += CLIENTS) {
      await Promise.all(Array.from({ length: CLIENTS }, () => api.get('/api/v1/payment-links')));
    }
  }

  it('an API whose log nobody reads ends in order', async () => {
    const api = await start('serve', 'pipe');
    await send(api, FILL_PIPE);
    expect(await api.get('/healthz')).to.equal(200);
    expect(await api.end()).to.equal(0);
  });

  it('an API whose reader stops for a while answers, and then writes whole lines and the number of lost ones', async () => {
    const api = await start('serve', 'pipe');
    await send(api, FILL_MEMORY);
    expect(await api.get('/healthz')).to.equal(200);
    const dropped = await api.dropped();
    expect(dropped).to.be.greaterThan(0);
    let text = '';
    api.child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    await until(
      () => text.includes(LOSS),
      () => text.slice(-1_000),
    );
    const lines = text.split('\n').slice(0, -1);
    expect(lines.map((line) => JSON.parse(line) as Line).find(({ msg }) => msg === LOSS)?.count).to.equal(dropped);
    expect(await api.end()).to.equal(0);
  });

  it('a command whose output cannot be written says so in one sentence, and fails', () => {
    const output = openFile('/dev/full');
    const words = [join(checkout, 'src/main/cli/main.js'), '--help'];
    const { status, stderr } = spawnSync(process.execPath, words, {
      stdio: ['ignore', output, 'pipe'],
      encoding: 'utf8',
    });
    expect(stderr).to.equal('paylinks: standard output cannot be written (ENOSPC)\n');
    expect(status).to.equal(1);
  });
});
