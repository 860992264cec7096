import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { judge } from '../trial/checker.ts';
import { untilDrained } from '../trial/drained.ts';
import type { Query } from '../trial/evidence.ts';
import { type Load, startLoad } from '../trial/load.ts';
import { createRandom } from '../trial/random.ts';
import { createEndpoints, createPractices } from '../trial/setup.ts';
import { checkStoredData } from '../trial/stored-data.ts';
import { toTenths } from '../trial/timeline.ts';
import { until } from '../until.ts';
import type { Cluster } from './cluster.ts';
import { NODES, type RestoreSource } from './configuration.ts';
import type { RoundOptions } from './run.ts';
import { LONGEST_WAIT_MS, prepareService, RETRY, WEBHOOK_TIMEOUT_MS } from './service.ts';

/*
 * The procedure of docs/failover.md, "Backup and restore of a cluster". Base backup and archived WAL under load, a failover,
 * and the loss of a table. Then a new cluster begins as the old one was before.
 */

/** Result of a restore, in seconds since all nodes were stopped. */
export type RestoreReport = Awaited<ReturnType<typeof runRestore>>;

/** Name of the database, and of the folder of logs. */
const NAME = 'restore';

/** Duration of the load before and after each step on the first cluster. */
const LOAD_MS = 8_000;

/** A link that is confirmed this much after the moment was committed after it, too. */
const WELL_AFTER_MS = 500;

const CREATED = 40;

export async function runRestore({
  cluster,
  folder,
  linksPerSecond,
  say,
}: Omit<RoundOptions, 'scenario' | 'round' | 'seconds'>) {
  const random = createRandom(1);
  const service = await prepareService(cluster, folder, NAME, random);
  const { url, query, receivers, ports } = service;
  let processes = service.startProcesses();
  try {
    const practices = await createPractices(url);
    await processes.untilUp(60_000);
    const secrets = await createEndpoints(ports[0] ?? 0, practices, receivers, 3);
    const load = (links: number) =>
      startLoad({ ports, practices, links, spreadMs: (links / linksPerSecond) * 1_000, random, retry: RETRY });
    const first = load(100_000);
    const { before, after, source } = await runUntilLoss(cluster, first, query, say);
    await processes.abandon();

    const { settings, startedMs } = await endCluster(cluster, say);
    const [node, ...others] = NODES;
    cluster.startNode(node, source);
    const secondsSince = () => toTenths((performance.now() - startedMs) / 1_000);
    await cluster.admitLoopback(node, LONGEST_WAIT_MS);
    await cluster.untilLeaderIs(node, LONGEST_WAIT_MS);
    await untilTrue(() => query('select').then(() => true), 'the restored leader does not answer');
    const secondsUntilLeader = secondsSince();
    say(`${secondsUntilLeader} s: the restored node is leader`);
    const storedAtStart = checkStoredData(url);
    const known = await idsOf(query, [...before.keys(), ...after]);
    for (const other of others) cluster.startNode(other);
    await cluster.untilHealthy(LONGEST_WAIT_MS);
    const secondsUntilStandbys = secondsSince();
    say(`${secondsUntilStandbys} s: both standbys are back`);
    await startNewWalArchive(cluster, settings, folder);
    // The restored server must also work as a standby, although it had the settings of a recovery.
    await cluster.switchOver();
    await cluster.untilLeaderIsNot(node, LONGEST_WAIT_MS);
    await cluster.untilHealthy(LONGEST_WAIT_MS);
    say('a switchover is over');

    processes = service.startProcesses();
    await processes.untilUp(60_000);
    const second = load(CREATED);
    await untilTrue(async () => second.confirmed.size > 0, 'no link is created after the restore');
    const secondsUntilCreates = secondsSince();
    say(`${secondsUntilCreates} s: links are created`);
    await second.done;
    const { overdue } = await untilDrained(query, say);
    await processes.stop(20_000);
    const events = new Set((await query<{ id: string }>('select id from webhook_deliveries')).map(({ id }) => id));
    const { doubled, stored, violations } = await judge({
      ...{ query, databaseUrl: url, overdue, unexpectedEnds: processes.unexpectedEnds },
      evidence: {
        // Receivers also have events of the lost time, which the restored database does not know.
        arrivals: receivers.arrivals.filter(({ eventId }) => events.has(eventId)),
        confirmed: new Map([...before, ...second.confirmed]),
        ...{ timeoutMs: WEBHOOK_TIMEOUT_MS, secrets },
      },
      wrongAnswers: [...first.wrongAnswers, ...second.wrongAnswers],
    });
    const missing = [...before.keys()].filter((id) => !known.has(id));
    const tooLate = after.filter((id) => known.has(id));
    return {
      ...{ secondsUntilLeader, secondsUntilStandbys, secondsUntilCreates },
      confirmed: before.size,
      missing: missing.length,
      created: second.confirmed.size,
      doubled,
      storedViolations: storedAtStart.length + stored.length,
      violations: [
        ...missing.map((id) => `${id} was confirmed before the moment, and is missing`),
        ...tooLate.map((id) => `${id} was confirmed after the moment, and is there`),
        ...(after.length === 0 ? ['no link was confirmed after the moment'] : []),
        ...storedAtStart.map((text) => `before the service started, paylinks check found: ${text}`),
        ...violations,
      ],
    };
  } finally {
    await processes.abandon();
    await receivers.close();
  }
}

