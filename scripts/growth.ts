import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createLogger } from '../src/base/log/log.ts';
import { migrate } from '../src/database/migrate.ts';
import { removeEmbeddedPostgres } from '../src/embedded/remove.ts';
import { startEmbeddedPostgres } from '../src/embedded/server.ts';
import { describeMachine, machineLine } from './bench/machine.ts';
import { measureArchive } from './growth/archive.ts';
import { type FilledPractice, fill, fillPractices, oldestDelivered } from './growth/fill.ts';
import { fillLinks } from './growth/fill-links.ts';
import { measureReads, measureUpkeep, saySizes } from './growth/measure.ts';
import { oldestInPartitions, partitionEmpty, replaceWeeks } from './growth/partition.ts';
import { startReceiver } from './growth/receiver.ts';
import { postgresMajor } from './postgres-major.ts';

/*
 * `make growth` has two parts, on one server. ONLY=deliveries or ONLY=archive runs one of them.
 *
 * The first fills a database with 20 million deliveries, and measures it while clients write. Before that, it asks the same of a
 * database with ten thousand. docs/decisions/0049-partitions.md has the figures. The second adds closed links, and measures a
 * worker that archives half of them. docs/decisions/0052-archive.md has the figures. With ONLY=archive it has a database without
 * deliveries.
 *
 * - DELIVERIES=20000000, BEFORE=10000, PRACTICES=200: sizes; a delivery takes about 1.1 kB
 * - PARTITIONED=1: deliveries are partitioned, with the weeks of the past
 * - LINKS_CLOSED: closed links; 2000000 with ONLY=archive, else 200000. A link takes about 4 kB
 * - ARCHIVE_SECONDS=900: longest time of the fill of the archive
 * - SECONDS=40: duration of a part of the measurement; LINKS=20: links per second
 */

const startedMs = performance.now();

/** Memory of PostgreSQL, as an operator would set it on this machine. */
const SHARED_BUFFERS = '2GB';

/** Nothing is durable while the database is filled. */
const FILLING = { wal_level: 'minimal', max_wal_senders: '0', autovacuum: 'off', shared_buffers: SHARED_BUFFERS };

const MEASURING = { shared_buffers: SHARED_BUFFERS, max_wal_size: '2GB' };

/** Values of ONLY. */
const PARTS = ['deliveries', 'archive'];

function number(name: string, fallback: number, least = 1): number {
  const value = Number(process.env[name] ?? fallback);
  if (!Number.isInteger(value) || value < least) throw new Error(`${name} must be a whole number from ${least} on`);
  return value;
}

function say(text: string): void {
  console.log(`${((performance.now() - startedMs) / 1_000).toFixed(0).padStart(5)} s  ${text}`);
}

async function main(): Promise<void> {
  const only = process.env.ONLY ?? null;
  if (only !== null && !PARTS.includes(only)) throw new Error(`ONLY must be one of ${PARTS.join(', ')}`);
  const deliveries = number('DELIVERIES', 20_000_000);
  /** Database of the closed links. */
  const linksDatabase = only === 'archive' ? 'links' : 'growth';
  const links = number('LINKS_CLOSED', only === 'archive' ? 2_000_000 : 200_000);
  const archiveSeconds = number('ARCHIVE_SECONDS', 900);
  const practices = number('PRACTICES', 200, 2);
  const isPartitioned = process.env.PARTITIONED === '1';
  const part = { isPartitioned, seconds: number('SECONDS', 40), linksPerSecond: number('LINKS', 20) };
  const folder = mkdtempSync(join(tmpdir(), 'paylinks-growth-'));
  const directory = join(folder, 'postgres');
  const remove = async (): Promise<void> => {
    await removeEmbeddedPostgres(directory);
    rmSync(folder, { recursive: true, force: true });
  };
  // The database is too large to stay.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void remove().finally(() => process.exit(1)));
  }
  const receiver = await startReceiver();
  const now = new Date();
  const newPractices = async (url: string): Promise<FilledPractice[]> => {
    const pool = new pg.Pool({ connectionString: url });
    try {
      return await fillPractices(pool, { practices, receiver: receiver.url });
    } finally {
      await pool.end();
    }
  };
  const filled: { name: string; deliveries: number; practices: FilledPractice[] }[] = [];
  let linkPractices: FilledPractice[] | null = null;
  try {
    const filling = await startEmbeddedPostgres({ directory, durable: false, major: postgresMajor });
    await set(filling.url, FILLING);
    await filling.restart('fast');
    const version = await execute(filling.url, 'show server_version');
    say(machineLine(describeMachine(String(version[0]?.server_version))));
    const sizes = only === 'archive' ? {} : { before: number('BEFORE', 10_000), growth: deliveries };
    for (const [name, size] of Object.entries(sizes)) {
      const url = await newDatabase(filling.url, name);
      if (isPartitioned) await partitionEmpty(url, now);
      const deliveredSince = isPartitioned ? oldestInPartitions(now) : oldestDelivered(now);
      const contents = { deliveries: size, practices, receiver: receiver.url, now, deliveredSince };
      filled.push({ name, deliveries: size, practices: await fill(url, contents, say) });
      if (isPartitioned) await replaceWeeks(url, now);
    }
    if (only !== 'deliveries') {
      linkPractices = filled.at(-1)?.practices ?? (await newPractices(await newDatabase(filling.url, linksDatabase)));
      await fillLinks(withDatabase(filling.url, linksDatabase), { links, practices: linkPractices, now }, say);
    }
    await execute(filling.url, 'alter system reset all');
    await set(filling.url, MEASURING);
    await execute(filling.url, 'checkpoint');
    await filling.stop();
    say('starting a durable server');
    const server = await startEmbeddedPostgres({ directory, durable: true, major: postgresMajor });
    try {
      for (const { name, deliveries, practices } of filled) {
        const url = withDatabase(server.url, name);
        const measured = { ...part, url, practices, receiver, now, folder };
        say(`== ${deliveries.toLocaleString('en-US')} deliveries, ${isPartitioned ? 'partitioned' : 'whole'}`);
        if (name === 'growth') await saySizes(url, say);
        await measureReads(measured, say);
        if (name === 'growth') await measureUpkeep(measured, say);
      }
      if (linkPractices !== null) {
        const url = withDatabase(server.url, linksDatabase);
        say(`== ${links.toLocaleString('en-US')} closed links`);
        const { seconds, linksPerSecond } = part;
        const served = { url, practices: linkPractices, receiver, linksPerSecond, folder };
        await measureArchive({ ...served, now, seconds, archiveSeconds }, say);
      }
    } finally {
      await server.stop();
    }
  } finally {
    await receiver.close();
    await remove();
  }
}

async function newDatabase(serverUrl: string, name: string): Promise<string> {
  await execute(serverUrl, `create database ${name}`);
  const url = withDatabase(serverUrl, name);
  await migrate(url, createLogger('silent'));
  return url;
}

async function set(url: string, settings: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(settings)) await execute(url, `alter system set ${name} = '${value}'`);
}

async function execute(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

await main();
