import { HTML_PATHS } from './edge-rule.ts';

/*
 * The parts of HAProxy's files in front of APIs: the edge of cells, the edge of one database, and the
 * composition's proxy. Each part is a list of lines.
 */

/** Methods that the log names. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Seconds after which callers repeat a request that the edge could not hand over. */
const RETRY_SECONDS = 5;

/** Connections of one address at once. It exceeds what an office behind one address needs. */
const CONNECTIONS_PER_ADDRESS = 500;

/**
 * Section `global`. `fd-hard-limit` makes room for 10,000 connections, or fewer where a limit of the system is lower. So HAProxy
 * starts there, too. Its socket for statistics shows whole requests, with keys, so the configuration opens none. `tune.bufsize` lets headers
 * of more than 16 KB through to the API, which refuses them as the contract says.
 */
function globalSection(account: readonly string[]): string[] {
  return ['global', '  log stdout format raw local0', '  fd-hard-limit 20100', '  tune.bufsize 32768', ...account, ''];
}

/** The container runs as an account of its image. */
export const GLOBAL_IN_CONTAINER = globalSection([]);

/** HAProxy binds its ports as root, and then serves as the account of Debian's package, with nothing but an empty folder in sight. */
export const GLOBAL = globalSection(['  user haproxy', '  group haproxy', '  chroot /var/lib/haproxy']);

/**
 * Log line of a request. It has no path, no query and no header, because keys and tokens stand there. A method is logged only if
 * it is a known one, because HAProxy takes any word.
 */
const LOG_LINE = [
  '"time":"%Tl"',
  '"client":"%ci"',
  '"method":"%[var(txn.method)]"',
  '"status":%ST',
  '"backend":"%b"',
  '"server":"%s"',
  '"ms":%Ta',
  '"queueMs":%Tw',
  '"connectMs":%Tc',
  '"bytes":%B',
  '"end":"%tsc"',
  '"requestId":"%ID"',
].join(',');

function defaults(name: string, errors: readonly string[]): string[] {
  return [
    `defaults ${name}`,
    '  mode http',
    '  log global',
    `  log-format '{${LOG_LINE}}'`,
    '  option forwardfor',
    '  option httpchk',
    '  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host edge',
    '  http-check expect status 200',
    // An API that stops answers 503 to checks, and serves for 4 seconds more (DRAIN_SECONDS). A busy API may miss a check.
    '  default-server inter 1s fall 3 rise 1 init-addr libc,none',
    '  timeout connect 2s',
    '  timeout check 2s',
    '  timeout queue 5s',
    '  # A slow client has as long as at the service itself.',
    '  timeout http-request 10s',
    '  timeout client 70s',
    '  timeout http-keep-alive 60s',
    '  # A form of a hosted page may take twenty seconds.',
    '  timeout server 25s',
    '  # Only a request that no API received is sent to another one. An API may have executed a request whose answer is missing.',
    '  option redispatch 1',
    '  retries 2',
    '  retry-on conn-failure',
    ...errors.map((error) => `  ${error}`),
    '',
  ];
}

/** Body of an error in the form of the API. */
function jsonBody(code: string, message: string): string {
  return `{"error":{"code":"${code}","message":"${message}","param":null,"requestId":"%[unique-id]"}}`;
}

function jsonError(status: number, code: string, message: string, headers: string): string {
  return `http-error status ${status} content-type application/json lf-string '${jsonBody(code, message)}' hdr Request-Id %[unique-id]${headers}`;
}

const RETRY_AFTER = ` hdr Retry-After ${RETRY_SECONDS}`;
const UNAVAILABLE = 'The service is unavailable. Repeat the request later, with the same idempotency key.';

/**
 * Errors of the edge in the form of the API. HAProxy's own page remains for requests that are no HTTP, incomplete, or larger than its
 * buffer. After 502 and 504 the status becomes 503, which the contract knows.
 */
