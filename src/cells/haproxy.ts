import { slotText } from '../base/slot.ts';
import { OFFERED_HEADER } from '../http/notifications.ts';
import { HTML_PATHS, KEY_WITH_SLOT, NOTIFICATIONS, PAGE_FILES, PAGE_WITH_SLOT } from './edge-rule.ts';
import { type Cell, type CellMap, type Edge, slotsOf } from './map.ts';

/** Slots per rule. HAProxy reads at most 64 words of a line. */
const SLOTS_PER_LINE = 32;

/** Seconds after which callers repeat a request that the edge could not hand over. */
const RETRY_SECONDS = 5;

/**
 * Returns HAProxy's configuration for an edge. It routes by the rule of `edge-rule.ts`, and logs neither keys nor addresses of
 * pages. Timeouts are longer than the time budgets of requests, so that the service answers first.
 */
export function haproxyConfiguration({ cells, edge }: CellMap): string {
  return `${[
    ...[
      '# Written by `paylinks cells map --haproxy`. Change the map of cells and write it again, instead of this file.',
      '',
    ],
    ...GLOBAL,
    ...defaults('edge', JSON_ERRORS),
    ...defaults('pages', PAGE_ERRORS),
    ...frontend(cells, edge),
    ...cells.flatMap(backends),
    ...notifications(cells),
    ...addresses(),
  ].join('\n')}\n`;
}

/** Methods that the log names. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Without `maxconn`, HAProxy takes as many connections as its limit of open files allows. */
const GLOBAL = ['global', '  log stdout format raw local0', ''];

/**
 * Log line of a request. It has no path, no query and no header, because keys and tokens stand there. A method is logged only if
 * it is a known one, because HAProxy takes any word. `show errors` of HAProxy's socket shows whole requests, so the configuration
 * opens no socket.
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
    '  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host cell',
    '  http-check expect status 200',
    // A busy API may miss a check, and a dead one loses no request: another one gets it.
    '  default-server inter 2s fall 3 rise 1 init-addr libc,none',
    '  timeout connect 2s',
    '  timeout check 5s',
    '  timeout queue 5s',
    // A slow client has as long as at the service itself.
    '  timeout http-request 10s',
    '  timeout client 70s',
    '  timeout http-keep-alive 60s',
    // A form of a hosted page may take twenty seconds.
    '  timeout server 25s',
    // Only a request that no API got is sent to another one.
    '  option redispatch 1',
    '  retries 2',
    '  retry-on conn-failure',
    ...errors.map((error) => `  ${error}`),
    '',
  ];
}

function jsonError(status: number, code: string, message: string, headers: string): string {
  const body = `{"error":{"code":"${code}","message":"${message}","param":null,"requestId":"%[unique-id]"}}`;
  return `http-error status ${status} content-type application/json lf-string '${body}' hdr Request-Id %[unique-id]${headers}`;
}

const RETRY_AFTER = ` hdr Retry-After ${RETRY_SECONDS}`;
const UNAVAILABLE = 'The service is unavailable. Repeat the request later, with the same idempotency key.';

/**
 * Errors of the edge in the form of the API. HAProxy's own page remains for bytes that are no HTTP. After 502 and 504 the
 * status becomes 503, which the contract knows.
 */
const JSON_ERRORS = [
  jsonError(400, 'validation_error', 'The request is not valid HTTP.', ''),
  jsonError(408, 'request_timeout', 'The request took too long to arrive.', ''),
  jsonError(500, 'internal_error', 'The edge has a fault.', ''),
  ...[502, 503, 504].map((status) => jsonError(status, 'service_unavailable', UNAVAILABLE, RETRY_AFTER)),
];

/** Sentences of the page that a patient sees while the cell of the page does not answer. */
const APOLOGY = [
  [
    'en',
    'Please try again in a few minutes',
    'If you were paying, open your link again: it shows if the payment was made.',
  ],
  [
    'es',
    'Inténtelo de nuevo en unos minutos',
    'Si estaba pagando, abra su enlace otra vez: muestra si el pago se hizo.',
  ],
] as const;

const PAGE = [
  '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
  '<meta name="robots" content="noindex"><title>Please try again</title>',
  ...APOLOGY.map(([language, heading, text]) => `<div lang="${language}"><h1>${heading}</h1><p>${text}</p></div>`),
].join('');

const PAGE_ERRORS = [500, 502, 503, 504].map(
  (status) =>
    `http-error status ${status} content-type "text/html; charset=utf-8" lf-string '${PAGE}' hdr Request-Id %[unique-id]${RETRY_AFTER} hdr Cache-Control no-store`,
);

