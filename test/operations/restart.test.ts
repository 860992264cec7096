import { expect } from 'chai';
import { Pool } from 'undici';
import { useService } from '../harness/fixtures.ts';
import { freePort } from '../harness/free-port.ts';
import { leaveOut } from '../harness/leave-out.ts';
import { until } from '../harness/processes.ts';
import { idempotent, linkBody, SECRETS_KEY } from '../harness/service.ts';
import { type ServiceProcess, serviceEnvironment, startProcess, untilAnswering } from '../harness/service-process.ts';
import { type ShippedProxy, startShippedProxy } from '../harness/shipped-proxy.ts';

/** Clients that keep their connections; each sends one request after the other. */
const CLIENTS = 24;

describe('restarts behind the HAProxy of operations/haproxy/api.cfg', () => {
  const service = useService();
  let key: string;
  let proxy: ShippedProxy | null = null;
  const apis = new Map<number, ServiceProcess>();

  function startApi(port: number): void {
    const env = serviceEnvironment(service.config.databaseUrl, {
      ...{ PORT: `${port}`, TRUST_PROXY_HOPS: '1', SECRETS_KEY },
      // As operators have it.
      DRAIN_SECONDS: undefined,
    });
    apis.set(port, startProcess('serve', env));
  }

  before(async function () {
    key = (await service.practice()).test.key ?? '';
    for (const port of [await freePort(), await freePort()]) startApi(port);
    for (const port of apis.keys()) await untilAnswering(port);
    const addresses = [...apis.keys()].map((port) => `127.0.0.1:${port}`);
    // The clients share an address, and send more than one may.
    const unlimited = (text: string) => text.replace(/^.*sc0_http_req_rate.*\n/m, '');
    proxy = await startShippedProxy('operations/haproxy/api.cfg', addresses, unlimited);
    if (proxy === null) leaveOut(this, 'no haproxy on this machine');
  });

  after(async () => {
    await proxy?.close();
    for (const api of apis.values()) api.signal('SIGKILL');
    await Promise.all([...apis.values()].map(({ ended }) => ended));
  });

  it('no request of clients that keep their connections fails while one API after the other restarts', async () => {
    if (proxy === null) throw new Error('the proxy runs');
    const pool = new Pool(proxy.url, { connections: CLIENTS });
    const failures: string[] = [];
    let answered = 0;
    let isOver = false;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const send = async (isCreate: boolean) => {
      const { statusCode, body } = isCreate
        ? await pool.request({
            ...{ method: 'POST', path: '/api/v1/payment-links', body: JSON.stringify(linkBody()) },
            headers: { ...headers, ...idempotent().headers },
          })
        : await pool.request({ method: 'GET', path: '/api/v1/locations', headers });
      const text = await body.text();
      if (statusCode !== (isCreate ? 201 : 200)) failures.push(`${statusCode} ${text}`);
      answered += 1;
    };
    const client = async (number: number) => {
      while (!isOver) await send(number % 2 === 0).catch((error) => failures.push(`no answer: ${error}`));
    };
    const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
    const served = (port: number) => apis.get(port)?.log().includes('"operationId":"createPaymentLink"') === true;
    try {
      for (const [port, api] of [...apis]) {
        await until(() => [...apis.keys()].every(served), api.log);
        api.signal('SIGTERM');
        expect(await api.ended, api.log()).to.equal(0);
        startApi(port);
        await untilAnswering(port);
      }
      await until(() => [...apis.keys()].every(served), 'an API gets no requests');
    } finally {
      isOver = true;
      await Promise.all(clients);
      await pool.close();
    }
    expect(failures).to.deep.equal([]);
    expect(answered).to.be.above(500);
  });
});
