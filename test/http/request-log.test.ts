import { expect } from 'chai';
import { operations } from '../../src/contract/document.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { freePort } from '../harness/free-port.ts';
import { until } from '../harness/processes.ts';
import { TestService, unknownKey } from '../harness/service.ts';

describe('the log and the metrics of requests', () => {
  const captured = new CapturedLog('info');
  let service: TestService;
  let metricsPort: number;

  before(async () => {
    metricsPort = await freePort();
    service = await TestService.start({ log: captured.log, env: { METRICS_PORT: `${metricsPort}` } });
  });

  after(() => service.close());

  /** Sends a request with any method, and resolves with its status. */
  const send = async (method: string, path: string): Promise<number> => {
    const response = await fetch(`${service.baseUrl}${path}`, { method });
    await response.arrayBuffer();
    return response.status;
  };

  const scrape = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();

  it('probes of health leave no line at the level info, and are counted', async () => {
    for (const path of ['/healthz', '/readyz']) expect(await send('GET', path)).to.equal(200);
    await send('GET', '/api/v1/nothing');
    await until(
      () => captured.lines.some(({ operationId }) => operationId === 'unknown_api'),
      'the other request is not logged',
    );
    expect(captured.lines.filter(({ operationId }) => operationId === 'health')).to.deep.equal([]);
    expect(await scrape()).to.match(/_count\{operation="health",method="GET",status="200",mode="none"\} 2/);
  });

  it('requests without a route are named by the class of their path, in the log and in the metrics, and never by the path', async () => {
    const classes = {
      '/api/v1/secret-a': 'unknown_api',
      '/pay/secret-b/nothing/here': 'unknown_pay',
      '/processor/secret-c': 'unknown_processor',
      '/docs/secret-d': 'documentation',
      '/secret-e': 'unknown',
    };
    captured.lines.length = 0;
    for (const path of Object.keys(classes)) expect(await send('GET', path), path).to.equal(404);
    await service.client(unknownKey()).get('/api/v1/locations');
    await until(
      () => captured.lines.length >= 6,
      () => JSON.stringify(captured.lines),
    );
    expect(captured.lines.map(({ operationId }) => operationId)).to.deep.equal([
      ...Object.values(classes),
      'unknown_api',
    ]);
    const metrics = await scrape();
    for (const name of Object.values(classes))
      expect(metrics).to.include(`operation="${name}",method="GET",status="404"`);
    expect(`${JSON.stringify(captured.lines)}${metrics}`).to.not.include('secret-');
  });

  it('methods are labels as far as the contract has them, and all others are one', async () => {
    for (const method of ['PUT', 'PROPFIND', 'M-SEARCH', 'HEAD']) await send(method, '/api/v1/payment-links');
    for (const method of new Set(operations.map((operation) => operation.method.toUpperCase()))) {
      await send(method, '/api/v1/payment-links');
    }
    const labels = [...(await scrape()).matchAll(/_seconds_count\{operation="[^"]*",method="([^"]*)"/g)].map(
      ([, one]) => one,
    );
    const contract = new Set(operations.map(({ method }) => method.toUpperCase()));
    expect([...new Set(labels)].toSorted()).to.deep.equal([...contract, 'other'].toSorted());
  });

  it('requests are counted by the mode of their key', async () => {
    const { test, live } = await service.practice();
    await test.get('/api/v1/locations');
    await live.get('/api/v1/locations');
    const metrics = await scrape();
    for (const mode of ['test', 'live']) {
      expect(metrics).to.include(`_count{operation="listLocations",method="GET",status="200",mode="${mode}"} 1`);
    }
  });
});
