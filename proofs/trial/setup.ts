import pg from 'pg';
import { issueKey } from '../../src/access/service.ts';
import { createOrm } from '../../src/main/processes/shared.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import type { Scope } from '../../src/platform/base/scope.ts';
import { parseKeyring } from '../../src/platform/base/secrets.ts';
import { systemClock } from '../../src/platform/base/time/clock.ts';
import { createLocation, createPractice } from '../../src/practices/service.ts';
import { SECRETS_KEY } from '../../test/harness/service-process.ts';
import type { Query } from './evidence.ts';
import type { Character, Receivers } from './receivers.ts';

/** A practice whose endpoints are all of one character. */
export interface ChaosPractice {
  practiceId: string;
  character: Character;
  testKey: string;
  /** Share of the load, relative to the other practices. */
  share: number;
}

/** Endpoints per practice, as many as are allowed. */
const ENDPOINTS = 10;

/** Practices with fifty endpoints in total. Slow receivers get a small share, so that they finish with the run. */
const PRACTICES: { character: Character; share: number }[] = [
  { character: 'fast', share: 8 },
  { character: 'late', share: 4 },
  { character: 'flaky', share: 4 },
  { character: 'resetting', share: 3 },
  { character: 'slow', share: 1 },
];

/** A sixth practice has two dead endpoints, which are switched off in the course of a run. */
const DEAD = { character: 'dead', share: 2, endpoints: 2 } as const;

export const UNLIMITED = 1_000_000;

/** Creates the practices, each with a location and a test key. */
export function createPractices(databaseUrl: string): Promise<ChaosPractice[]> {
  return asOperator(databaseUrl, async (newScope) => {
    const practices: ChaosPractice[] = [];
    for (const { character, share } of [...PRACTICES, DEAD]) {
      const practiceId = await createPracticeWithLocation(newScope(), `Practice of ${character} receivers`);
      practices.push({ practiceId, character, testKey: await createKey(newScope(), practiceId, true), share });
    }
    return practices;
  });
}

/** Does the work of an operator or of a processor, with a pool of its own. */
export async function asOperator<T>(databaseUrl: string, work: (newScope: () => Scope) => Promise<T>): Promise<T> {
  const { newScope, close } = createOperator(databaseUrl, 2);
  try {
    return await work(newScope);
  } finally {
    await close();
  }
}

/** Opens a pool of `connections` for the work of an operator. It stays open until `close`. */
export function createOperator(databaseUrl: string, connections: number) {
  const log = createLogger('silent');
  const parsed = parseKeyring(SECRETS_KEY);
  if ('faults' in parsed) throw new Error(parsed.faults.join());
  const orm = createOrm(databaseUrl, log, connections);
  const publicUrl = 'https://pay.example.com';
  const shared = { clock: systemClock, log, keyring: parsed.keyring, publicUrl, consoleUrl: publicUrl };
  return { newScope: (): Scope => ({ ...shared, em: orm.em.fork() }), close: () => orm.close() };
}

export async function createPracticeWithLocation(scope: Scope, name: string): Promise<string> {
  const practice = await createPractice(scope, { name, adminEmail: 'admin@elm.example', paymentsEnabled: true });
  const place = { name: 'Downtown', city: 'Springfield', state: 'IL', timeZone: 'America/Chicago' };
  await createLocation(scope, { practiceId: practice.id, ...place });
  return practice.id;
}

export async function createKey(scope: Scope, practiceId: string, test: boolean): Promise<string> {
  return (await issueKey(scope, { practiceId, test, requestsPerMinute: UNLIMITED })).key;
}

/**
 * Registers the practices' endpoints through the API, each at the receiver of its character. Returns their secrets by the
 * last part of their address.
 */
export async function createEndpoints(
  port: number,
  practices: ChaosPractice[],
  receivers: Receivers,
  each = ENDPOINTS,
): Promise<Map<string, string>> {
  const secrets = new Map<string, string>();
  for (const { character, testKey } of practices) {
    for (let number = 1; number <= (character === 'dead' ? DEAD.endpoints : each); number++) {
      const url = receivers.url(character, `${character}-${number}`);
      secrets.set(`${character}-${number}`, await createEndpoint(port, testKey, url));
    }
  }
  return secrets;
}

export async function createEndpoint(port: number, key: string, url: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/webhook-endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url }),
  });
  if (response.status !== 201) throw new Error(`no endpoint: ${response.status} ${await response.text()}`);
  const { secret } = (await response.json()) as { secret: string };
  return secret;
}

/** Returns a function that queries the database. Each query has a connection of its own, so it works after restarts. */
export function queryOn(databaseUrl: string): Query {
  return async <Row extends object>(text: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: 'chaos' });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row & pg.QueryResultRow>(text, values)).rows;
    } finally {
      await client.end();
    }
  };
}
