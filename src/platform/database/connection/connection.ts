import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import type { ClientConfig } from 'pg';
import { parse } from 'pg-connection-string';
import { PLAN_HINTS } from '../query/plan-hints.ts';

/** Names in lower case, values in the server's units. */
export type Settings = Readonly<Record<string, string>>;

export interface AnswerTimeoutConfig extends ClientConfig {
  answerTimeoutMillis?: number | undefined;
}

export interface ConnectionConfig extends AnswerTimeoutConfig {
  host: string;
  database: string;
  ssl?: ConnectionOptions | false;
  /** Settings that are made after connecting, unless `options` of the URL make them. */
  settings: Settings;
}

/** Limits that turn a stuck database into an error, in milliseconds. A connection on which no answer arrives is closed. */
export const DATABASE_LIMITS = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 15_000,
  lock_timeout: 2_000,
  answerTimeoutMillis: 20_000,
  // The longest time for which a frozen process blocks its practice.
  idle_in_transaction_session_timeout: 5_000,
  // A dead idle connection is noticed within 20 seconds instead of two hours.
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

/** For limits of the server, 0 means none. The database URL overrides them. */
export type ConnectionLimits = Partial<typeof DATABASE_LIMITS>;

/** A worker waits only briefly for a lock: its work is repeated, and other work waits behind it. */
export const WORKER_LIMITS: ConnectionLimits = { lock_timeout: 250 };

/** By the last one, in milliseconds, the server ends a statement whose client has closed the connection. */
export const SESSION: Settings = { timezone: 'UTC', ...PLAN_HINTS, client_connection_check_interval: '1000' };

/** They are set in the session, because PgBouncer refuses them in the start-up message. */
const SERVER_LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;

/** Parameters of the database URL (docs/operations/install.md). */
export const PARAMETERS: readonly string[] = [
  ...['user', 'password', 'host', 'port', 'options'],
  ...['application_name', 'fallback_application_name', 'client_encoding'],
  ...['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat'],
  ...[...SERVER_LIMITS, 'query_timeout'],
];

/** Values of `ssl`, as values of `sslmode`. The parser of `pg` passes `no-verify` on as a text, which pools ignore. */
const MODES: Readonly<Record<string, string>> = {
  ...{ true: 'verify-full', '1': 'verify-full', false: 'disable', '0': 'disable' },
  'no-verify': 'no-verify',
};

/** Returns sentences without secrets. Reads the files that the URL names. */
export function databaseUrlFaults(databaseUrl: string): string[] {
  const address = readAddress(databaseUrl);
  return 'faults' in address ? address.faults : [];
}

export function serviceConnection(databaseUrl: string, limits: ConnectionLimits = {}): ConnectionConfig {
  return connectionTo(databaseUrl, 'paylinks', SESSION, { ...DATABASE_LIMITS, ...limits });
}

export function jobConnection(databaseUrl: string, limits: ConnectionLimits): ConnectionConfig {
  return connectionTo(databaseUrl, 'paylinks jobs', { jit: PLAN_HINTS.jit }, { ...DATABASE_LIMITS, ...limits });
}

/** Sets no time limits, because migrations may take long. */
export function migratingConnection(databaseUrl: string): ConnectionConfig {
  const limits = { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 };
  return connectionTo(databaseUrl, 'paylinks migrate', { timezone: 'UTC' }, limits);
}

/**
 * Parameters of the URL override the others. Each pool needs a new configuration, because `pg` hides the private key in
 * the object that it gets, and a copy would lack it.
 */
function connectionTo(
  databaseUrl: string,
  applicationName: string,
  session: Settings,
  limits: ConnectionLimits,
): ConnectionConfig {
  const address = readAddress(databaseUrl);
  if ('faults' in address) throw new Error(address.faults.join('; '));
  const { values, connection } = address;
  const settings: Record<string, string> = { ...session };
  for (const name of SERVER_LIMITS) {
    const limit = values.get(name) ?? limits[name];
    if (limit !== undefined) settings[name] = `${Number(limit)}`;
  }
  const { connectionTimeoutMillis, keepAlive, keepAliveInitialDelayMillis, answerTimeoutMillis } = limits;
  const queryTimeout = values.get('query_timeout');
  return {
    ...{ connectionTimeoutMillis, keepAlive, keepAliveInitialDelayMillis },
    ...connection,
    application_name: values.get('application_name') ?? values.get('fallback_application_name') ?? applicationName,
    settings,
    answerTimeoutMillis: queryTimeout === undefined ? answerTimeoutMillis : Number(queryTimeout),
  };
}

