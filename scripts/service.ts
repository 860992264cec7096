import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { issueKey } from '../src/access/service.ts';
import { acceptInvitation } from '../src/console/identity/people/accept.ts';
import { inviteMember } from '../src/console/identity/people/invitations.ts';
import { listMembers } from '../src/console/identity/people/members.ts';
import { createSignInUrl } from '../src/console/identity/sign-in/tokens.ts';
import { sensitiveFields } from '../src/contract/fields.ts';
import { type Config, DEVELOPMENT_KEYRING } from '../src/main/processes/config.ts';
import { createOrm } from '../src/main/processes/shared.ts';
import { createLogger } from '../src/platform/base/log/log.ts';
import type { Scope } from '../src/platform/base/scope.ts';
import { systemClock } from '../src/platform/base/time/clock.ts';
import { inTransaction } from '../src/platform/database/query/transaction.ts';
import { listPractices } from '../src/practices/find.ts';
import { createLocation, createPractice } from '../src/practices/service.ts';

/** Common parts of `make run` and `make demo`: the demo practice, and the environment of its processes. */

export const checkout = fileURLToPath(new URL('..', import.meta.url));
export const localFolder = join(checkout, '.local');
const demoFile = join(localFolder, 'demo.json');

/** Networks that webhooks may go to in development: this machine. */
export const LOOPBACK = '127.0.0.0/8,::1/128';

/** Owner of the demo practice. Mails to this address lie in `.local/outbox/`. */
const DEMO_OWNER = 'owner@maple-street-dental.example';

/** Time for which the printed sign-in address works: a day, because nobody but the developer sees it. */
export const DEMO_SIGN_IN_MS = 24 * 60 * 60_000;

/** The demo practice, as `.local/demo.json` keeps it. */
export interface Demo {
  baseUrl: string;
  practiceId: string;
  locationIds: string[];
  testKey: string;
  liveKey: string;
  /** Address of the console that signs the practice's owner in, once. It is new at every start. */
  consoleUrl: string;
}

/** The environment of the children: the caller's, on the given database, with the embedded server's defaults. */
export function childEnvironment(config: Config, databaseUrl: string): NodeJS.ProcessEnv {
  const embedded = config.databaseUrl === null;
  return {
    ...(embedded ? { SECRETS_KEY: DEVELOPMENT_KEYRING, PROCESSOR: 'sandbox' } : {}),
    WEBHOOK_ALLOWED_NETWORKS: LOOPBACK,
    // No balancer stands before it, so Ctrl-C ends it at once.
    DRAIN_SECONDS: '0',
    ...process.env,
    DATABASE_URL: databaseUrl,
  };
}

/**
 * Returns the demo practice of this database, made at the first start; its keys are in `.local/demo.json` only.
 *
 * @param options.isServed the caller serves it at the addresses of the configuration, which the file then names
 */
export async function prepareDemo(
  config: Config,
  databaseUrl: string,
  { isServed }: { isServed: boolean },
): Promise<Demo> {
  const log = createLogger('warn', sensitiveFields, process.stderr);
  const orm = createOrm(databaseUrl, log, 2);
  const { keyring, publicUrl, consoleUrl } = config;
  const baseUrl = `http://localhost:${config.port}`;
  try {
    const scope: Scope = { em: orm.em.fork(), clock: systemClock, log, keyring, publicUrl, consoleUrl };
    const kept = existsSync(demoFile) ? (JSON.parse(readFileSync(demoFile, 'utf8')) as Demo) : null;
    const known = (await listPractices(scope)).some(({ id }) => id === kept?.practiceId);
    // Another process may serve it, at other addresses.
    if (kept !== null && known && !isServed) return kept;
    const practice = kept !== null && known ? { ...kept, baseUrl } : await createDemo(scope, baseUrl);
    const demo: Demo = { ...practice, consoleUrl: await ownerUrl(scope, practice.practiceId) };
    mkdirSync(localFolder, { recursive: true });
    // It contains a live key.
    writeFileSync(demoFile, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
    chmodSync(demoFile, 0o600);
    return demo;
  } finally {
    await orm.close();
  }
}

/** Returns a sign-in address of the demo practice's owner, who is added when missing. */
async function ownerUrl(scope: Scope, practiceId: string): Promise<string> {
  const owner = (await listMembers(scope, practiceId)).find(({ email }) => email === DEMO_OWNER);
  if (owner !== undefined) return createSignInUrl(scope, owner.personId, { lifetimeMs: DEMO_SIGN_IN_MS });
  const grant = { email: DEMO_OWNER, role: 'owner' as const, locationIds: null };
  const { personId } = await inTransaction(scope, async (scope) => {
    return acceptInvitation(scope, await inviteMember(scope, { kind: 'operator' }, practiceId, grant));
  });
  return createSignInUrl(scope, personId, { lifetimeMs: DEMO_SIGN_IN_MS });
}

async function createDemo(scope: Scope, baseUrl: string): Promise<Omit<Demo, 'consoleUrl'>> {
  const practice = await createPractice(scope, {
    name: 'Maple Street Dental',
    adminEmail: 'admin@maple-street-dental.example',
    // Of the numbers that belong to fiction.
    phone: '+12025550143',
    paymentsEnabled: true,
  });
  const practiceId = practice.id;
  const places = [
    { name: 'Downtown', city: 'Springfield', state: 'IL', timeZone: 'America/Chicago' },
    { name: 'Harbor', city: 'Oakland', state: 'CA', timeZone: 'America/Los_Angeles' },
  ];
  const locationIds: string[] = [];
  for (const place of places) locationIds.push((await createLocation(scope, { practiceId, ...place })).id);
  const test = await issueKey(scope, { practiceId, test: true });
  const live = await issueKey(scope, { practiceId, test: false });
  return { baseUrl, practiceId, locationIds, testKey: test.key, liveKey: live.key };
}

/**
 * Flags of Node, the same as in `scripts/paylinks`. New objects get less room than by default, because small requests
 * would only fill it with garbage. That saves 40 to 50 MB and costs one per cent of processor time. The function that strips the
 * types of `paylinks-dev` would print a warning.
 */
export const NODE_FLAGS = ['--max-semi-space-size=8', '--disable-warning=ExperimentalWarning'];