/** Runs the first cluster until a table is lost: WAL archive, base backup under load, failover, the moment, the loss. */
async function runUntilLoss(cluster: Cluster, load: Load, query: Query, say: (text: string) => void) {
  const { program, folder: walFolder } = cluster.makeWalArchive('wal');
  await configure(cluster, [
    ...['--pg', 'archive_mode=always', '--pg', 'archive_timeout=60s'],
    ...['--pg', `archive_command=${program} %p ${walFolder}/%f`],
  ]);
  await pause(LOAD_MS);
  const baseBackup = join(walFolder, '../base');
  const startedMs = performance.now();
  await cluster.takeBaseBackup(baseBackup);
  say(`the base backup took ${toTenths((performance.now() - startedMs) / 1_000)} s`);
  await pause(LOAD_MS);
  const leader = await cluster.leader();
  if (leader === null) throw new Error('the cluster has no leader');
  await cluster.killNode(leader);
  await cluster.untilLeaderIsNot(leader, LONGEST_WAIT_MS);
  cluster.startNode(leader);
  await cluster.untilHealthy(LONGEST_WAIT_MS);
  say('a failover is over');
  await pause(LOAD_MS);
  const before = new Map(load.confirmed);
  const [{ moment } = { moment: '' }] = await query<{ moment: string }>('select clock_timestamp()::text as moment');
  await pause(WELL_AFTER_MS);
  const known = new Set(load.confirmed.keys());
  await pause(LOAD_MS);
  const after = [...load.confirmed.keys()].filter((id) => !known.has(id));
  load.stop();
  await load.done;
  await query('drop table payment_links cascade');
  const [{ file } = { file: '' }] = await query<{ file: string }>('select pg_walfile_name(pg_switch_wal()) as file');
  await untilTrue(async () => readdirSync(walFolder).includes(file), `${file} is not archived`);
  say(`${before.size} links were confirmed before ${moment}, and the table of links is dropped`);
  return { before, after, source: { baseBackup, walFolder, moment } satisfies RestoreSource };
}

/** Stops all nodes, the leader last, removes the cluster from etcd, and sets the data aside. Returns the settings that it had. */
async function endCluster(cluster: Cluster, say: (text: string) => void) {
  const settings = await cluster.patronictl(['show-config']);
  const leader = await cluster.leader();
  const startedMs = performance.now();
  for (const node of await cluster.standbys()) await cluster.stopNode(node);
  if (leader !== null) await cluster.stopNode(leader);
  say('all nodes are stopped');
  say(await cluster.patronictl(['remove', 'paylinks'], ['paylinks', 'Yes I am aware']));
  for (const node of NODES) cluster.setDataAside(node);
  return { settings, startedMs };
}

/** Gives the new cluster the settings of the old one, with a WAL archive of its own. */
async function startNewWalArchive(cluster: Cluster, settings: string, folder: string): Promise<void> {
  const { folder: walFolder } = cluster.makeWalArchive('restored');
  const file = join(folder, 'settings.yml');
  writeFileSync(file, settings.replaceAll(/\S+\/archive\/wal\//g, `${walFolder}/`));
  await configure(cluster, ['--replace', file]);
  await cluster.takeBaseBackup(join(walFolder, '../base-again'));
  await untilTrue(async () => readdirSync(walFolder).some(isWalFile), 'the new cluster archives nothing');
}

/** Changes settings of all nodes by a command of `patronictl`, and restarts them when they know the settings. */
async function configure(cluster: Cluster, args: string[]): Promise<void> {
  await cluster.patronictl(['edit-config', '--force', ...args]);
  const waiting = async () => (await cluster.patronictl(['list', '--format', 'json'])).match(/"Pending restart"/g);
  await untilTrue(async () => (await waiting())?.length === NODES.length, 'the nodes do not take the settings');
  await cluster.patronictl(['restart', '--force', 'paylinks']);
  await cluster.untilHealthy(LONGEST_WAIT_MS);
}

/** Returns true for the name of a WAL file. The folder also has one for copies that are under way. */
function isWalFile(name: string): boolean {
  return /^[0-9A-F]{24}$/.test(name);
}

async function idsOf(query: Query, ids: string[]): Promise<Set<string>> {
  const rows = await query<{ id: string }>('select id from payment_links where id = any ($1)', [ids]);
  return new Set(rows.map(({ id }) => id));
}

/** Resolves when the condition holds. An error counts as false, because the cluster may not answer yet. */
async function untilTrue(condition: () => Promise<boolean>, failure: string): Promise<void> {
  await until(() => condition().catch(() => false), { withinMs: LONGEST_WAIT_MS, everyMs: 200, failure });
}
