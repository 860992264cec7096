import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Client } from '../../harness/client.ts';
import { ENDPOINTS } from '../../harness/webhooks.ts';

/** The versions whose databases are kept. */
export const KEPT_RELEASES = globSync('*.sql.gz', { cwd: import.meta.dirname }).map((file) =>
  basename(file, '.sql.gz'),
);

/** Returns the statements that make a database as this release left it. */
export function readDump(version: string): string {
  return gunzipSync(readFileSync(keptFile(`${version}.sql`))).toString();
}

/** Returns the record beside the database of this release. */
export function readRecord(version: string): ReleaseRecord {
  return JSON.parse(gunzipSync(readFileSync(keptFile(`${version}.json`))).toString());
}

/** Keeps database and record of a release. */
export function keepRelease(version: string, dump: string, record: ReleaseRecord): void {
  writeFileSync(keptFile(`${version}.sql`), gzipSync(dump, { level: 9 }));
  writeFileSync(keptFile(`${version}.json`), gzipSync(JSON.stringify(record), { level: 9 }));
}

function keptFile(name: string): string {
  return join(import.meta.dirname, `${name}.gz`);
}

/** The record beside the database of a release. */
export interface ReleaseRecord {
  /** Time of the last change; the clock of the service stood there. */
  now: string;
  /** SHA-256 of the migrations by name. */
  migrations: Record<string, string>;
  /** Keys by name. */
  keys: Record<string, string>;
  locationId: string;
  /** An enabled endpoint with a delivery that is due to be tried again. */
  endpointId: string;
  /** An active live link. */
  payable: { id: string; token: string; amountCents: number };
  /** Another active link, of the pinned key. */
  cancellableId: string;
  /** A paid link whose debit is pending. */
  processingId: string;
  /** Replies to the requests with `SETTLED_KEY`: creating a link, and rotating the endpoint's secret. */
  keptReply: string;
  sealedReply: string;
  /** Replies to the reads of each key. */
  exchanges: { key: string; path: string; body: object }[];
}

/** Idempotency key of the requests whose replies are stored. */
export const SETTLED_KEY = 'release-record-1';

/** Returns what the stored create request says beyond `linkBody`. */
export function keptRequest(locationId: string): Record<string, unknown> {
  return { locationId, description: 'Stored under a key' };
}

/** Returns the paths of all lists that the client's key can read, and of the deliveries with payload and attempts. */
export async function readPaths(client: Client): Promise<string[]> {
  const lists = ['/api/v1/locations', '/api/v1/payment-links', ENDPOINTS, '/api/v1/webhook-deliveries'];
  const paths: string[] = [];
  for (const list of lists) {
    const path = list === '/api/v1/payment-links' || list.endsWith('deliveries') ? `${list}?pageSize=100` : list;
    const { status, body } = await client.get(path);
    if (status !== 200) continue;
    paths.push(path);
    if (list.endsWith('deliveries')) paths.push(...body.data.map(({ id }: { id: string }) => `${list}/${id}`));
  }
  return paths;
}
