import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import type { ClientConfig } from 'pg';
import { parse } from 'pg-connection-string';
import { PLAN_HINTS } from '../query/plan-hints.ts';
import { PARAMETER_NAMES, readParameters, type Settings, settingsOf } from './parameters.ts';

export interface AnswerTimeoutConfig extends ClientConfig {
  /** Time without an answer to a query after which the connection is closed, in milliseconds. */
  answerTimeoutMillis?: number | undefined;
}

/** Limits of a connection, in milliseconds. For limits of the server, 0 means none. The database URL overrides them. */
export interface ConnectionLimits
  extends Pick<
    AnswerTimeoutConfig,
    'connectionTimeoutMillis' | 'keepAlive' | 'keepAliveInitialDelayMillis' | 'answerTimeoutMillis'
  > {
  statement_timeout?: number;
  lock_timeout?: number;
  idle_in_transaction_session_timeout?: number;
}

/** Complete configuration of a connection: for a pool, a client, or the ORM's driver. */
export interface ConnectionConfig extends AnswerTimeoutConfig {
  host: string;
  database: string;
  /** False: no TLS. Absent: the URL does not mention TLS. */
  ssl?: ConnectionOptions | false;
  settings: Settings;
  /** Settings that the session must have, from `settings` and `options`. Those of the URL take precedence. */
  requested: Settings;
}

/**
 * Limits of the service's connections, in milliseconds. They turn a stuck database into an error.
 *
 * - `idle_in_transaction_session_timeout`: longest time for which a process that freezes inside a transaction blocks its practice.
 * - `answerTimeoutMillis`: a connection on which no answer arrives is closed.
 * - `keepAlive`: an idle connection that is dead is noticed within 20 seconds instead of two hours.
 */
export const DATABASE_LIMITS = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 15_000,
  lock_timeout: 2_000,
  answerTimeoutMillis: 20_000,
  idle_in_transaction_session_timeout: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

/** Limits of a worker. It waits only briefly for a lock: its work is repeated, and other work waits behind it. */
export const WORKER_LIMITS: ConnectionLimits = { lock_timeout: 250 };

/**
 * Settings of every session of the ORM's pools. With `client_connection_check_interval`, in milliseconds, the server ends
 * a statement whose client has closed the connection, and releases its locks.
 */
export const SESSION: Settings = { timezone: 'UTC', ...PLAN_HINTS, client_connection_check_interval: '1000' };

/** Limits that the server enforces, as settings of the session. The URL may set them as parameters, too. */
const SERVER_LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;

