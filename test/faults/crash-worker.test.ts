import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { MAIL_TRIES } from '../../src/mail/mail-queue.ts';
import { ENDPOINT_MAIL_TASK } from '../../src/webhooks/endpoints/admin-mail.ts';
import { until } from '../harness/processes.ts';
import { accept } from '../harness/receiver.ts';
import { CrashSetup } from './crash-setup.ts';

/** Points of a delivery, recognised by the statements around them. */
const CLAIM = /set lease_epoch = looked\.lease_epoch/;
const START = /insert into webhook_attempts/;
const LEASED = 'select from webhook_endpoints where lease_until > clock_timestamp()';
const RECORD = /update webhook_attempts a set duration_ms/;

/** A retry schedule that no test waits for, so that what follows an interrupted attempt follows at once. */
const HOURLY_RETRIES = { WEBHOOK_RETRY_SECONDS: '3600,3600,3600,3600,3600,3600,3600' };

/** Answers a client of SMTP until its mail is complete, and then calls `done`. */
function acceptMail(socket: Socket, done: () => void): void {
  let isText = false;
  socket.write('220 test\r\n');
  socket.on('data', (chunk) => {
    for (const line of chunk.toString().split('\r\n').slice(0, -1)) {
      if (isText && line !== '.') continue;
      if (isText) done();
      isText = line === 'DATA';
      socket.write(isText ? '354 go on\r\n' : '250 ok\r\n');
    }
  });
}

