import { execFileSync } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { Gauge, Registry } from 'prom-client';
import { addDatabaseMetrics } from '../../src/main/metrics/database-metrics.ts';
import { serveMetrics } from '../../src/main/metrics/server.ts';
import { type RunningWorker, startWorker } from '../../src/main/processes/worker.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { RELEASE } from '../../src/platform/database/schema-files.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { SettableClock } from '../harness/clock.ts';
import { query } from '../harness/database.ts';
import { useReceiver } from '../harness/fixtures.ts';
import { freePort } from '../harness/free-port.ts';
import { Payments } from '../harness/payments.ts';
import { checkout, until } from '../harness/processes.ts';
import { type TestPractice, TestService } from '../harness/service.ts';
import { READY } from './counters.ts';

/** Returns the sum of a metric's values whose labels contain the text. */
function metricOf(metrics: string, name: string, labels = ''): number {
  const lines = metrics.split('\n').filter((line) => new RegExp(`^${name}(\\{| )`).test(line) && line.includes(labels));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

describe('metrics', function () {
  this.timeout(180_000);
  let service: TestService;
  let worker: RunningWorker;
  let practice: TestPractice;
  const receiver = useReceiver();
  const ports = { api: 0, worker: 0 };

  before(async () => {
    [ports.api, ports.worker] = [await freePort(), await freePort()];
    // The worker goes by the real time, for jobs do.
    const clock = new SettableClock(new Date().toISOString());
    service = await TestService.start({ clock, env: { METRICS_PORT: `${ports.api}` } });
    worker = await startWorker({ ...service.config, metricsPort: ports.worker }, createLogger('silent'));
    practice = await service.practice();
  });

  after(async () => {
    await worker?.stop();
    await service?.close();
  });

  const scrape = async (port: number): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.match(/^text\/plain/);
    return response.text();
  };

  it('requests are counted by operation and status, and refusals by their code', async () => {
    const { body } = await practice.test.post('/api/v1/payment-links', { amount: 1 });
    expect(body).to.have.nested.property('error.code', 'validation_error');
    const metrics = await scrape(ports.api);
    const labels = 'operation="createPaymentLink",method="POST",status="400"';
    expect(metricOf(metrics, 'paylinks_request_duration_seconds_count', labels)).to.be.at.least(1);
    expect(metricOf(metrics, 'paylinks_requests_refused_total', 'code="validation_error"')).to.be.at.least(1);
    expect(metrics).to.match(/^paylinks_admissions_refused_total\{reason="key_limited"\} 0$/m);
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: checkout }).toString().trim();
    expect(metrics).to.match(
      new RegExp(`^paylinks_build_info{version="[\\d.]+",commit="${commit}(-dirty)?",component="api"} 1$`, 'm'),
    );
    // The log of requests may be using the only connection at this moment.
    await until(
      async () => metricOf(await scrape(ports.api), 'paylinks_pool_connections', 'state="idle"') >= 1,
      'no connection is idle',
    );
    expect(metricOf(metrics, 'nodejs_eventloop_lag_p99_seconds')).to.be.greaterThan(0);
  });

  it('payments, their events and the calls to the processor are counted where they happen, deliveries in the worker', async () => {
    await practice.live.post('/api/v1/webhook-endpoints', { url: receiver.url });
    const payments = new Payments(service);
    const link = await payments.link(practice);
    await payments.pay(link, 'card_success', service.processor());
    await until(
      async () => metricOf(await scrape(ports.worker), 'paylinks_webhook_attempts_recorded_total') >= 1,
      'no attempt was counted',
    );
    const [api, deliveries] = [await scrape(ports.api), await scrape(ports.worker)];
    for (const [metrics, name, labels] of [
      [api, 'paylinks_events_published_total', 'type="payment_link.paid"'],
      [api, 'paylinks_webhook_deliveries_queued_total', 'type="payment_link.paid"'],
      [api, 'paylinks_processor_call_duration_seconds_count', 'call="confirm",outcome="answered"'],
      [api, 'paylinks_payment_status_changes_total', 'status="succeeded",mode="live"'],
      [api, 'paylinks_payment_attempts_closed_total', 'outcome="accepted"'],
      [deliveries, 'paylinks_webhook_delivery_age_seconds_count', ''],
      [deliveries, 'paylinks_webhook_attempt_duration_seconds_count', 'outcome="success"'],
      [deliveries, 'paylinks_database_up', ''],
      [deliveries, 'paylinks_webhook_endpoints', 'status="enabled"'],
    ] as const) {
      expect(metricOf(metrics, name, labels), name).to.be.at.least(1);
    }
    expect(deliveries).to.include('paylinks_reconciliation_findings_total{subject="payment",finding="dispute"} 0');
  });

  it('no metric has a label with a practice, key, link, patient or address', async () => {
    const metrics = `${await scrape(ports.api)}${await scrape(ports.worker)}`;
    expect(metrics).to.not.match(/(prac|plink|key|we|evt|att|txn)_[0-9a-z]{26}/);
    expect(metrics).to.not.include('127.0.0.1');
    const labels = new Set([...metrics.matchAll(/[{,](\w+)="/g)].map(([, name]) => name));
    expect([...labels].filter((name) => /practice|patient|token|address|email|id$/.test(name ?? ''))).to.deep.equal([]);
  });

  it('a process is ready while its schema fits, and neither with a missing migration nor after a later major version', async () => {
    const ready = async (port: number) => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
    const becomes = (status: number) =>
      until(
        async () => (await ready(ports.worker)) === status && (await ready(ports.api)) === status,
        () => `a process does not answer ${status}`,
      );
    const { databaseUrl } = service.config;
    const [major = 0] = RELEASE;
    await becomes(200);
    await query(
      databaseUrl,
      `update schema_migrations set name = 'kept-' || name where name = '0110-one-open-dispute'`,
    );
    await becomes(503);
    expect((await fetch(`${service.baseUrl}/readyz`)).status).to.equal(503);
    await query(databaseUrl, `update schema_migrations set name = '0110-one-open-dispute' where name like 'kept-%'`);
    await becomes(200);
    await query(
      databaseUrl,
      `insert into schema_functions (name, hash, release) values ('later', '', '{${major},999,0}')`,
    );
    await becomes(200);
    await query(databaseUrl, `update schema_functions set release = '{${major + 1},0,0}' where name = 'later'`);
    await becomes(503);
    await query(databaseUrl, `delete from schema_functions where name = 'later'`);
    await becomes(200);
  });

  it('paths other than those of metrics and health are unknown on the port of metrics', async () => {
    expect((await fetch(`http://127.0.0.1:${ports.api}/healthz`)).status).to.equal(200);
    expect((await fetch(`http://127.0.0.1:${ports.api}/api/v1/payment-links`)).status).to.equal(404);
  });

  it('a client that sends its request byte by byte, or never, is disconnected within seconds', async () => {
    const clients = ['', 'GET /metrics HTTP/1.1\r\nX-Slow:'].map((start) => {
      const socket = connect(ports.api, '127.0.0.1', () => socket.write(start));
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      return { socket: socket.on('error', () => undefined).resume(), closed };
    });
    const isLate = new Promise<string>((resolve) => setTimeout(resolve, 25_000, 'late').unref());
    const ended = Promise.all(clients.map(({ closed }) => closed)).then(() => 'ended');
    expect(await Promise.race([ended, isLate])).to.equal('ended');
  });

  it('a connection that sends nothing does not delay the end of the process', async () => {
    const server = await serveMetrics(
      { registry: new Registry(), refresh: async () => undefined, readiness: READY },
      0,
      '127.0.0.1',
    );
    const socket = connect(server.port, '127.0.0.1');
    afterThisTest(() => socket.destroy());
    await once(socket, 'connect');
    const startedMs = performance.now();
    await server.close();
    expect(performance.now() - startedMs).to.be.below(1_000);
  });

  it('a metric that fails and a socket that cannot be accepted leave the process running', async () => {
    const registry = new Registry();
    const fail = () => {
      throw new Error('the pool is closed');
    };
    new Gauge({ name: 'failing', help: 'Fails', registers: [registry], collect: fail });
    const sources = { registry, refresh: async () => undefined, readiness: READY };
    let server: Server | undefined;
    const onRequest = (message: unknown) => {
      server = (message as { server: Server }).server;
    };
    subscribe('http.server.request.start', onRequest);
    const own = await serveMetrics(sources, 0, '127.0.0.1');
    afterThisTest(async () => {
      unsubscribe('http.server.request.start', onRequest);
      await own.close();
    });
    expect((await fetch(`http://127.0.0.1:${own.port}/metrics`)).status).to.equal(500);
    const full = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' });
    for (let time = 0; time < 3; time++) server?.emit('error', full);
    expect((await fetch(`http://127.0.0.1:${own.port}/healthz`)).status).to.equal(200);
  });

  it('metrics go on while the database is away, without its figures, because 0 would mean that nothing is due', async () => {
    const port = await freePort();
    const away = await TestService.start({
      databaseUrl: 'postgres://paylinks@127.0.0.1:1/away',
      env: { METRICS_PORT: `${port}` },
    });
    afterThisTest(() => away.close());
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).to.equal(503);
    expect(metricOf(await scrape(port), 'paylinks_build_info')).to.equal(1);
    const registry = new Registry();
    await addDatabaseMetrics(registry, () => away.scope())();
    const values = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(values).to.deep.equal(['paylinks_database_up 0']);
  });
});
