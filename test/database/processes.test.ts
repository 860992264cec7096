import { expect } from 'chai';
import { DatabaseProxy } from '../faults/database-proxy.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { createDatabase } from '../harness/database.ts';
import {
  addressOf,
  type Finished,
  killGroup,
  type Running,
  runPaylinks,
  startPaylinks,
  until,
} from '../harness/processes.ts';
import { serviceEnvironment } from '../harness/service-process.ts';
import { PoolerStandIn } from './pooler-stand-in.ts';
import { fixture, TlsServer, VERIFIED } from './tls-server.ts';

const COMMANDS = ['serve', 'worker', 'migrate'] as const;

/** Connections of others than the one that asks; those without a user are still in the TLS handshake. */
const SESSIONS = `
  select a.application_name as name, s.ssl
  from pg_stat_activity a join pg_stat_ssl s using (pid)
  where a.backend_type = 'client backend' and a.usename is not null and a.pid <> pg_backend_pid()`;

describe('processes and the way to their database', () => {
  let server: TlsServer;
  const started: Running[] = [];

  before(async () => {
    server = await TlsServer.start();
  });

  afterEach(async () => {
    for (const running of started) if (running.child.signalCode === null) killGroup(running, 'SIGKILL');
    await Promise.all(started.splice(0).map(({ finished }) => finished));
  });

  after(() => server.stop());

  function startProcess(databaseUrl: string, command: 'serve' | 'worker'): Running {
    const running = startPaylinks([command], serviceEnvironment(databaseUrl, { PORT: '0' }));
    started.push(running);
    return running;
  }

  /** Runs a command that ends by itself. */
  function run(databaseUrl: string, ...args: string[]): Promise<Finished> {
    return runPaylinks(args, serviceEnvironment(databaseUrl));
  }

  /** Expects that the commands end with status 1, for this reason and with this next step, before they serve or work. */
  async function expectRefused(
    databaseUrl: string,
    reason: RegExp,
    nextStep: RegExp,
    commands: readonly (typeof COMMANDS)[number][] = COMMANDS,
  ): Promise<void> {
    await Promise.all(
      commands.map(async (command) => {
        const ending = command === 'migrate' ? run(databaseUrl, command) : startProcess(databaseUrl, command).finished;
        const { code, stdout, stderr } = await ending;
        expect(code, `${command}: ${stdout}${stderr}`).to.equal(1);
        // A line of JSON, in which quotes are escaped.
        expect(stderr.replaceAll('\\"', '"')).to.match(reason).and.to.match(nextStep);
        expect(stdout).to.not.match(/serving|working|Applied/);
      }),
    );
  }

  it('serve, worker, migrate and commands make no connection in clear when the address asks for TLS', async () => {
    // It takes connections in clear as well, so that one would show.
    await server.present('receiver.cert.pem');
    const url = `${server.url}?${VERIFIED}`;
    for (const args of [['migrate'], ['practices', 'list']]) {
      const { code, stderr } = await run(url, ...args);
      expect(code, stderr).to.equal(0);
    }
    for (const [command, ready, names] of [
      ['serve', '"serving"', ['paylinks']],
      ['worker', '"working"', ['paylinks', 'paylinks jobs']],
    ] as const) {
      const running = startProcess(url, command);
      let sessions: { name: string; ssl: boolean }[] = [];
      await until(async () => {
        sessions = await server.query(SESSIONS);
        const isThere = names.every((name) => sessions.some((session) => session.name === name));
        return isThere && running.output().includes(ready);
      }, running.output);
      expect(sessions.filter(({ ssl }) => !ssl)).to.deep.equal([]);
      killGroup(running, 'SIGTERM');
      expect((await running.finished).code).to.equal(0);
    }
    const connections = server.connectionsOfOthers();
    expect(connections.filter((line) => !line.includes('SSL enabled'))).to.deep.equal([]);
    const seen = new Set(connections.map((line) => /application_name=(.*) SSL/.exec(line)?.[1]));
    expect([...seen].toSorted()).to.deep.equal(['paylinks', 'paylinks jobs', 'paylinks migrate']);
  });

  it('processes end with status 1 and name the certificate of a server that signed it itself', async () => {
    await server.present('self-signed.cert.pem');
    await expectRefused(
      `${server.url}?${VERIFIED}`,
      /certificate can't be verified.*subject paylinks test self-signed/,
      /sslrootcert=<file>/,
    );
  });

  for (const [fault, file, nextStep] of [
    ['is missing', '/nowhere/ca.pem', /ENOENT.*'\/nowhere\/ca\.pem'/],
    ['is none', fixture('receiver.key.pem'), /files that they name cannot be used: .*PEM/],
  ] as const) {
    it(`processes end with status 1 and name the file when the CA’s certificate ${fault}`, async () => {
      const url = `${server.url}?sslmode=verify-full&sslrootcert=${file}`;
      await expectRefused(url, /configuration has 1 fault/, nextStep, ['migrate']);
    });
  }

  // The start of each command makes the same checks, so one of them stands for all. `pooler.test.ts` has the other cases.
  it('processes end with status 1 behind a pooler that changes the session’s settings, and name them', async () => {
    const pooler = await PoolerStandIn.start(await createDatabase(), { runsAfterEach: "set lock_timeout = '7s'" });
    afterThisTest(() => pooler.close());
    await expectRefused(pooler.url, /lacks settings .*\(lock_timeout\)/, /must not drop them/, ['serve']);
  });

  it('a process that started without its database ends with status 1 if a pooler that shares sessions comes back', async () => {
    const pooler = await PoolerStandIn.start(await createDatabase(), { sharesSession: true });
    const shared = await new DatabaseProxy(pooler.url).start();
    afterThisTest(async () => {
      await shared.close();
      await pooler.close();
    });
    await shared.down();
    const serve = startProcess(shared.url, 'serve');
    await until(() => serve.output().includes('"serving"'), serve.output);
    expect(serve.child.exitCode).to.equal(null);
    await shared.up();
    const { code, stderr } = await serve.finished;
    expect(code, serve.output()).to.equal(1);
    expect(stderr).to.match(/pooler that shares sessions/);
  });

  it('a process that started without its database logs the reason while it is refused, and works after the repair', async () => {
    await server.present('receiver.cert.pem');
    const proxy = await new DatabaseProxy(server.url).start();
    afterThisTest(() => proxy.close());
    const { code, stderr } = await run(`${server.url}?${VERIFIED}`, 'migrate');
    expect(code, stderr).to.equal(0);
    await proxy.down();
    const serve = startProcess(`${proxy.url}?${VERIFIED}`, 'serve');
    const baseUrl = await addressOf(serve.output);
    const status = () => fetch(`${baseUrl}/readyz`).then((reply) => reply.status);
    await server.present('self-signed.cert.pem');
    await proxy.up();
    await until(() => /refuses this process/.test(serve.output()), serve.output);
    expect(serve.output()).to.match(/certificate can't be verified.*paylinks test self-signed/);
    expect([serve.child.exitCode, await status()]).to.deep.equal([null, 503]);
    await server.present('receiver.cert.pem');
    await until(async () => (await status()) === 200, serve.output);
    expect(serve.child.exitCode).to.equal(null);
  });
});
