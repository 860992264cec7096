import type { AddressInfo } from 'node:net';
import net from 'node:net';
import { machineMs } from '../statistics.ts';
import { serveProcedures } from './remote.ts';

/*
 * Receives webhooks as cheaply as Node can: no HTTP parser, one fixed answer. The path says after how many
 * milliseconds it answers: /at-once/… or /after/<ms>/….
 */

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const HEAD_END = Buffer.from('\r\n\r\n');

let received = 0;
let firstMs: number | null = null;
let duplicates = 0;
/** Times of receipt by the event's link, for latencies. */
let receipts = new Map<string, number>();

const server = net.createServer((socket) => {
  socket.setNoDelay(true);
  let pending: Buffer | null = null;
  socket.on('data', (chunk: Buffer) => {
    pending = pending === null ? chunk : Buffer.concat([pending, chunk]);
    const request = whole(pending);
    if (request === null) return;
    pending = null;
    take(request, socket);
  });
  socket.on('error', () => socket.destroy());
});

/** The text of the request once all of it is there. There is one request at a time per connection, without pipelining. */
function whole(data: Buffer): string | null {
  const end = data.indexOf(HEAD_END);
  if (end < 0) return null;
  const length = /\r\ncontent-length: (\d+)/i.exec(data.toString('latin1', 0, end))?.[1] ?? '0';
  return data.length >= end + 4 + Number(length) ? data.toString('utf8') : null;
}

function take(request: string, socket: net.Socket): void {
  const afterMs = /^POST \/after\/(\d+)/.exec(request)?.[1];
  if (afterMs !== undefined) {
    setTimeout(() => socket.writable && socket.write(ANSWER), Number(afterMs));
    return;
  }
  received++;
  firstMs ??= machineMs();
  const link = /"paymentLink":\{"id":"(\w+)"/.exec(request)?.[1];
  if (link !== undefined) {
    if (receipts.has(link)) duplicates++;
    else receipts.set(link, machineMs());
  }
  socket.write(ANSWER);
}

const procedures = {
  async start(_: null): Promise<number> {
    if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve));
    return (server.address() as AddressInfo).port;
  },
  reset(_: null): void {
    received = 0;
    firstMs = null;
    duplicates = 0;
    receipts = new Map();
  },
  /** Resolves when that many have come (those that answer at once), or with fewer when the time is over. */
  async awaitCount({ count, withinMs }: { count: number; withinMs: number }) {
    const until = machineMs() + withinMs;
    while (received < count && machineMs() < until) await new Promise((resolve) => setTimeout(resolve, 5));
    return { received, firstMs };
  },
  /** Returns links with the times of receipt of their events, and the number of events that came twice. */
  receipts(_: null): { times: Map<string, number>; duplicates: number } {
    return { times: receipts, duplicates };
  },
};

export type ReceiverProcedures = typeof procedures;

serveProcedures(procedures);
