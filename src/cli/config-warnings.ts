import { suggestName } from '../http/request/suggestion.ts';
import type { Config } from '../processes/config.ts';

/** Settings of the service, as the README lists them, without those of OpenTelemetry. A test compares them with both. */
export const SETTINGS = [
  'DATABASE_URL',
  'PORT',
  'HOST',
  'PUBLIC_URL',
  'CONSOLE_URL',
  'SECRETS_KEY',
  'TRUST_PROXY_HOPS',
  'IP_REQUESTS_PER_MINUTE',
  'WEBHOOK_ALLOWED_NETWORKS',
  'WEBHOOK_SENDER_NETWORKS',
  'WEBHOOK_RETRY_SECONDS',
  'WEBHOOK_TIMEOUT_MS',
  'PROCESSOR',
  'SANDBOX_SETTLE_SECONDS',
  'STRIPE_SECRET_KEY',
  'STRIPE_PUBLISHABLE_KEY',
  'STRIPE_WEBHOOK_SECRETS',
  'STRIPE_API_BASE',
  'SMTP_URL',
  'MAIL_FROM',
  'LOG_LEVEL',
  'METRICS_PORT',
  'DRAIN_SECONDS',
] as const;

/** Variables of the consumers' command and of its examples. */
const OF_CONSUMERS = ['PAYLINKS_API_KEY', 'PAYLINKS_BASE_URL', 'PAYLINKS_WEBHOOK_SECRET'];

/** Beginnings that no other program uses. A name with one is meant for the service. */
const OWN = /^(STRIPE|WEBHOOK|SECRETS|SANDBOX|METRICS|SMTP|TRUST_PROXY)_/;

/** Beginnings that others use as well. A name with one counts if it is similar to a setting. */
const SHARED = /^(PAYLINKS|DATABASE|PUBLIC|CONSOLE|IP|MAIL|LOG|DRAIN|TRUST)_/;

/** Variables by which Kubernetes and Docker describe a service. */
const OF_SERVICES = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT(_\d+_(TCP|UDP)(_\w+)?)?$/;

/** Longest prefix of a network that leaves the guard of webhook addresses open to a good part of the internet. */
const WIDEST_PREFIX = { ipv4: 7, ipv6: 15 };

/** A setting that is valid, and probably a mistake. */
export interface ConfigWarning {
  setting: string;
  message: string;
}

/** Returns warnings about a valid configuration, for the log of a process that starts. They repeat no value. */
export function configWarnings(env: NodeJS.ProcessEnv, config: Config): ConfigWarning[] {
  return [...openGuard(config), ...unusedStripe(env, config), ...webhookSecrets(config), ...unknownSettings(env)];
}

/** Warns of a guard that is open to all. The embedded server is for development, where that may be right. */
function openGuard({ databaseUrl, webhookAllowedNetworks }: Config): ConfigWarning[] {
  const isOpen = databaseUrl !== null && webhookAllowedNetworks.some(isWide);
  const message =
    'WEBHOOK_ALLOWED_NETWORKS lets webhooks reach about every address, private ones and metadata services included: leave it unset in production';
  return isOpen ? [{ setting: 'WEBHOOK_ALLOWED_NETWORKS', message }] : [];
}

function isWide(cidr: string): boolean {
  const [address = '', prefix] = cidr.split('/');
  return prefix !== undefined && Number(prefix) <= WIDEST_PREFIX[address.includes(':') ? 'ipv6' : 'ipv4'];
}

function unusedStripe(env: NodeJS.ProcessEnv, { stripe }: Config): ConfigWarning[] {
  const set = SETTINGS.filter((name) => name.startsWith('STRIPE_') && env[name]?.trim());
  if (stripe !== null || set.length === 0) return [];
  const message = `PROCESSOR is sandbox, so ${set.join(', ')} have no effect and no money moves: set PROCESSOR=stripe, or remove them`;
  return [{ setting: 'PROCESSOR', message }];
}

function webhookSecrets({ stripe }: Config): ConfigWarning[] {
  const others = (stripe?.webhookSecrets ?? []).flatMap((secret, at) => (/^whsec_./.test(secret) ? [] : [at + 1]));
  if (others.length === 0) return [];
  const message = `STRIPE_WEBHOOK_SECRETS: entry ${others.join(', ')} does not begin with whsec_, so Stripe's notifications will be refused`;
  return [{ setting: 'STRIPE_WEBHOOK_SECRETS', message }];
}

function unknownSettings(env: NodeJS.ProcessEnv): ConfigWarning[] {
  const known: readonly string[] = [...SETTINGS, ...OF_CONSUMERS];
  return Object.keys(env).flatMap((setting) => {
    if (known.includes(setting) || OF_SERVICES.test(setting)) return [];
    const similar = OWN.test(setting) || SHARED.test(setting) ? suggestName(setting, SETTINGS) : null;
    if (similar === null && !OWN.test(setting)) return [];
    const hint = similar === null ? 'the README lists all settings' : `did you mean ${similar}?`;
    return [{ setting, message: `${setting} is no setting of the service, and has no effect; ${hint}` }];
  });
}
