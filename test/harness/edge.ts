import { rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { withoutAccount } from '../../scripts/failover/configuration.ts';
import { findProgram } from '../../scripts/failover/programs.ts';
import { slotText } from '../../src/base/slot.ts';
import { KEY_WITH_SLOT, NOTIFICATIONS, PAGE_FILES, PAGE_WITH_SLOT } from '../../src/cells/edge-rule.ts';
import { haproxyConfiguration } from '../../src/cells/haproxy.ts';
import { type Cell, type CellMap, parseCellMap, slotsOf } from '../../src/cells/map.ts';
import { freePort } from './free-port.ts';
import { killGroup, start, until } from './processes.ts';
import { newScratchFolder } from './scratch.ts';

/** An edge in front of cells. */
export interface RunningEdge {
  url: string;
  output(): string;
  close(): Promise<void>;
}

export type EdgeKind = 'haproxy' | 'typescript';

/** Starts an edge; null if its program is not on this machine. */
export async function startEdge(kind: EdgeKind, map: CellMap): Promise<RunningEdge | null> {
  if (kind === 'typescript') return startTypeScriptEdge(map);
  const program = findProgram('haproxy');
  return program === undefined ? null : startHaproxy(program, map);
}

/** Returns the map of these cells; throws when it is not valid. */
export function mapOf(...cells: object[]): CellMap {
  const parsed = parseCellMap({ cells });
  if ('faults' in parsed) throw new Error(parsed.faults.join('; '));
  return parsed.map;
}

async function startHaproxy(program: string, map: CellMap): Promise<RunningEdge> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const text = haproxyConfiguration({ ...map, edge: { ...map.edge, bind: `127.0.0.1:${port}` } });
  // HAProxy takes servers as healthy until their first check, so its own answer is enough.
  const answers = async () => (await (await fetch(`${url}/healthz`)).text()) !== '';
  return { url, ...(await runHaproxy(program, withoutAccount(text), answers)) };
}

/** Runs HAProxy with a configuration, and resolves when it is ready. A question that fails means that it is not. */
export async function runHaproxy(
  program: string,
  text: string,
  isReady: () => Promise<boolean>,
): Promise<Pick<RunningEdge, 'output' | 'close'>> {
  const folder = newScratchFolder('haproxy');
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, text);
  const running = start(program, ['-db', '-f', file], { env: {} });
  const close = async () => {
    killGroup(running, 'SIGKILL');
    await running.finished;
    rmSync(folder, { recursive: true });
  };
  await until(() => isReady().catch(() => false), running.output).catch(async (error) => {
    await close();
    throw error;
  });
  return { output: running.output, close };
}

/** An edge in TypeScript that knows the rule of `edge-rule.ts` and nothing else. So the rule is tested without HAProxy, too. */
async function startTypeScriptEdge(map: CellMap): Promise<RunningEdge> {
  const agent = new Agent({ keepAlive: true });
  let notifications = 0;
  // Headers that are too large are for the service to refuse.
  const server = createServer({ maxHeaderSize: 65_536 }, (incoming, outgoing) => {
    const cells = map.cells;
    const isShared = incoming.url?.startsWith(NOTIFICATIONS) === true && cellOfHost(map, incoming) === undefined;
    const cell = isShared ? cells[notifications++ % cells.length] : cellOf(map, incoming);
    forward(incoming, outgoing, (cell ?? cells[0]).addresses[0] ?? '', agent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    output: () => '',
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function cellOfHost(map: CellMap, { headers }: IncomingMessage): Cell | undefined {
  const host = (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  return map.cells.find(({ hosts }) => hosts.includes(host));
}

/** Returns the cell of a request by the rule of the edge. */
function cellOf(map: CellMap, incoming: Pick<IncomingMessage, 'headers' | 'url'>): Cell {
  const named = cellOfHost(map, incoming as IncomingMessage);
  if (named !== undefined) return named;
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://edge');
  const slot =
    (PAGE_FILES.some((path) => pathname.startsWith(path)) ? searchParams.get('slot') : null) ??
    new RegExp(PAGE_WITH_SLOT).exec(pathname)?.[1] ??
    new RegExp(KEY_WITH_SLOT).exec(incoming.headers.authorization ?? '')?.[1];
  return map.cells.find((cell) => slotsOf(cell).some((candidate) => slotText(candidate) === slot)) ?? map.cells[0];
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, address: string, agent: Agent): void {
  const { method, url, rawHeaders, socket } = incoming;
  const headers = [...rawHeaders, 'X-Forwarded-For', socket.remoteAddress ?? ''];
  const [host, port] = address.split(':');
  const onward = request({ host, port, method, path: url, headers, agent }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.rawHeaders);
    reply.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}
