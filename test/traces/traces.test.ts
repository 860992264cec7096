import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { VERSION } from '../../src/platform/base/log/version.ts';
import { addMember, startSession } from '../console/console.ts';
import { RunningClock } from '../faults/crash-setup.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { Client } from '../harness/client.ts';
import { createDatabase } from '../harness/database.ts';
import { freePort } from '../harness/free-port.ts';
import { addressOf, checkout, until } from '../harness/processes.ts';
import { Receiver } from '../harness/receiver.ts';
import { createLink, type TestPractice, TestService } from '../harness/service.ts';
import { SECRETS_KEY, type ServiceProcess, serviceEnvironment, startProcess } from '../harness/service-process.ts';
import { createEndpoint } from '../harness/webhooks.ts';
import { Collector, type ReceivedSpan } from './collector.ts';

/** Data of a patient that no span may have. */
const PATIENT = {
  firstName: 'Zebulon',
  lastName: 'Quackenbush',
  phone: '+12175550142',
  email: 'zebulon@patients.example',
};
const DESCRIPTION = 'Molar extraction, lower left';

describe('traces', () => {
  const collector = new Collector();
  const processes: ServiceProcess[] = [];
  let databaseUrl: string;
  let service: TestService;
  let practice: TestPractice;
  let receiver: Receiver;
  let base: string;

  function started(command: 'serve' | 'worker', env: NodeJS.ProcessEnv, nodeArguments?: string[]): ServiceProcess {
    const own = { PORT: '0', PUBLIC_URL: 'https://pay.example.com', ...env };
    const child = startProcess(command, serviceEnvironment(databaseUrl, own), { nodeArguments });
    processes.push(child);
    return child;
  }

  async function api(env: NodeJS.ProcessEnv): Promise<{ url: string; child: ServiceProcess }> {
    const child = started('serve', env);
    return { url: await addressOf(child.log), child };
  }

  /** Resolves with the first span that fits. */
  async function arrival(fits: (span: ReceivedSpan) => boolean, name: string): Promise<ReceivedSpan> {
    let span: ReceivedSpan | undefined;
    const find = () => {
      span = collector.spans.find(fits);
      return span !== undefined;
    };
    await until(find, () => `no span ${name} among ${collector.spans.map((one) => one.name).join(', ')}`);
    if (span === undefined) throw new Error('until has waited for it');
    return span;
  }

  /** Requires that the spans of a trace form one tree, and returns its root. */
  function rootOf(spans: readonly ReceivedSpan[]): ReceivedSpan {
    const ids = new Set(spans.map(({ spanId }) => spanId));
    const [root, ...others] = spans.filter(({ parentSpanId }) => !parentSpanId || !ids.has(parentSpanId));
    if (root === undefined) throw new Error('the trace has no root');
    expect(root.parentSpanId || others.map(({ name }) => name).join(), 'further roots').to.equal('');
    return root;
  }

  const bodyOf = (chart: string) => ({
    patient: { ...PATIENT, externalId: `chart-${chart}` },
  });

  before(async () => {
    await collector.start();
    databaseUrl = await createDatabase();
    service = await TestService.start({ databaseUrl, clock: new RunningClock(), env: { SECRETS_KEY } });
    receiver = await new Receiver().start();
    practice = await service.practice();
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=abc',
      WEBHOOK_TIMEOUT_MS: '20000',
    };
    const { url } = await api(env);
    base = url;
    started('worker', { ...env, OTEL_SERVICE_NAME: 'deliveries-of-elm' });
  });

  afterEach(() => {
    collector.answer = null;
  });

  after(async () => {
    for (const child of processes) child.signal('SIGKILL');
    await Promise.all(processes.map(({ ended }) => ended));
    await receiver?.close();
    await service?.close();
    await collector.close();
  });

  it('traces carry the version and the commit of the process', async () => {
    await fetch(`${base}/api/v1/payment-links`);
    await arrival(({ service }) => service === 'paylinks-api', 'of a request');
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: checkout }).toString().trim();
    expect(collector.text).to.match(new RegExp(`"vcs.ref.head.revision","value":{"stringValue":"${commit}(-dirty)?"}`));
    expect(collector.text).to.include(`"service.version","value":{"stringValue":"${VERSION}"}`);
  });

  it('a request is one tree of spans: the operation, and its statements, also those that it shares with other requests', async () => {
    const client = new Client(base, practice.live.key);
    await Promise.all(Array.from({ length: 8 }, () => createLink(client, bodyOf('tree'))));
    await until(
      () => collector.spans.filter(({ name }) => name === 'createPaymentLink').length >= 8,
      () => collector.spans.map(({ name }) => name).join(', '),
    );
    for (const { traceId } of collector.spans.filter(({ name }) => name === 'createPaymentLink')) {
      const spans = collector.trace(traceId);
      const root = rootOf(spans);
      expect(root.name).to.equal('createPaymentLink');
      expect(root.service).to.equal('paylinks-api');
      expect(root.attributes).to.include({ 'http.request.method': 'POST', 'http.response.status_code': 201 });
      expect(root.attributes['paylinks.request.id']).to.match(/^req_/);
      const statements = spans.filter(({ attributes }) => attributes['db.system.name'] === 'postgresql');
      expect(statements.map(({ name }) => name)).to.include.members(['select create_links']);
      expect(statements.length).to.be.at.least(2);
    }
    expect(collector.headers[0]?.['x-collector-key']).to.equal('abc');
  });

  it('a refused request has the code of its error, and a traceparent from outside is a link of it and not its parent', async () => {
    const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    await fetch(`${base}/api/v1/payment-links`, { headers: { traceparent: `00-${traceId}-${spanId}-01` } });
    const span = await arrival((one) => one.links?.some((link) => link.traceId === traceId), 'with the link');
    expect(span.parentSpanId ?? '').to.equal('');
    expect(span.traceId).to.not.equal(traceId);
    expect(span.links[0]?.spanId).to.equal(spanId);
    expect(span.attributes).to.include({ 'http.response.status_code': 401, 'error.type': 'invalid_api_key' });
    expect(span.status.code ?? 0).to.equal(0);
    for (const hostile of ['00-0-0-01', `00-${'0'.repeat(32)}-${spanId}-01`, 'x'.repeat(9_000)]) {
      expect((await fetch(`${base}/api/v1/payment-links`, { headers: { traceparent: hostile } })).status).to.equal(401);
    }
  });

  it('a payment and its webhook: the processor’s calls stand below the request, and the delivery’s trace is linked with it', async () => {
    await createEndpoint(practice.live, receiver.url);
    const { url, amount } = await createLink(practice.live, { ...bodyOf('paid'), description: DESCRIPTION });
    const path = new URL(url).pathname;
    const day = /name="day" value="([^"]+)"/.exec(await (await fetch(`${base}${path}`)).text())?.[1] ?? '';
    const fields = { lang: 'en', method_type: 'card', card_method: 'card_success', day };
    const body = new URLSearchParams({ ...fields, amount_cents: `${Math.round(amount * 100)}` });
    const paid = await fetch(`${base}${path}/submit`, { method: 'POST', body, redirect: 'manual' });
    expect(paid.headers.get('location')).to.match(/result=paid/);

    const confirm = await arrival(({ name }) => name === 'sandbox confirm', 'sandbox confirm');
    expect(confirm.attributes).to.include({ 'paylinks.call': 'confirm', 'paylinks.outcome': 'answered' });
    const attempt = await arrival(({ name }) => name === 'deliver payment_link.paid', 'deliver payment_link.paid');
    expect(attempt.service).to.equal('deliveries-of-elm');
    const request = await arrival(
      (span) => span.traceId === confirm.traceId && !span.parentSpanId,
      'of the form’s request',
    );
    const inRequest = collector.trace(confirm.traceId);
    expect(rootOf(inRequest)).to.equal(request);
    expect(inRequest.map(({ name }) => name)).to.include.members([
      'sandbox begin',
      'sandbox confirm',
      'select write_links',
    ]);

    await arrival((span) => span.traceId === attempt.traceId && span.name === 'POST', 'POST');
    const event = rootOf(collector.trace(attempt.traceId));
    expect(event.name).to.equal('queue payment_link.paid');
    // The processor's notification may be faster than the request.
    const committed = await arrival(({ spanId }) => spanId === event.links[0]?.spanId, 'of the commit');
    expect(committed.name).to.be.oneOf([request.name, 'notification payment']);
    expect(event.links).to.have.length(1);
    expect(committed.links.map((link) => link.spanId)).to.deep.equal([event.spanId]);
    expect(attempt.parentSpanId).to.equal(event.spanId);
    expect(attempt.attributes).to.include({
      ...{ 'paylinks.outcome': 'success', 'paylinks.result': 'delivered', 'http.response.status_code': 200 },
      ...{ 'paylinks.retry': false, 'messaging.message.id': receiver.received[0]?.id },
    });
    const [webhook] = receiver.received;
    expect(Object.keys(webhook?.headers ?? {}).filter((name) => /trace|baggage|b3/.test(name))).to.deep.equal([]);
  });

  it('a notification of the processor is one tree of spans: the notification, calls to the processor, and statements', async () => {
    const notification = await arrival(({ name }) => name === 'notification payment', 'notification payment');
    expect(notification.service).to.equal('deliveries-of-elm');
    expect(notification.attributes).to.include({
      ...{ 'paylinks.processor': 'sandbox', 'paylinks.notification.subject': 'payment', 'paylinks.outcome': 'done' },
    });
    const spans = () => collector.trace(notification.traceId);
    await arrival((span) => span.traceId === notification.traceId && span.name === 'sandbox retrieve', 'of its call');
    expect(rootOf(spans())).to.equal(notification);
    expect(spans().map(({ name }) => name)).to.include('update processor_notifications');
  });

  it('a run of a recurring job is one tree of spans: the job, and its statements', async () => {
    const job = await arrival(({ name }) => name === 'job expire_links', 'job expire_links');
    expect(job.service).to.equal('deliveries-of-elm');
    expect(job.attributes).to.include({ 'paylinks.job': 'expire_links', 'paylinks.outcome': 'done' });
    const statement = await arrival(
      ({ parentSpanId, attributes }) =>
        parentSpanId === job.spanId && attributes['db.collection.name'] === 'payment_links',
      'of a statement of the job',
    );
    expect(statement.traceId).to.equal(job.traceId);
    expect(rootOf(collector.trace(job.traceId))).to.equal(job);
  });

  it('no span has data of a patient, a key, a token, an address or the id of a practice, link or endpoint', async () => {
    await arrival(({ name }) => name === 'deliver payment_link.paid', 'of the test before');
    const { key } = practice.live;
    if (key === null) throw new Error('the practice’s client has a key');
    const secrets = [...Object.values(PATIENT), DESCRIPTION, key, practice.test.key ?? '', practice.practiceId];
    expect(collector.spans.length).to.be.at.least(40);
    for (const secret of secrets) expect(collector.text).to.not.include(secret);
    expect(collector.text).to.not.match(
      /(prac|plink|key|we|pat|att|txn|loc|pers)_[0-9a-z]{26}|\/pay\/|whsec_|127\.0\.0\.1/,
    );
    expect(collector.text).to.not.include(new URL(receiver.url).host);
    expect(collector.text).to.not.include('$1');
  });

  it('a search for a patient leaves its term in no log line, metric or trace, and no page of it names another site', async () => {
    const port = await freePort();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, METRICS_PORT: `${port}`, LOG_LEVEL: 'trace' };
    const { url, child } = await api(env);
    const { personId } = await addMember(service, practice.practiceId, 'owner');
    const cookie = `__Host-paylinks_console=${await startSession(service, personId)}`;
    await createLink(new Client(url, practice.live.key), { patient: { ...PATIENT, lastName: 'Termagant' } });
    const search = async (path: string) => {
      const answer = await fetch(`${url}/console/${practice.practiceId}/live/${path}`, { headers: { cookie } });
      expect([answer.status, (await answer.text()).includes('Termagant')], path).to.deep.equal([200, true]);
      expect(answer.headers.get('cache-control')).to.equal('no-store');
      expect(answer.headers.get('referrer-policy')).to.equal('same-origin');
    };
    for (const path of ['search?q=Termagant', 'search?q=Termagant&suggest=1', 'links?q=Termagant']) await search(path);
    await fetch(`${url}/console/${practice.practiceId}/live/search?q=Termagant`, { redirect: 'manual' });
    await arrival(({ name }) => name === 'console.search', 'of a search');
    await until(() => child.log().includes('console.search'), child.log);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).to.include('paylinks_');
    for (const text of [collector.text, child.log(), metrics]) expect(text).to.not.match(/termagant/i);
  });

  it('with the sampler always_off nothing is sent, and with a collector that refuses the losses are counted', async () => {
    const own = await new Collector().start();
    afterThisTest(() => own.close());
    own.answer = (_, response) => void response.writeHead(400).end();
    const off = { OTEL_EXPORTER_OTLP_ENDPOINT: own.url, OTEL_TRACES_SAMPLER: 'always_off' };
    const silent = await api(off);
    await fetch(`${silent.url}/api/v1/payment-links`);
    silent.child.signal('SIGTERM');
    expect(await silent.child.ended, silent.child.log()).to.equal(0);
    expect(own.headers).to.deep.equal([]);

    const port = await freePort();
    const refused = await api({ OTEL_EXPORTER_OTLP_ENDPOINT: own.url, METRICS_PORT: `${port}` });
    await fetch(`${refused.url}/api/v1/payment-links`);
    const lost = 'paylinks_trace_spans_dropped_total{reason="not_sent"}';
    const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    await until(async () => (await metrics()).includes(lost), refused.child.log);
    // The log comes through a pipe, so it may arrive after the figures.
    await until(() => refused.child.log().includes('the collector did not take traces'), refused.child.log);
  });

  it('a collector that never answers delays no request, and the process still ends in time', async () => {
    collector.answer = () => undefined;
    const { url, child } = await api({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const client = new Client(url, practice.live.key);
    const before = collector.headers.length;
    await createLink(client);
    await until(() => collector.headers.length > before, child.log);
    // While a batch waits for its answer.
    await createLink(client);
    child.signal('SIGTERM');
    expect(await Promise.race([child.ended, late(20_000)]), child.log()).to.equal(0);
    expect(child.log()).to.not.include('not everything under way ended in time');
  });

  it('without a collector nothing of OpenTelemetry is loaded', async () => {
    const hook = `import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
      process.on('exit', () => console.error('LOADED ' + loaded.join(' ')));`;
    const child = started('serve', {}, ['--import', `data:text/javascript,${encodeURIComponent(hook)}`]);
    await until(() => child.log().includes('"serving"'), child.log);
    child.signal('SIGTERM');
    await child.ended;
    expect(child.log()).to.match(/LOADED .*src\/main\/processes\//);
    expect(child.log()).to.not.match(/node_modules\/@opentelemetry|src\/main\/traces\//);
  });
});

function late(ms: number): Promise<string> {
  return new Promise((resolve) => setTimeout(resolve, ms, 'late').unref());
}