interface Address {
  values: Map<string, string>;
  /** The part that the driver reads. */
  connection: Pick<ConnectionConfig, 'host' | 'database' | 'ssl'> & ClientConfig;
}

function readAddress(databaseUrl: string): Address | { faults: string[] } {
  // The text behind a `?` in a broken address may be half a password, so its names are not shown.
  const [base = '', query = ''] = databaseUrl.split(/\?(.*)/s);
  // A login without a host is no URL. `pg` takes it, for a Unix socket.
  if (!/^postgres(?:ql)?:\/\/[^#]*$/i.test(databaseUrl) || !URL.canParse(base.replace('@/', '@host/'))) {
    return { faults: ['DATABASE_URL must be a postgres:// address; # ? / @ in user and password as %23 %3F %2F %40'] };
  }
  const parameters = new URLSearchParams(query);
  const values = new Map(parameters);
  const faults = parameterFaults(values);
  const ssl = values.get('ssl');
  const mode = values.get('sslmode') ?? MODES[ssl ?? ''];
  if (ssl !== undefined) parameters.delete('ssl');
  // `pg` reads them as `verify-full`, warns of it, and will read them in another way.
  const verifies = ['prefer', 'require', 'verify-ca'].includes(mode ?? '') && values.get('uselibpqcompat') !== 'true';
  if (mode !== undefined) parameters.set('sslmode', verifies ? 'verify-full' : mode);
  try {
    const parsed = parse(`${base}?${parameters}`);
    if (!parsed.database) faults.push('it must name a database');
    const connection = {
      host: parsed.host ?? '',
      port: Number(parsed.port || 5432),
      ...{ user: parsed.user ?? '', password: parsed.password ?? '', database: parsed.database ?? '' },
      ...(parsed.options === undefined ? {} : { options: parsed.options }),
      ...(parsed.sslnegotiation === undefined ? {} : { sslnegotiation: parsed.sslnegotiation }),
      ...tlsOptions(parsed),
    };
    if (faults.length === 0) return { values, connection };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error';
    faults.push(`its parameters or the files that they name cannot be used: ${reason}`);
  }
  return { faults: faults.map((fault) => `DATABASE_URL: ${fault}`) };
}

/** Returns a sentence for each parameter that cannot work, without its value. */
function parameterFaults(values: Map<string, string>): string[] {
  const faults: string[] = [];
  for (const [name, value] of values) {
    if (!PARAMETERS.includes(name)) {
      const subject = /^[a-z_]{1,40}$/i.test(name) && !values.has('password') ? `the parameter ${name}` : 'a parameter';
      faults.push(`${subject} is unknown; known are ${PARAMETERS.join(', ')}`);
    } else if (name.endsWith('_timeout') && !/^\d{1,9}$/.test(value)) {
      faults.push(`${name} must be a whole number of milliseconds`);
    }
  }
  const {
    ssl = 'true',
    sslnegotiation = 'direct',
    client_encoding = 'UTF8',
    options = '',
  } = Object.fromEntries(values);
  if (!Object.hasOwn(MODES, ssl)) faults.push(`ssl must be one of ${Object.keys(MODES).join(', ')}`);
  if (!['direct', 'postgres'].includes(sslnegotiation)) faults.push('sslnegotiation must be postgres or direct');
  if (!/^utf-?8$/i.test(client_encoding)) faults.push('client_encoding must be UTF8');
  if (/(?<!_)timezone\s*=/i.test(options)) {
    faults.push('options must leave timezone alone: the service reads times as UTC');
  }
  return faults;
}

function tlsOptions({ ssl, host }: ReturnType<typeof parse>): Pick<ConnectionConfig, 'ssl'> {
  if (ssl === undefined || ssl === false) return ssl === undefined ? {} : { ssl };
  const options: ConnectionOptions = typeof ssl === 'object' ? { ...ssl, cert: ssl.cert ?? undefined } : {};
  const isNamed = host === null || isIP(host) === 0;
  // They throw for files that are no certificates or keys.
  if (options.ca !== undefined) new X509Certificate(`${options.ca}`);
  createSecureContext(options);
  return {
    ssl: {
      ...options,
      // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED does not switch it off.
      rejectUnauthorized: options.rejectUnauthorized ?? true,
      // Without it Node verifies the certificate of a server at an IP address as one for "localhost".
      ...(isNamed ? {} : { host }),
    },
  };
}
