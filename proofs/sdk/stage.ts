import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { localFolder } from '../../scripts/service.ts';
import { document } from '../../src/contract/document.ts';
import { sensitiveFields } from '../../src/contract/fields.ts';
import { valueAt } from '../../src/contract/json-pointer.ts';
import { readConfig } from '../../src/main/processes/config.ts';
import { startServer } from '../../src/main/processes/serve.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { createRandom } from '../../test/harness/random.ts';
import { serviceEnvironment } from '../../test/harness/service-process.ts';
import { startInstallation } from '../trial/installation.ts';
import { asOperator, createKey, createPracticeWithLocation } from '../trial/setup.ts';
import { recordRequests } from './requests.ts';

/** Folder of SDKs, tools and contracts. None of it is committed. */
export const sdkFolder = join(localFolder, 'sdk');

/** The service that SDKs are generated from and run against. */
export type Stage = Awaited<ReturnType<typeof openStage>>;

/** A value that no contract of today lists, in every open field of a link. */
const futureLink = {
  ...example('PaymentLinkRefunded'),
  source: 'kiosk',
  transaction: { ...Object(example('PaymentLinkRefunded').transaction), status: 'held', paymentMethodType: 'wallet' },
  refunds: [{ ...Object(example('PaymentLinkRefunded').refunds[0]), status: 'recalled' }],
  mood: 'a property to come',
};

/** An event of a type to come. */
const futureEvent = {
  ...example('PaymentLinkPaidEvent'),
  ...{
    type: 'payment_link.admired',
    data: { admirer: { name: 'Zoë' }, context: { triggeredBy: 'kiosk' } },
    more: true,
  },
};

const futureError = {
  error: { code: 'code_to_come', message: 'From a later version.', param: null, requestId: 'req_later', more: 1 },
};

/** Starts the service on a database of its own, and beside it a server that answers as a later version might. */
export async function openStage() {
  const random = createRandom(1);
  const installation = await startInstallation({ folder: { name: 'paylinks-sdk' }, durable: false, random });
  const { url } = installation.postgres;
  const config = readConfig(serviceEnvironment(url, { PORT: '0' }));
  const server = await startServer(
    { ...config, databaseUrl: url },
    createLogger('warn', sensitiveFields, process.stderr),
  );
  const future = await startFuture();
  const { port } = future.address() as AddressInfo;
  const requests = recordRequests([server.port, port]);
  const baseUrl = `http://127.0.0.1:${server.port}`;
  for (const name of ['openapi.json', 'openapi-3.0.json']) await save(baseUrl, name);
  const key = await asOperator(url, async (newScope) => {
    return createKey(newScope(), await createPracticeWithLocation(newScope(), 'Practice with SDKs'), true);
  });
  const [location] = await installation.query<{ id: string }>('select id from locations');
  return {
    environment: {
      PAYLINKS_BASE_URL: baseUrl,
      PAYLINKS_FUTURE_URL: `http://127.0.0.1:${port}`,
      PAYLINKS_API_KEY: key,
      PAYLINKS_LOCATION_ID: location?.id ?? '',
      PAYLINKS_FUTURE_EVENT: JSON.stringify(futureEvent),
    },
    /** Returns the requests to the service since the last call. */
    takeRequests: requests.take,
    async close() {
      requests.close();
      future.close();
      await server.close();
      await installation.close({ keepsLogs: false });
    },
  };
}

async function save(baseUrl: string, name: string): Promise<void> {
  mkdirSync(sdkFolder, { recursive: true });
  writeFileSync(join(sdkFolder, name), await (await fetch(`${baseUrl}/${name}`)).text());
}

/** Answers a link for any GET of one, and an error of an unknown code for all else. */
async function startFuture(): Promise<Server> {
  const server = createServer((request, response) => {
    const isLink = request.method === 'GET' && request.url?.startsWith('/api/v1/payment-links/');
    const headers = { 'Content-Type': 'application/json', 'Request-Id': 'req_later', 'RateLimit-Limit': '120' };
    response.writeHead(isLink ? 200 : 409, { ...headers, 'RateLimit-Remaining': '119', 'RateLimit-Reset': '60' });
    response.end(JSON.stringify(isLink ? futureLink : futureError));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function example(name: string) {
  return Object(valueAt(document, `#/components/examples/${name}/value`));
}
