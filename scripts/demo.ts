import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isGenuine } from '../examples/verify/typescript/verify.ts';
import { type Receivers, startReceivers } from '../proofs/trial/receivers.ts';
import { sensitiveFields } from '../src/contract/fields.ts';
import type { PaymentLink, WebhookEndpointWithSecret } from '../src/contract/operations-type.ts';
import { readConfig } from '../src/main/processes/config.ts';
import { openDatabase } from '../src/main/processes/open-database.ts';
import { startServer } from '../src/main/processes/serve.ts';
import { startWorker } from '../src/main/processes/worker.ts';
import { createLogger } from '../src/platform/base/log/log.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { createRandom } from '../test/harness/random.ts';
import { until } from '../test/harness/until.ts';
import { childEnvironment, localFolder, prepareDemo } from './service.ts';

/** `make demo`: shows one payment link from its creation to a verified webhook, step by step. */

const WEBHOOK_TIMEOUT_MS = 20_000;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  mkdirSync(localFolder, { recursive: true });
  // Its lines are JSON, for programs.
  const log = createLogger('warn', sensitiveFields, createWriteStream(join(localFolder, 'demo.log')));
  const database = await openDatabase(config, log, say);
  try {
    await migrate(database.url, log);
    const demo = await prepareDemo(config, database.url, { isServed: false });
    const service = {
      ...readConfig({ ...childEnvironment(config, database.url), PORT: '0', METRICS_PORT: '' }),
      databaseUrl: database.url,
      publicUrl: config.publicUrl,
      consoleUrl: config.consoleUrl,
    };
    const server = await startServer(service, log);
    const worker = await startWorker(service, log);
    const receivers = await startReceivers(createRandom(1));
    try {
      const call = createClient(`http://127.0.0.1:${server.port}`, demo.testKey);
      await showLink(call, demo.locationIds[0] ?? '', receivers);
    } finally {
      await receivers.close();
      await worker.stop();
      await server.close();
    }
  } finally {
    await database.close();
  }
}

async function showLink(call: Call, locationId: string, receivers: Receivers): Promise<void> {
  const url = receivers.url('fast', 'webhooks');
  say(`1. A receiver of webhooks listens on ${url}. It is registered as an endpoint:`);
  const endpoint = await call<WebhookEndpointWithSecret>('POST', '/api/v1/webhook-endpoints', { url });
  say(`   ${endpoint.id}, with a secret that is shown this once.\n`);
  try {
    say('2. The practice asks a patient for 125.50 dollars:');
    const link = await call<PaymentLink>('POST', '/api/v1/payment-links', {
      amount: 125.5,
      description: 'Cleaning, March 3',
      locationId,
      patient: { firstName: 'Ada', lastName: 'Byron' },
    });
    say(`   ${link.id} is ${link.status}; the patient would open ${link.url}\n`);
    say('3. The payment is simulated, for this is a test link:');
    const paid = await call<PaymentLink>('POST', `/api/v1/payment-links/${link.id}/simulate`, { outcome: 'paid' });
    say(`   ${paid.id} is ${paid.status} since ${paid.paidAt}\n`);
    say('4. The webhook arrives:');
    const first = () => receivers.arrivals.find(({ answered }) => answered !== null) ?? null;
    const { body, signature } = await until(first, {
      withinMs: WEBHOOK_TIMEOUT_MS,
      failure: 'no webhook came; see .local/demo.log',
    });
    say(`   Service-Signature: ${signature}\n   ${body}\n`);
    if (!isGenuine(endpoint.secret, signature, Buffer.from(body ?? '')))
      throw new Error('The signature does not verify.');
    say('5. Its signature verifies with the secret of step 1. That is all there is to it.');
  } finally {
    await call('DELETE', `/api/v1/webhook-endpoints/${endpoint.id}`);
  }
}

type Call = <T>(method: string, path: string, body?: object) => Promise<T>;

function createClient(baseUrl: string, key: string): Call {
  return async <T>(method: string, path: string, body?: object) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'idempotency-key': randomUUID(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    // The contract defines the answer of each path, and its tests check the service.
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