const JSON_ERRORS = [
  jsonError(500, 'internal_error', 'The edge has a fault.', ''),
  ...[502, 503, 504].map((status) => jsonError(status, 'service_unavailable', UNAVAILABLE, RETRY_AFTER)),
];

/** The page that a patient sees while no API answers. */
const PAGE = [
  '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
  '<meta name="robots" content="noindex"><title>Please try again</title>',
  '<div lang="en"><h1>Please try again in a few minutes</h1>',
  '<p>If you were paying, open your link again: it shows if the payment was made.</p></div>',
  '<div lang="es"><h1>Inténtelo de nuevo en unos minutos</h1>',
  '<p>Si estaba pagando, abra su enlace otra vez: muestra si el pago se hizo.</p></div>',
].join('');

const PAGE_ERRORS = [500, 502, 503, 504].map(
  (status) =>
    `http-error status ${status} content-type "text/html; charset=utf-8" lf-string '${PAGE}' hdr Request-Id %[unique-id]${RETRY_AFTER} hdr Cache-Control no-store`,
);

/** Sections `defaults`: backends from `edge` answer errors as JSON, those from `pages` as a page. */
export const DEFAULTS = [...defaults('edge', JSON_ERRORS), ...defaults('pages', PAGE_ERRORS)];

const LIMITED = '# If another proxy stands in front of this one, remove the limit: it would count that proxy.';

function requestLimit(requestsPerAddress: number): string[] {
  const tooMany = jsonBody('rate_limited', 'Too many requests from this address.');
  return [
    `  ${LIMITED}`,
    '  http-request track-sc0 src,ipmask(32,64) table addresses if api',
    // Approximation of a sliding minute: no address that keeps to the limit in each minute is ever above twice the limit.
    `  http-request return status 429 content-type application/json lf-string '${tooMany}' hdr Retry-After 60 hdr Request-Id %[unique-id] if api { sc0_http_req_rate(addresses) gt ${2 * requestsPerAddress} }`,
  ];
}

/** Tables in which the edge counts. */
export const TABLES = [
  'backend addresses from edge',
  '  stick-table type ipv6 size 1m expire 2m store http_req_rate(60s)',
  '',
  'backend connections from edge',
  '  stick-table type ipv6 size 1m expire 2m store conn_cur',
];

/** First rules of the frontend `edge`; those that choose a backend follow. */
export function frontendHead({ bind, requestsPerAddress }: { bind: string; requestsPerAddress: number }): string[] {
  return [
    'frontend edge from edge',
    `  bind ${bind}`,
    `  ${LIMITED}`,
    '  tcp-request connection track-sc1 src,ipmask(32,64) table connections',
    `  tcp-request connection reject if { sc1_conn_cur(connections) gt ${CONNECTIONS_PER_ADDRESS} }`,
    '  unique-id-format req_%[uuid()]',
    `  http-request set-var(txn.method) method if { method ${METHODS.join(' ')} }`,
    '  # The contract knows 503 only.',
    '  http-after-response set-status 503 if { status 502 504 }',
    '  acl api path_beg /api/',
    `  acl pages path_beg ${HTML_PATHS.join(' ')}`,
    ...requestLimit(requestsPerAddress),
  ];
}

/** Frontend of requests without TLS. Browsers are redirected. A key that came in clear is refused, so that callers notice. */
export function redirectFrontend(bind: string | null): string[] {
  if (bind === null) return [];
  return [
    'frontend plain from edge',
    `  bind ${bind}`,
    '  unique-id-format req_%[uuid()]',
    `  http-request set-var(txn.method) method if { method ${METHODS.join(' ')} }`,
    `  http-request return status 400 content-type application/json lf-string '${jsonBody('validation_error', 'Use https.')}' hdr Request-Id %[unique-id] if { path_beg /api/ }`,
    '  http-request redirect scheme https code 308',
    '',
  ];
}
