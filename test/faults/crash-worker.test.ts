import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { ADMIN_MAIL_TASK } from '../../src/webhooks/endpoints/admin-mail.ts';
import { until } from '../harness/processes.ts';
import { accept } from '../harness/receiver.ts';
import { CrashScene } from './crash-scene.ts';

/** Points of a delivery, recognised by the statements around them. */
const CLAIM = /set\s+wake_count = wake_count \+ 1/;
const START = /insert into webhook_attempts/;
const LEASED = 'select from webhook_endpoints where lease_until > clock_timestamp()';
const RECORD = /update webhook_attempts a set duration_ms/;

/** A retry schedule that no test waits for, so that what follows an interrupted attempt follows at once. */
const PATIENT = { WEBHOOK_RETRY_SECONDS: '3600,3600,3600,3600,3600,3600,3600' };

describe('a worker', function () {
  this.timeout(90_000);
  let scene: CrashScene;

  beforeEach(async () => {
    scene = await CrashScene.set();
  });

  afterEach(() => scene.clear());

  /** Kills a worker at a point of the delivery of a fresh event, and lets another one take over. */
  async function killAt(when: 'before' | 'after', point: RegExp): Promise<string> {
    const eventId = await scene.happen();
    const reached = when === 'before' ? scene.proxy.stopBefore(point) : scene.proxy.stopAfter(point);
    const worker = scene.worker(scene.proxy.url, PATIENT);
    await reached;
    worker.signal('SIGKILL');
    await worker.ended;
    await scene.expireLease();
    scene.worker(scene.databaseUrl, PATIENT);
    return eventId;
  }

  async function outcomes(eventId: string): Promise<(number | string | null)[]> {
    const attempts = await scene.attempts(eventId);
    expect(attempts.map(({ number }) => number)).to.deep.equal(attempts.map((_, index) => index + 1));
    return attempts.map(({ error, response_status }) => error ?? response_status);
  }

  it('a worker killed before it claimed the endpoint costs no attempt', async () => {
    const eventId = await killAt('before', CLAIM);
    await scene.untilStatus(eventId, 'delivered');
    expect(await outcomes(eventId)).to.deep.equal([200]);
    expect(scene.received(eventId)).to.equal(1);
  });

  it('a worker killed before the send leaves an interrupted attempt, and the next one follows at once', async () => {
    const eventId = await killAt('after', START);
    await scene.untilStatus(eventId, 'delivered');
    expect(await outcomes(eventId)).to.deep.equal(['interrupted', 200]);
    expect(scene.received(eventId)).to.equal(1);
  });

  it('a worker killed between the 2xx and its record delivers the same bytes once more', async () => {
    const eventId = await killAt('before', RECORD);
    await scene.untilStatus(eventId, 'delivered');
    expect(await outcomes(eventId)).to.deep.equal(['interrupted', 200]);
    expect(scene.received(eventId)).to.equal(2);
    expect(new Set(scene.receiver.received.map(({ raw }) => raw)).size).to.equal(1);
  });

  it('a worker killed after the record sends nothing again', async () => {
    const eventId = await killAt('after', RECORD);
    const next = await scene.happen();
    await scene.untilStatus(next, 'delivered');
    expect(await outcomes(eventId)).to.deep.equal([200]);
    expect(scene.received(eventId)).to.equal(1);
  });

  it('a worker killed while it sends a mail leaves it to another worker, which sends it within a minute', async () => {
    const sockets = new Set<Socket>();
    const mailServer = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve));
    const { port } = mailServer.address() as AddressInfo;
    const smtp = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'a@pay.example.com' };
    const payload = { endpointId: scene.endpointId, deliveryId: 'evt_1', exhaustedInARow: 10 };
    await scene.rows(`select graphile_worker.add_job($1, $2, queue_name := 'mails', max_attempts := 1)`, [
      ADMIN_MAIL_TASK,
      payload,
    ]);
    const worker = scene.worker(scene.databaseUrl, smtp);
    await until(() => sockets.size === 1, worker.log);
    worker.signal('SIGKILL');
    await worker.ended;
    const next = scene.worker(scene.databaseUrl, smtp);
    await until(() => sockets.size === 2, next.log, 60_000);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => mailServer.close(resolve));
  });

  it('a worker stopped during a slow delivery finishes it and exits 0', async () => {
    let answer: (() => void) | undefined;
    scene.receiver.answer = (_, response) => {
      answer = () => response.writeHead(200).end();
    };
    const eventId = await scene.happen();
    const worker = scene.worker();
    await until(() => answer !== undefined, worker.log);
    worker.signal('SIGTERM');
    await until(() => worker.log().includes('"stopping"'), worker.log);
    answer?.();
    expect(await worker.ended).to.equal(0);
    expect(await outcomes(eventId)).to.deep.equal([200]);
    await scene.untilStatus(eventId, 'delivered');
    const [endpoint] = await scene.rows<{ lease_until: string | null }>('select lease_until from webhook_endpoints');
    expect(endpoint?.lease_until, 'the next worker need not wait').to.equal(null);
  });

  it('a worker stopped past its lease writes nothing when it goes on', async () => {
    let answer: (() => void) | undefined;
    scene.receiver.answer = (_, response) => {
      answer = () => response.writeHead(500).end();
      scene.receiver.answer = accept;
    };
    const eventId = await scene.happen();
    const stopped = scene.worker();
    await until(() => answer !== undefined, stopped.log);
    stopped.signal('SIGSTOP');
    await scene.expireLease();
    scene.worker(scene.databaseUrl);
    await scene.untilStatus(eventId, 'delivered');
    const before = await scene.rows('select * from webhook_deliveries, webhook_attempts');
    answer?.();
    stopped.signal('SIGCONT');
    await until(() => stopped.log().includes('"result":"stale"'), stopped.log);
    expect(await scene.rows('select * from webhook_deliveries, webhook_attempts')).to.deep.equal(before);
    expect(await outcomes(eventId)).to.deep.equal(['interrupted', 200]);
  });

  it('a worker stopped past its lease between the record of an attempt and its send does not send it', async () => {
    const eventId = await scene.happen();
    const reached = scene.proxy.stopBefore(START);
    const stopped = scene.worker(scene.proxy.url, { WEBHOOK_TIMEOUT_MS: '500' });
    await reached;
    stopped.signal('SIGSTOP');
    scene.proxy.release();
    await until(async () => (await scene.attempts(eventId)).length === 1, stopped.log);
    // In real time, because the stopped process also sees by its own clock that its lease is over.
    await until(
      async () => (await scene.rows(LEASED)).length === 0,
      () => 'the lease never ends',
    );
    scene.worker(scene.databaseUrl);
    await scene.untilStatus(eventId, 'delivered');
    stopped.signal('SIGCONT');
    const next = await scene.happen();
    await scene.untilStatus(next, 'delivered');
    stopped.signal('SIGTERM');
    expect(await stopped.ended).to.equal(0);
    expect(scene.received(eventId)).to.equal(1);
    expect(await outcomes(eventId)).to.deep.equal(['interrupted', 200]);
  });
});