/** Approximation of a sliding minute: no address that keeps to the limit in each minute is ever above twice the limit. */
function addressLimit(requestsPerAddress: number): string[] {
  const body =
    '{"error":{"code":"rate_limited","message":"Too many requests from this address.","param":null,"requestId":"%[unique-id]"}}';
  return [
    '  http-request track-sc0 src,ipmask(32,64) table addresses if api',
    `  http-request return status 429 content-type application/json lf-string '${body}' hdr Retry-After 60 hdr Request-Id %[unique-id] if api { sc0_http_req_rate(addresses) gt ${2 * requestsPerAddress} }`,
  ];
}

function addresses(): string[] {
  return ['backend addresses from edge', '  stick-table type ipv6 size 1m expire 2m store http_req_rate(60s)'];
}

function frontend(cells: CellMap['cells'], edge: Edge): string[] {
  const [first] = cells;
  return [
    'frontend edge from edge',
    `  bind ${edge.bind}`,
    '  unique-id-format req_%[uuid()]',
    `  http-request set-var(txn.method) method if { method ${METHODS.join(' ')} }`,
    // Only cells offer notifications to each other, and they do not ask the edge.
    `  http-request del-header ${OFFERED_HEADER}`,
    '  http-after-response set-status 503 if { status 502 504 }',
    '  acl api path_beg /api/',
    ...addressLimit(edge.requestsPerAddress),
    ...slotRules(),
    `  http-request set-var(txn.cell) str(${first.name})`,
    // The first cell needs no rules: it gets everything that no rule names.
    ...cells.slice(1).flatMap(cellRules),
    ...cells.flatMap(hostRules),
    `  acl pages path_beg ${HTML_PATHS.join(' ')}`,
    `  use_backend notifications if { path_beg ${NOTIFICATIONS} } !{ var(txn.host) -m found }`,
    '  use_backend %[var(txn.cell)]_pages if pages',
    '  use_backend %[var(txn.cell)]_api',
    `  default_backend ${first.name}_api`,
    '',
  ];
}

/** Puts the two characters of the slot into a variable. A header that does not match is not copied. */
function slotRules(): string[] {
  const rule = (source: string, expression: string) =>
    `  http-request set-var(txn.slot) '${source},regsub("${expression}","\\1")' if { ${source} -m reg '${expression}' }`;
  return [
    rule('req.fhdr(authorization)', KEY_WITH_SLOT),
    rule('path', PAGE_WITH_SLOT),
    `  http-request set-var(txn.slot) url_param(slot) if { path_beg ${PAGE_FILES.join(' ')} }`,
  ];
}

/** Rules of one cell. Those of host names come after them, so that a host name decides. */
function cellRules(cell: Cell): string[] {
  const texts = slotsOf(cell).map(slotText);
  const lines = Array.from({ length: Math.ceil(texts.length / SLOTS_PER_LINE) }, (_, index) =>
    texts.slice(index * SLOTS_PER_LINE, (index + 1) * SLOTS_PER_LINE).join(' '),
  );
  return lines.map(
    (slots) => `  http-request set-var(txn.cell) str(${cell.name}) if { var(txn.slot) -m str ${slots} }`,
  );
}

function hostRules({ name, hosts }: Cell): string[] {
  if (hosts.length === 0) return [];
  const isHost = `{ req.hdr(host),field(1,:),lower -m str ${hosts.join(' ')} }`;
  return [
    `  http-request set-var(txn.cell) str(${name}) if ${isHost}`,
    `  http-request set-var(txn.host) bool(true) if ${isHost}`,
  ];
}

/** The backends of a cell: one answers errors as JSON, the other one as a page. The second takes over the checks of the first. */
function backends({ name, addresses }: Cell): string[] {
  return [
    `backend ${name}_api from edge`,
    ...addresses.map((address, index) => `  server ${serverName(name, index)} ${address} check`),
    '',
    `backend ${name}_pages from pages`,
    ...addresses.map(
      (address, index) => `  server ${serverName(name, index)} ${address} track ${name}_api/${serverName(name, index)}`,
    ),
    '',
  ];
}

/** All APIs of all cells: each of them takes notifications, and offers those of other cells to them. */
function notifications(cells: CellMap['cells']): string[] {
  return [
    'backend notifications from edge',
    ...cells.flatMap(({ name, addresses }) =>
      addresses.map(
        (address, index) =>
          `  server ${serverName(name, index)} ${address} track ${name}_api/${serverName(name, index)}`,
      ),
    ),
    '',
  ];
}

function serverName(cell: string, index: number): string {
  return `${cell}-${index + 1}`;
}