/** Modes that `pg` treats as `verify-full`. It warns that its next release will not, so we set `verify-full` ourselves. */
const VERIFYING = ['prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * Returns the faults of a database URL, each as a sentence without secrets; empty if the URL is usable. It reads the files
 * that the URL names.
 */
export function databaseUrlFaults(databaseUrl: string): string[] {
  const read = readAddress(databaseUrl);
  return 'faults' in read ? read.faults : [];
}

/**
 * Returns the connection configuration for a database URL. Parameters of the URL override the others. Each pool needs a new
 * configuration, because `pg` hides the private key in the object that it gets, and a copy would lack it.
 *
 * @param applicationName name in the server's list of sessions
 * @throws Error if `databaseUrlFaults` reports faults
 */
function connectionTo(
  databaseUrl: string,
  applicationName: string,
  session: Settings,
  limits: ConnectionLimits,
): ConnectionConfig {
  const read = readAddress(databaseUrl);
  if ('faults' in read) throw new Error(read.faults.join('; '));
  const { values, address, ssl } = read;
  const readNumber = (name: string) => (values.has(name) ? Number(values.get(name)) : undefined);
  const defaultSettings = { ...session };
  for (const name of SERVER_LIMITS) {
    const limit = readNumber(name) ?? limits[name];
    if (limit !== undefined) defaultSettings[name] = `${limit}`;
  }
  const options = values.get('options');
  const urlSettings = settingsOf(options ?? '');
  for (const name of SERVER_LIMITS) if (values.has(name)) delete urlSettings[name];
  const timeout = readNumber('connect_timeout');
  const idle = readNumber('keepalives_idle');
  return {
    ...address,
    application_name: values.get('application_name') ?? values.get('fallback_application_name') ?? applicationName,
    ...(options === undefined ? {} : { options }),
    ...(ssl === undefined ? {} : { ssl }),
    ...(values.get('sslnegotiation') === 'direct' ? { sslnegotiation: 'direct' } : {}),
    // The server applies the URL's options on connecting, so these settings are not set again.
    settings: Object.fromEntries(Object.entries(defaultSettings).filter(([name]) => !Object.hasOwn(urlSettings, name))),
    requested: { ...defaultSettings, ...urlSettings },
    connectionTimeoutMillis: timeout === undefined ? limits.connectionTimeoutMillis : timeout * 1_000,
    answerTimeoutMillis: readNumber('query_timeout') ?? limits.answerTimeoutMillis,
    keepAlive: values.has('keepalives') ? values.get('keepalives') === '1' : limits.keepAlive,
    keepAliveInitialDelayMillis: idle === undefined ? limits.keepAliveInitialDelayMillis : idle * 1_000,
  };
}

/** Returns the configuration of the ORM's connections, and of checks. */
export function serviceConnection(databaseUrl: string, limits: ConnectionLimits = {}): ConnectionConfig {
  return connectionTo(databaseUrl, 'paylinks', SESSION, { ...DATABASE_LIMITS, ...limits });
}

export function jobConnection(databaseUrl: string, limits: ConnectionLimits): ConnectionConfig {
  return connectionTo(databaseUrl, 'paylinks jobs', { jit: PLAN_HINTS.jit }, { ...DATABASE_LIMITS, ...limits });
}

/** Returns the configuration of connections that migrate. They have no time limits, because migrations may take long. */
export function migratingConnection(databaseUrl: string): ConnectionConfig {
  const limits = { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 };
  return connectionTo(databaseUrl, 'paylinks migrate', { timezone: 'UTC' }, limits);
}

interface Address {
  values: Map<string, string>;
  address: { host: string; port: number; user: string; password: string; database: string };
  ssl: ConnectionOptions | false | undefined;
}

function readAddress(databaseUrl: string): Address | { faults: string[] } {
  const [base = '', query = ''] = split(databaseUrl);
  const bare = /^postgres(?:ql)?:\/\//i.test(base) && !databaseUrl.includes('#') ? parseOrNull(base) : null;
  // First, because what stands behind a `?` in a broken address may be half a password.
  if (bare === null) {
    return { faults: ['DATABASE_URL must be a postgres:// address; # ? / @ in user and password as %23 %3F %2F %40'] };
  }
  const { values, faults } = readParameters(query);
  const { timezone } = settingsOf(values.get('options') ?? '');
  if (timezone !== undefined) faults.push('options must leave timezone alone: the service reads times as UTC');
  if (faults.length > 0) return { faults: faults.map((fault) => `DATABASE_URL: ${fault}`) };
  const parsed = parseOrNull(`${base}?${normalizeParameters(values)}`);
  if (parsed === null) return { faults: ['DATABASE_URL: its TLS parameters contradict each other'] };
  const host = parsed.host ?? '';
  const port = Number(parsed.port || 5432);
  if (host.includes(',')) faults.push('host must name one host');
  if (!(port >= 1 && port <= 65_535)) faults.push('port must be a port');
  if (!parsed.database) faults.push('it must name a database');
  const ssl = tlsOptions(parsed.ssl, host, values, faults);
  if (faults.length > 0) return { faults: faults.map((fault) => `DATABASE_URL: ${fault}`) };
  const { user = '', password = '', database } = parsed;
  return { values, address: { host, port, user, password, database: database ?? '' }, ssl };
}

function split(databaseUrl: string): [string, string] {
  const at = databaseUrl.indexOf('?');
  return at < 0 ? [databaseUrl, ''] : [databaseUrl.slice(0, at), databaseUrl.slice(at + 1)];
}

/** Parses an address; null if it is malformed. Drops the error, because it quotes the address. */
function parseOrNull(databaseUrl: string): ReturnType<typeof parse> | null {
  try {
    return parse(databaseUrl);
  } catch {
    return null;
  }
}

/** Returns the parameters for `pg-connection-string`, spelled so that it does what the README says and nothing else. */
function normalizeParameters(values: Map<string, string>): URLSearchParams {
  const query = new URLSearchParams([...values].filter(([name]) => PARAMETER_NAMES.includes(name)));
  const ssl = query.get('ssl');
  const sslmode = query.get('sslmode') ?? (ssl === 'no-verify' ? ssl : null);
  query.delete('ssl');
  if (sslmode === null) {
    if (ssl !== null) query.set('sslmode', ssl === 'true' || ssl === '1' ? 'verify-full' : 'disable');
  } else if (query.get('uselibpqcompat') !== 'true' && VERIFYING.includes(sslmode)) {
    query.set('sslmode', 'verify-full');
  } else {
    query.set('sslmode', sslmode);
  }
  // `uselibpqcompat` changes the meaning of the weaker modes only, and refuses `no-verify`.
  if (!VERIFYING.includes(sslmode ?? '')) query.delete('uselibpqcompat');
  return query;
}

function tlsOptions(
  ssl: ReturnType<typeof parse>['ssl'],
  host: string,
  values: Map<string, string>,
  faults: string[],
): ConnectionOptions | false | undefined {
  if (values.get('sslnegotiation') === 'direct' && ssl === false) faults.push('sslnegotiation=direct needs TLS');
  if (ssl === undefined || ssl === false) return ssl;
  const given: ConnectionOptions = typeof ssl === 'object' ? { ...ssl, cert: ssl.cert ?? undefined } : {};
  if ((given.cert === undefined) !== (given.key === undefined)) faults.push('sslcert and sslkey belong together');
  else faults.push(...certificateFaults(given));
  return {
    ...given,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED does not switch it off.
    rejectUnauthorized: given.rejectUnauthorized ?? true,
    // Without it Node verifies the certificate of a server at an IP address as one for "localhost".
    ...(isIP(host) === 0 ? {} : { host }),
  };
}

function certificateFaults({ ca, cert, key }: ConnectionOptions): string[] {
  const succeeds = (use: () => unknown): boolean => {
    try {
      use();
      return true;
    } catch {
      return false;
    }
  };
  return [
    ...(ca === undefined || succeeds(() => new X509Certificate(`${ca}`))
      ? []
      : ['sslrootcert holds no certificate (PEM)']),
    ...(succeeds(() => createSecureContext({ cert, key }))
      ? []
      : ['sslcert and sslkey are not a certificate and its key']),
  ];
}
