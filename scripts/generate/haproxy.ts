import {
  DEFAULTS,
  frontendHead,
  GLOBAL,
  GLOBAL_IN_CONTAINER,
  redirectFrontend,
  TABLES,
} from '../../src/cells/haproxy-parts.ts';

const MADE = '# Made by `make generate` (scripts/generate/haproxy.ts).';

/** Returns the files of HAProxy that operators copy. `paylinks cells map --haproxy` writes the edge of several cells, of the same parts. */
export function haproxyFiles(): [path: string, text: string][] {
  return [
    ['operations/haproxy/api.cfg', textOf(API)],
    ['operations/haproxy/haproxy.cfg', textOf(DATABASE)],
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

const NODES = [1, 2, 3];

const DATABASE = [
  MADE,
  '# HAProxy in front of PostgreSQL under Patroni. DATABASE_URL of all processes names port 5000 of this proxy. Replace the',
  '# placeholders: __LISTEN_ADDRESS__, and the addresses of the three database machines. Run two of these proxies, with an address',
  '# that moves between them (keepalived), or one beside each process of the service.',
  ...GLOBAL,
  'defaults',
  '  mode tcp',
  '  # Faults, and nodes that come and go. Pools keep their connections, so a connection that ends well is no news.',
  '  log global',
  '  option tcplog',
  '  option dontlog-normal',
  '  timeout connect 2s',
  '  # Job runners listen on connections that may stay silent for long.',
  '  timeout client 30m',
  '  timeout server 30m',
  '  option clitcpka',
  '  option srvtcpka',
  '',
  'listen primary',
  '  bind __LISTEN_ADDRESS__:5000',
  "  # Only the leader's Patroni answers 200 here.",
  '  option httpchk OPTIONS /primary',
  '  http-check expect status 200',
  '  timeout check 1s',
  '  # Connections to a leader that is frozen or cut off get no answer and no end. HAProxy ends them when it marks the node as',
  '  # down, so that the service connects again at once.',
  '  default-server inter 1s fastinter 500ms fall 2 rise 1 on-marked-down shutdown-sessions',
  ...NODES.map((node) => `  server node-${node} __NODE_${node}_ADDRESS__:5432 check port 8008`),
];
