import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { createLogger } from '../src/base/log/log.ts';
import { migrate } from '../src/database/migrate.ts';
import { startEmbeddedPostgres } from '../src/embedded/server.ts';
import { deleteMoved } from '../src/moves/delete-moved.ts';
import { movePractices } from '../src/moves/move.ts';
import { seedHistory, seedLinks } from './bench/seed/lists.ts';
import { seedEndpoints, seedPractices } from './bench/seed/seed.ts';
import { postgresMajor } from './postgres-major.ts';
import { localFolder } from './service.ts';

/*
 * Measures how long a move refuses writes: `node scripts/measure-move.ts [LINKS]`. Two databases of one durable server; a
 * practice with so many links and deliveries, one attempt for each, beside another practice of the same size. Between the two
 * copies, a hundredth of the links changes, and as many deliveries are deleted with their attempts.
 */

const links = Number(process.argv[2] ?? 100_000);
const folder = join(localFolder, 'measure-move');
const say = (text: string) => process.stdout.write(`${text}\n`);

rmSync(folder, { recursive: true, force: true });
const server = await startEmbeddedPostgres({ directory: folder, durable: true, major: postgresMajor });
try {
  const [sourceUrl, targetUrl] = [await database('source'), await database('target')];
  const admin = new pg.Pool({ connectionString: sourceUrl, max: 2 });
  const practices = await seedPractices(admin, { practices: 2, locationsEach: 2, keysEach: 1 });
  const endpoints = await seedEndpoints(admin, practices, ['https://a.example/hook', 'https://b.example/hook']);
  for (const [index, practice] of practices.entries()) {
    await seedLinks(admin, practice, links, index * links);
    await seedHistory(admin, practice, endpoints, links, index * links);
  }
  await admin.query(
    `insert into webhook_attempts (delivery_id, number, endpoint_id, started_at, duration_ms, response_status, lease_epoch)
     select id, 1, endpoint_id, created_at, 12, 200, 0 from webhook_deliveries`,
  );
  // The seed makes practices, keys and pages of the time before slots.
  await admin.query(
    `with slots as (select id, row_number() over (order by id) as slot from practices),
       placed as (update practices p set slot = s.slot from slots s where s.id = p.id),
       keys as (update api_keys set carries_slot = true)
     update payment_links set token = '0_' || token where status = 'active'`,
  );
  await admin.query('vacuum analyze');
  await admin.end();
  const practiceIds = practices.slice(0, 1).map(({ id }) => id);
  const processorsMs: number[] = [];
  const moved = await movePractices({
    sourceUrl,
    targetUrl,
    practiceIds,
    async onStep(step) {
      if (step === 'first copy made') await change(sourceUrl, practiceIds, links / 100);
      if (step === 'frozen' || step === 'arrived') processorsMs.push(await processorMs(sourceUrl));
    },
  });
  const [frozenMs = 0, arrivedMs = 0] = processorsMs;
  say(`processor time of the copy, of databases and command: ${((arrivedMs - frozenMs) / 1000).toFixed(1)} s`);
  say(`first copy ${(moved.firstCopyMs / 1000).toFixed(1)} s`);
  say(`refused ${(moved.frozenMs / 1000).toFixed(1)} s, drained in ${(moved.drainingMs / 1000).toFixed(1)} s`);
  say(
    moved.tables
      .filter(({ rows }) => rows > 0)
      .map(({ table, rows }) => `${table} ${rows}`)
      .join(', '),
  );
  const startedMs = performance.now();
  const deleted = await deleteMoved(sourceUrl, practiceIds);
  say(`deleted ${deleted} rows in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Changes rows of the practice that were copied already. */
async function change(url: string, practiceIds: readonly string[], count: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `update payment_links set description = description || '.' where id in (
       select id from payment_links where practice_id = any ($1) order by id limit $2)`,
    [practiceIds, count],
  );
  await client.query(
    `delete from webhook_deliveries where id in (
       select id from webhook_deliveries where practice_id = any ($1) order by id limit $2)`,
    [practiceIds, count],
  );
  await client.end();
}

/** Processor time so far of this process and of the server's processes that serve the move. */
async function processorMs(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'paylinks move'`,
  );
  await client.end();
  const { user, system } = process.cpuUsage();
  const ticks = rows.map(({ pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  // A tick is a hundredth of a second.
  return (user + system) / 1000 + ticks.reduce((sum, one) => sum + one * 10, 0);
}

async function database(name: string): Promise<string> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  await migrate(url.href, createLogger('silent'));
  return url.href;
}