describe('a worker', function () {
  this.timeout(180_000);
  let setup: CrashSetup;

  beforeEach(async () => {
    setup = await CrashSetup.start();
  });

  afterEach(() => setup.close());

  /** Kills a worker at a point of the delivery of a fresh event, and lets another one take over. */
  async function killAt(when: 'before' | 'after', point: RegExp): Promise<string> {
    const eventId = await setup.createEvent();
    const reached = when === 'before' ? setup.proxy.stopBefore(point) : setup.proxy.stopAfter(point);
    const worker = setup.worker(setup.proxy.url, HOURLY_RETRIES);
    await reached;
    worker.signal('SIGKILL');
    await worker.ended;
    await setup.expireLease();
    setup.worker(setup.databaseUrl, HOURLY_RETRIES);
    return eventId;
  }

  async function outcomes(eventId: string): Promise<(number | string | null)[]> {
    const attempts = await setup.attempts(eventId);
    expect(attempts.map(({ number }) => number)).to.deep.equal(attempts.map((_, index) => index + 1));
    return attempts.map(({ error, response_status }) => error ?? response_status);
  }

  it('a worker killed before it claimed the endpoint costs no attempt', async () => {
    const eventId = await killAt('before', CLAIM);
    await setup.untilStatus(eventId, 'delivered');
    expect(await outcomes(eventId)).to.deep.equal([200]);
    expect(setup.received(eventId)).to.equal(1);
  });

  it('a worker killed before the send leaves an interrupted attempt, and the next one follows at once', async () => {
    const eventId = await killAt('after', START);
    await setup.untilStatus(eventId, 'delivered');
    expect(await outcomes(eventId)).to.deep.equal(['interrupted', 200]);
    expect(setup.received(eventId)).to.equal(1);
  });

  it('a worker killed between the 2xx and its record delivers the same bytes once more', async () => {
    const eventId = await killAt('before', RECORD);
    await setup.untilStatus(eventId, 'delivered');
    expect(await outcomes(eventId)).to.deep.equal(['interrupted', 200]);
    expect(setup.received(eventId)).to.equal(2);
    expect(new Set(setup.receiver.received.map(({ raw }) => raw)).size).to.equal(1);
  });

  it('a worker killed after the record sends nothing again', async () => {
    const eventId = await killAt('after', RECORD);
    const next = await setup.createEvent();
    await setup.untilStatus(next, 'delivered');
    expect(await outcomes(eventId)).to.deep.equal([200]);
    expect(setup.received(eventId)).to.equal(1);
  });

  it('a worker killed while it sends a mail leaves it to another worker, which sends it within a minute', async () => {
    const sockets: Socket[] = [];
    let accepted = 0;
    const mailServer = createServer((socket) => {
      // The first worker is killed while it waits for the greeting.
      if (sockets.push(socket.on('error', () => undefined)) === 1) return;
      acceptMail(socket, () => accepted++);
    });
    await new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve));
    const { port } = mailServer.address() as AddressInfo;
    const smtp = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'a@pay.example.com' };
    const payload = { endpointId: setup.endpointId, deliveryId: 'evt_1', exhaustedInARow: 10 };
    await setup.rows(`select graphile_worker.add_job($1, $2, queue_name := 'mails', max_attempts := $3)`, [
      ENDPOINT_MAIL_TASK,
      payload,
      MAIL_TRIES,
    ]);
    const worker = setup.worker(setup.databaseUrl, smtp);
    await until(() => sockets.length === 1, worker.log);
    worker.signal('SIGKILL');
    await worker.ended;
    const next = setup.worker(setup.databaseUrl, smtp);
    await until(() => accepted === 1, next.log, 60_000);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => mailServer.close(resolve));
  });

  it('a worker stopped during a slow delivery finishes it and exits 0', async () => {
    let answer: (() => void) | undefined;
    setup.receiver.answer = (_, response) => {
      answer = () => response.writeHead(200).end();
    };
    const eventId = await setup.createEvent();
    const worker = setup.worker();
    await until(() => answer !== undefined, worker.log);
    worker.signal('SIGTERM');
    await until(() => worker.log().includes('"stopping"'), worker.log);
    answer?.();
    expect(await worker.ended).to.equal(0);
    expect(await outcomes(eventId)).to.deep.equal([200]);
    await setup.untilStatus(eventId, 'delivered');
    const [endpoint] = await setup.rows<{ lease_until: string | null }>('select lease_until from webhook_endpoints');
    expect(endpoint?.lease_until, 'the next worker need not wait').to.equal(null);
  });

  it('a worker stopped past its lease writes nothing when it goes on', async () => {
    let answer: (() => void) | undefined;
    setup.receiver.answer = (_, response) => {
      answer = () => response.writeHead(500).end();
      setup.receiver.answer = accept;
    };
    const eventId = await setup.createEvent();
    const stopped = setup.worker();
    await until(() => answer !== undefined, stopped.log);
    stopped.signal('SIGSTOP');
    await setup.expireLease();
    setup.worker(setup.databaseUrl);
    await setup.untilStatus(eventId, 'delivered');
    const before = await setup.rows('select * from webhook_deliveries, webhook_attempts');
    answer?.();
    stopped.signal('SIGCONT');
    await until(() => stopped.log().includes('"result":"stale"'), stopped.log);
    expect(await setup.rows('select * from webhook_deliveries, webhook_attempts')).to.deep.equal(before);
    expect(await outcomes(eventId)).to.deep.equal(['interrupted', 200]);
  });

  it('a worker stopped past its lease between the record of an attempt and its send does not send it', async () => {
    const eventId = await setup.createEvent();
    const reached = setup.proxy.stopBefore(START);
    const stopped = setup.worker(setup.proxy.url, { WEBHOOK_TIMEOUT_MS: '500' });
    await reached;
    stopped.signal('SIGSTOP');
    setup.proxy.release();
    await until(async () => (await setup.attempts(eventId)).length === 1, stopped.log);
    // In real time, because the stopped process also sees by its own clock that its lease is over.
    await until(
      async () => (await setup.rows(LEASED)).length === 0,
      () => 'the lease never ends',
    );
    setup.worker(setup.databaseUrl);
    await setup.untilStatus(eventId, 'delivered');
    stopped.signal('SIGCONT');
    const next = await setup.createEvent();
    await setup.untilStatus(next, 'delivered');
    stopped.signal('SIGTERM');
    expect(await stopped.ended).to.equal(0);
    expect(setup.received(eventId)).to.equal(1);
    expect(await outcomes(eventId)).to.deep.equal(['interrupted', 200]);
  });
});
