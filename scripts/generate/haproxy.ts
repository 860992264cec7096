import {
  DEFAULTS,
  frontendHead,
  GLOBAL,
  GLOBAL_IN_CONTAINER,
  redirectFrontend,
  TABLES,
} from '../../src/cells/haproxy-parts.ts';

const MADE = '# Made by `make generate` (scripts/generate/haproxy.ts).';

/** Returns the files of HAProxy in front of APIs. `paylinks cells map --haproxy` writes the edge of several cells, of the same parts. */
export function haproxyFiles(): [path: string, text: string][] {
  return [
    ['operations/haproxy/api.cfg', textOf(API)],
    ['operations/container/haproxy.cfg', textOf(CONTAINER)],
  ];
}

function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

/** Default of IP_REQUESTS_PER_MINUTE. */
const REQUESTS_PER_ADDRESS = 600;

/** An edge of one database. Its second backend takes over the checks of the first. */
function edge(
  bind: string,
  redirectBind: string | null,
  servers: readonly string[],
  people: readonly string[],
): string[] {
  return [
    ...DEFAULTS,
    ...redirectFrontend(redirectBind),
    ...frontendHead({ bind, requestsPerAddress: REQUESTS_PER_ADDRESS }),
    '  use_backend pages if pages',
    '  default_backend apis',
    '',
    'backend apis from edge',
    ...servers.map((server) => `  ${server}`),
    '',
    '# The same APIs, for addresses that people open.',
    'backend pages from pages',
    ...people.map((server) => `  ${server}`),
    '',
    ...TABLES,
  ];
}

const ADDRESSES = ['10.0.1.5:3000', '10.0.1.5:3001', '10.0.1.6:3000', '10.0.1.6:3001'];

const API = [
  MADE,
  '# HAProxy in front of the APIs, with TLS, for Debian. Replace the certificate and the addresses. With several cells, use the output of',
  '# `paylinks cells map --haproxy` in its place. Set TRUST_PROXY_HOPS to 1.',
  ...GLOBAL,
  ...edge(
    ':443 ssl crt /etc/paylinks/edge.pem alpn h2,http/1.1',
    ':80',
    ADDRESSES.map((address, at) => `server api-${at + 1} ${address} check`),
    ADDRESSES.map((address, at) => `server api-${at + 1} ${address} track apis/api-${at + 1}`),
  ),
];

/** Docker's name server knows one address per container. */
const TEMPLATE = 'server-template api 2 api:3000 check resolvers docker init-addr none';

const CONTAINER = [
  MADE,
  '# The proxy of compose.yaml: one address for both APIs. In production it also ends TLS.',
  ...GLOBAL_IN_CONTAINER,
  'resolvers docker',
  '  nameserver dns 127.0.0.11:53',
  '  hold valid 1s',
  '',
  ...edge(':8080', null, [TEMPLATE], [TEMPLATE]),
];
