import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createLogger } from '../../src/base/log/log.ts';
import type { Scope } from '../../src/base/scope.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import { document } from '../../src/contract/document.ts';
import { valueAt } from '../../src/contract/json-pointer.ts';
import type { WebhookEndpointList } from '../../src/contract/operations-type.ts';
import { sensitiveFields } from '../../src/contract/sensitive-fields.ts';
import { migrate } from '../../src/database/migrate.ts';
import { issueKey, revokeKey } from '../../src/keys/service.ts';
import { readConfig } from '../../src/processes/config.ts';
import { openDatabase } from '../../src/processes/open-database.ts';
import { startServer } from '../../src/processes/serve.ts';
import { createOrm } from '../../src/processes/shared.ts';
import { childEnvironment, localFolder, prepareDemo } from '../service.ts';
import { type Requests, recordRequests } from './steps.ts';

/** Folder of SDKs, tools and samples. None of it is committed. */
export const sdkFolder = join(localFolder, 'sdk');

/** The service that SDKs are generated from and run against. */
export interface Stage {
  /** The published contract, by the name of its file below `sdkFolder`. */
  contracts: { json: string; olderJson: string };
  /** Returns the environment of a scenario. */
  environment(): Record<string, string>;
  /** Revokes the key of the last scenario, and issues one for the next. A key has a limit of requests. */
  renewKey(): Promise<void>;
  /** Returns the requests to the service since the last call. */
  takeRequests(): Requests;
  close(): Promise<void>;
}

/** A value that no contract of today lists, in every open field of a link. */
const futureLink = {
  ...example('PaymentLinkRefunded'),
  source: 'kiosk',
  transaction: { ...Object(example('PaymentLinkRefunded').transaction), status: 'held', paymentMethodType: 'wallet' },
  refunds: [{ ...Object(example('PaymentLinkRefunded').refunds[0]), status: 'recalled' }],
  mood: 'a property to come',
};

const futureError = {
  error: { code: 'code_to_come', message: 'From a later version.', param: null, requestId: 'req_later', more: 1 },
};

/** Starts the service with the demo practice, and beside it one that answers as a later version might. */
export async function openStage(): Promise<Stage> {
  const config = readConfig(process.env);
  const log = createLogger('warn', sensitiveFields, process.stderr);
  const database = await openDatabase(config, log, console.log);
  await migrate(database.url, log);
  const demo = await prepareDemo(config, database.url);
  const environment = { ...childEnvironment(config, database.url), PORT: '0' };
  const server = await startServer({ ...readConfig(environment), databaseUrl: database.url }, log);
  const requests = recordRequests(server.port);
  const future = await startFuture();
  const baseUrl = `http://127.0.0.1:${server.port}`;
  await deleteEndpoints(baseUrl, demo.testKey);
  const samples = saveSamples();
  const orm = createOrm(database.url, log, 1);
  const { keyring, publicUrl, consoleUrl } = config;
  const scope = (): Scope => ({ em: orm.em.fork(), clock: systemClock, log, keyring, publicUrl, consoleUrl });
  let issued: Awaited<ReturnType<typeof issueKey>> | null = null;
  const revoke = async (): Promise<void> => {
    if (issued !== null) await revokeKey(scope(), issued.apiKey.id);
    issued = null;
  };
  return {
    contracts: {
      json: await save(baseUrl, 'openapi.json'),
      olderJson: await save(baseUrl, 'openapi-3.0.json'),
    },
    environment: () => ({
      PAYLINKS_BASE_URL: baseUrl,
      PAYLINKS_FUTURE_URL: `http://127.0.0.1:${(future.address() as AddressInfo).port}`,
      PAYLINKS_API_KEY: issued?.key ?? demo.testKey,
      PAYLINKS_LOCATION_ID: demo.locationIds[0] ?? '',
      PAYLINKS_SAMPLES: samples,
    }),
    async renewKey() {
      await revoke();
      issued = await issueKey(scope(), { practiceId: demo.practiceId, test: true });
    },
    takeRequests: requests.take,
    async close() {
      await revoke();
      await orm.close();
      requests.close();
      future.close();
      await server.close();
      await database.close();
    },
  };
}

/** Deletes the endpoints of earlier scenarios that failed. A practice has ten at most. */
async function deleteEndpoints(baseUrl: string, key: string): Promise<void> {
  const endpoints = `${baseUrl}/api/v1/webhook-endpoints`;
  const headers = { Authorization: `Bearer ${key}` };
  const { data } = (await (await fetch(endpoints, { headers })).json()) as WebhookEndpointList;
  const left = data.filter(({ url }) => url.startsWith('https://example.com/webhooks'));
  for (const { id } of left) await fetch(`${endpoints}/${id}`, { method: 'DELETE', headers });
}

async function save(baseUrl: string, name: string): Promise<string> {
  const path = join(sdkFolder, name);
  mkdirSync(sdkFolder, { recursive: true });
  writeFileSync(path, await (await fetch(`${baseUrl}/${name}`)).text());
  return path;
}

/** Bodies of webhook requests: of a known type, of a type to come, and with values to come. */
function saveSamples(): string {
  const folder = join(sdkFolder, 'samples');
  mkdirSync(folder, { recursive: true });
  const paid = example('PaymentLinkPaidEvent');
  const samples = {
    'known.json': paid,
    'unknown-type.json': { ...paid, type: 'payment_link.admired', data: { admirer: { name: 'Zoë' } }, more: true },
    'unknown-values.json': { ...paid, data: { paymentLink: futureLink, context: { triggeredBy: 'kiosk' } } },
  };
  for (const [name, body] of Object.entries(samples)) writeFileSync(join(folder, name), JSON.stringify(body));
  return folder;
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
