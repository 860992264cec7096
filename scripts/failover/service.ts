import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { createLogger } from '../../src/base/log/log.ts';
import { migrate } from '../../src/database/migrate.ts';
import { freePorts, serviceEnvironment } from '../trial/process.ts';
import { ProcessGroup } from '../trial/process-group.ts';
import type { Random } from '../trial/random.ts';
import { startReceivers } from '../trial/receivers.ts';
import { queryOn } from '../trial/setup.ts';
import type { Cluster } from './cluster.ts';

/** A caller repeats once a second, and for longer than any election lasts. */
export const RETRY = { everyMs: 1_000, forMs: 180_000 };

/** Receivers share a process with hundreds of callers that repeat, so they need longer than in `make chaos`. */
export const WEBHOOK_TIMEOUT_MS = 3_000;

/** Longest wait for a state of the cluster. A killed server reads all its files before it starts. */
export const LONGEST_WAIT_MS = 300_000;

/** The service on a new database of the cluster: its receivers, its ports, and a function that starts its processes. */
export async function prepareService(cluster: Cluster, folder: string, name: string, random: Random, overrides = {}) {
  await cluster.untilHealthy(LONGEST_WAIT_MS);
  await queryOn(cluster.url('postgres'))(`create database ${pg.escapeIdentifier(name)}`);
  const url = cluster.url(name);
  await migrate(url, createLogger('silent'));
  const receivers = await startReceivers(random);
  const ports = await freePorts(2, random);
  const directory = join(folder, name);
  mkdirSync(directory, { recursive: true });
  const env = serviceEnvironment(url, { WEBHOOK_TIMEOUT_MS: `${WEBHOOK_TIMEOUT_MS}`, ...overrides });
  return {
    ...{ url, query: queryOn(url), receivers, ports },
    startProcesses: () => new ProcessGroup({ env, directory, ports, workers: 2 }),
  };
}
