import { ConfigError } from '../../platform/base/errors.ts';
import { emptyKeyring, type Keyring, parseKeyring } from '../../platform/base/secrets.ts';
import { databaseUrlFaults } from '../../platform/database/connection/connection.ts';
import { DEFAULT_RETRY_SECONDS } from '../../webhooks/model/retry-schedule.ts';
import { checkUrl } from '../../webhooks/send/destination.ts';
import { isCidr, networkSet } from '../../webhooks/send/networks.ts';

/** The configuration from the environment, read once and completely checked. docs/operations/install.md documents each variable. */
export type Config = ReturnType<typeof readConfig>;

/** OpenTelemetry's samplers. With `parentbased_` they decide in the same way, because no trace begins outside the service. */
const SAMPLERS = ['always_on', 'always_off', 'traceidratio'];

/** Keyring for the embedded server, which is for development and tests only. It protects nothing, because anybody can read it here. */
export const DEVELOPMENT_KEYRING = `development:${Buffer.alloc(32, 'paylinks').toString('base64')}`;

/** `address@host` or `Name <address@host>`, without control characters and quotes, because it becomes a header's value. */
const SENDER = /^(?:[^\s@<>,;"]+@[a-z0-9.-]+|[^@<>,;"\u0000-\u001f\u007f]+ <[^\s@<>,;"]+@[a-z0-9.-]+>)$/i;

const WHOLE_TABLES = 'ended with version 2.0.0: the tables stay whole';
const ONE_DATABASE =
  'ended with version 3.0.0: an installation has one database, and several installations have a host name each (docs/growing.md)';

/** Settings of former versions. Silence would let their operator believe that they still work. */
export const ENDED: Readonly<Record<string, string>> = {
  ARCHIVE_AFTER_DAYS: WHOLE_TABLES,
  PARTITION_ABOVE_DELIVERIES: WHOLE_TABLES,
  CELL: ONE_DATABASE,
  PAYLINKS_CELLS: ONE_DATABASE,
};

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

type Settings = ReturnType<typeof createSettings>;

/** Returns the functions that read the variables of the environment, and the faults of all. */
function createSettings(env: NodeJS.ProcessEnv) {
  const faults: string[] = [];
  /** Returns the value without blanks around it; null if it is unset or empty. */
  const text = (name: string): string | null => env[name]?.trim() || null;
  /** Returns the parts between commas, without blanks around them; none if the variable is unset or empty. */
  const list = (name: string): string[] => (text(name)?.split(',') ?? []).map((part) => part.trim());
  const check = (condition: boolean, fault: string) => void (condition || faults.push(fault));
  /** Returns the whole number of the variable; the fallback if it is unset, or no number of the range, which is a fault. */
  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const raw = text(name) ?? `${fallback}`;
    const isAllowed = /^\d{1,12}$/.test(raw) && Number(raw) >= min && Number(raw) <= max;
    check(isAllowed, `${name} must be a whole number from ${min} to ${max}`);
    // Other faults may follow from the value.
    return isAllowed ? Number(raw) : fallback;
  };
  /** Returns a base URL without slashes at its end; null if it is unset. */
  const baseUrl = (name: string): string | null => {
    const value = text(name);
    const isBase = value === null || (isUrl(value, 'http:', 'https:') && !/[?#]/.test(value));
    check(isBase, `${name} must be an http:// or https:// address without query and fragment`);
    return value?.replace(/\/+$/, '') ?? null;
  };
  /** Returns networks in the notation of CIDR. */
  const networks = (name: string): string[] => {
    const cidrs = list(name);
    for (const cidr of cidrs) check(isCidr(cidr), `${name}: "${cidr}" is not a network such as 127.0.0.0/8 or ::1/128`);
    return cidrs;
  };
  return { text, list, integer, baseUrl, networks, check, faults };
}

/** Reads the configuration. @throws ConfigError with every fault at once, without values that may be secret */
export function readConfig(env: NodeJS.ProcessEnv) {
  const settings = createSettings(env);
  const { text: readText, integer: readInteger, faults } = settings;
  for (const [name, reason] of Object.entries(ENDED)) {
    settings.check(readText(name) === null, `${name} ${reason}. Remove it from the environment`);
  }
  const databaseUrl = readText('DATABASE_URL');
  const isEmbedded = databaseUrl === null;
  if (databaseUrl !== null) faults.push(...databaseUrlFaults(databaseUrl));
  const port = readInteger('PORT', 3000, 0, 65535);
  const publicUrl = settings.baseUrl('PUBLIC_URL') ?? `http://localhost:${port}`;
  const processorSetting = readText('PROCESSOR') ?? (isEmbedded ? 'sandbox' : '');
  settings.check(['sandbox', 'stripe'].includes(processorSetting), 'PROCESSOR must be sandbox or stripe');
  const config = {
    /** Null for the embedded server. */
    databaseUrl,
    port,
    host: readText('HOST') ?? '127.0.0.1',
    /** Base URLs of hosted pages and of the console, without trailing slash. */
    publicUrl,
    consoleUrl: settings.baseUrl('CONSOLE_URL') ?? publicUrl,
    keyring: readKeyring(settings, isEmbedded),
    /** Number of trusted proxies that write X-Forwarded-For; 0 means that the socket's address counts. */
    trustProxyHops: readInteger('TRUST_PROXY_HOPS', 0, 0, 16),
    ipRequestsPerMinute: readInteger('IP_REQUESTS_PER_MINUTE', 600, 1, 100_000_000),
    /** Time after SIGTERM in which an API still takes requests, so that its balancer notices. */
    drainSeconds: readInteger('DRAIN_SECONDS', 4, 0, 30),
    /** CIDRs exempt from the public-HTTPS rule for webhook addresses. */
    webhookAllowedNetworks: settings.networks('WEBHOOK_ALLOWED_NETWORKS'),
    /** CIDRs from which webhooks come, for the documentation; empty if they are not fixed. */
    webhookSenderNetworks: settings.networks('WEBHOOK_SENDER_NETWORKS'),
    webhookRetrySeconds: readRetrySeconds(settings),
    webhookTimeoutMs: readInteger('WEBHOOK_TIMEOUT_MS', 10_000, 1, 60_000),
    sandboxSettleSeconds: readInteger('SANDBOX_SETTLE_SECONDS', 30, 0, 10_000_000),
    /** Null if the sandbox is the processor. */
    stripe: processorSetting === 'stripe' ? readStripe(settings) : null,
    ...readMail(settings),
    logLevel: readText('LOG_LEVEL') ?? 'info',
    /** Port of the process's metrics; null for none. */
    metricsPort: readText('METRICS_PORT') === null ? null : readInteger('METRICS_PORT', 0, 0, 65535),
    /** Null if no traces are sent to a collector. */
    traces: readTraces(settings),
  };
  settings.check(LOG_LEVELS.includes(config.logLevel), `LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}`);
  if (/^[rs]k_live_/.test(config.stripe?.secretKey ?? '')) requirePublicAddresses(settings, config);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

function requirePublicAddresses(
  { check }: Settings,
  { publicUrl, consoleUrl }: Record<'publicUrl' | 'consoleUrl', string>,
) {
  check(
    isPublicHttps(publicUrl),
    'PUBLIC_URL must be a public https:// address with a live STRIPE_SECRET_KEY: patients would be sent to pages that ' +
      'are out of reach, or pay over a connection that anybody can read',
  );
  check(
    consoleUrl === publicUrl || consoleUrl.startsWith('https://'),
    'CONSOLE_URL must be an https:// address with a live STRIPE_SECRET_KEY: anybody could read patients and sessions',
  );
}

function isUrl(value: string, ...protocols: string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

/** Checks an address, without DNS, by the rules for webhooks without exempt networks: https and no private host. */
function isPublicHttps(url: string): boolean {
  const check = checkUrl(url, networkSet([]));
  return check.ok && check.onlyIfAllowed === null;
}

function readKeyring({ text, faults }: Settings, isEmbedded: boolean): Keyring {
  const value = text('SECRETS_KEY') ?? (isEmbedded ? DEVELOPMENT_KEYRING : null);
  if (value === null) return emptyKeyring;
  const parsed = parseKeyring(value);
  if ('keyring' in parsed) return parsed.keyring;
  for (const fault of parsed.faults) faults.push(`SECRETS_KEY: ${fault}; the form is id:base64(32 bytes)[,id:…]`);
  return emptyKeyring;
}

function readRetrySeconds({ list, check }: Settings): number[] {
  const parts = list('WEBHOOK_RETRY_SECONDS');
  if (parts.length === 0) return [...DEFAULT_RETRY_SECONDS];
  const areSeven = parts.length === 7 && parts.every((part) => /^\d{1,7}(\.\d{1,3})?$/.test(part));
  check(areSeven, 'WEBHOOK_RETRY_SECONDS must be seven numbers of seconds, separated by commas');
  return parts.map(Number);
}

/** Returns the mail server, and the sender: `Name <address>`, or an address. Without a server, mails are written to `.local/outbox/`. */
function readMail({ text, check }: Settings) {
  const [smtpUrl, from] = [text('SMTP_URL'), text('MAIL_FROM')];
  const mailFrom = from ?? 'Paylinks <no-reply@localhost>';
  check(smtpUrl === null || isUrl(smtpUrl, 'smtp:', 'smtps:'), 'SMTP_URL must be an smtp:// or smtps:// address');
  check(smtpUrl === null || from !== null, 'MAIL_FROM must be set together with SMTP_URL');
  check(SENDER.test(mailFrom), 'MAIL_FROM must be an address, or a name and an address in angle brackets');
  return { smtpUrl, mailFrom };
}

function readStripe({ text, list, check }: Settings) {
  const apiBase = text('STRIPE_API_BASE');
  const isAddress = apiBase === null || isUrl(apiBase, 'http:', 'https:');
  check(isAddress, 'STRIPE_API_BASE must be an http:// or https:// address');
  const readKey = (name: string, form: RegExp) => {
    const key = text(name) ?? '';
    check(form.test(key), `${name} must be set to Stripe's key, with PROCESSOR=stripe`);
    return { key, mode: /^\w\w_(test|live)_/.exec(key)?.[1] };
  };
  const secret = readKey('STRIPE_SECRET_KEY', /^[rs]k_(test|live)_./);
  const publishable = readKey('STRIPE_PUBLISHABLE_KEY', /^pk_(test|live)_./);
  // With keys of different modes, Stripe refuses every payment.
  check(
    secret.mode === undefined || publishable.mode === undefined || secret.mode === publishable.mode,
    "STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must be of the same of Stripe's modes, test or live",
  );
  const webhookSecrets = list('STRIPE_WEBHOOK_SECRETS').filter((secret) => secret !== '');
  check(
    webhookSecrets.every((secret) => /^whsec_./.test(secret)),
    'STRIPE_WEBHOOK_SECRETS must be secrets of Stripe, whsec_…, with commas: otherwise its notifications would be refused',
  );
  return {
    secretKey: secret.key,
    publishableKey: publishable.key,
    /** Secrets that may sign a notification. If empty, notifications are not accepted. */
    webhookSecrets,
    /** Null means Stripe's own API; tests set another one. */
    apiBase,
  };
}

/** Returns the address of the collector, and the share of traces to send, from 0 to 1. OpenTelemetry's exporter reads all other variables. */
function readTraces({ text, baseUrl, check }: Settings) {
  const endpoint = baseUrl('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (endpoint === null) return null;
  check(
    ['http/json', 'http/protobuf'].includes(text('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/json'),
    'OTEL_EXPORTER_OTLP_PROTOCOL must be http/json or http/protobuf: traces go over HTTP, as JSON',
  );
  const sampler = text('OTEL_TRACES_SAMPLER')?.replace(/^parentbased_/, '') ?? 'always_on';
  check(
    SAMPLERS.includes(sampler),
    `OTEL_TRACES_SAMPLER must be one of ${SAMPLERS.join(', ')}, or one of them after parentbased_`,
  );
  const share = Number(text('OTEL_TRACES_SAMPLER_ARG') ?? '1');
  check(share >= 0 && share <= 1, 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  return { url: `${endpoint}/v1/traces`, ratio: { always_on: 1, always_off: 0 }[sampler] ?? share };
}
