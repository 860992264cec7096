import { createServer } from 'node:net';
import { join } from 'node:path';
import { sensitiveFields } from '../src/contract/fields.ts';
import { type Config, readConfig } from '../src/main/processes/config.ts';
import { openDatabase } from '../src/main/processes/open-database.ts';
import { waitForStop } from '../src/main/processes/signals.ts';
import { createLogger } from '../src/platform/base/log/log.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { type ServiceProcess, startProcess, untilUp } from '../test/harness/service-process.ts';
import { prepareOffice } from './office.ts';
import { childEnvironment, type Demo, localFolder, NODE_FLAGS, prepareDemo } from './service.ts';

const LOGS = `${logOf('serve')}, ${logOf('worker')}`;

/** Longer than the processes take to stop. */
const STOP_MS = 120_000;

/** `make run`: database, demo practice, API and worker, until Ctrl-C. */
async function main(): Promise<void> {
  // First of all, so that a Ctrl-C during the start still ends everything in order.
  const stopped = waitForStop();
  // A line that cannot be printed, such as on a full disk, stops no process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const config = readConfig(process.env);
  await checkPorts(config);
  const log = createLogger('warn', sensitiveFields, process.stderr);
  say('Starting the database …');
  const database = await openDatabase(config, log, say);
  const children: ServiceProcess[] = [];
  try {
    await migrate(database.url, log);
    const demo = await prepareDemo(config, database.url, { isServed: true });
    const office = process.env.DEMO === 'office' ? await prepareOffice(config, database.url) : '';
    const env = childEnvironment(config, database.url);
    const start = (command: 'serve' | 'worker', env: NodeJS.ProcessEnv) =>
      startProcess(command, env, { logFile: logOf(command), nodeArguments: NODE_FLAGS });
    children.push(start('serve', env), start('worker', { ...env, ...metricsOfWorker(config) }));
    await Promise.all(children.map((child) => untilUp(child)));
    say(office + welcome(demo));
    const ends = children.map(async ({ ended }) => `a process ended by itself with ${await ended}; see ${LOGS}`);
    const why = await Promise.race([stopped, ...ends]);
    say(`Stopping (${why}) …`);
    if (!why.startsWith('SIG')) process.exitCode = 1;
  } finally {
    await Promise.all(children.map((child) => child.stop(STOP_MS)));
    await database.close();
  }
  say('Stopped. The data is kept; `make run` goes on with it.');
}

/** Checks the ports of API and metrics before anything starts. @throws Error that names the setting of a port in use */
async function checkPorts({ host, port, metricsPort }: Config): Promise<void> {
  const ports = { PORT: [port], METRICS_PORT: metricsPort ? [metricsPort, metricsPort + 1] : [] };
  for (const [setting, numbers] of Object.entries(ports)) {
    for (const number of numbers) {
      if (!(await isInUse(number, host))) continue;
      throw new Error(
        `Port ${number} is in use: end the program that listens there, or set ${setting} to another port.`,
      );
    }
  }
}

function isInUse(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'));
    server.listen(port, host, () => server.close(() => resolve(false)));
  });
}

/** The worker's metrics have the port after that of the API. */
function metricsOfWorker({ metricsPort }: Pick<Config, 'metricsPort'>): NodeJS.ProcessEnv {
  return metricsPort ? { METRICS_PORT: `${metricsPort + 1}` } : {};
}

function logOf(command: string): string {
  return join(localFolder, `${command}.log`);
}

function welcome(demo: Demo): string {
  const { baseUrl, testKey, liveKey, locationIds, consoleUrl } = demo;
  return `
Payment links and webhooks are up.

  API        ${baseUrl}/api/v1
  Documents  ${baseUrl}/docs
  Console    ${consoleUrl}
             (signs the owner of the demo practice in, once)
  Mails      .local/outbox/  (to patients and people, a file each)
  Contract   ${baseUrl}/openapi.yaml  (and /openapi.json)
  Test key   ${testKey}
  Live key   ${liveKey}
  Location   ${locationIds.join(', ')}
  Logs       ${LOGS}

The same is in .local/demo.json. Create a payment link:

  curl -X POST ${baseUrl}/api/v1/payment-links \\
    -H 'Authorization: Bearer ${testKey}' \\
    -H 'Content-Type: application/json' \\
    -H "Idempotency-Key: $(date +%s)" \\
    -d '{"amount":125.50,"description":"Cleaning, March 3","locationId":"${locationIds[0]}","patient":{"firstName":"Ada","lastName":"Byron"}}'

Ctrl-C stops everything.`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  await main();
} catch (error) {
  const hint = error instanceof Error && 'hint' in error ? `\n${error.hint}` : '';
  process.stderr.write(`${error instanceof Error ? error.message : error}${hint}\n`);
  process.exitCode = 1;
}
