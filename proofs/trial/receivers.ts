import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '../../test/harness/random.ts';

export type Character = 'fast' | 'late' | 'flaky' | 'resetting' | 'slow' | 'dead';

/** A request as its receiver saw it. Times are readings of this process's `performance.now()`. */
export interface Arrival {
  /** The endpoint, from the last part of its address. */
  endpoint: string;
  /** From the headers: known even when the sender dies before the body is there. */
  eventId: string;
  /** Null when the body never arrived whole. */
  body: string | null;
  /** The header with the signatures of the body. */
  signature: string;
  openedMs: number;
  /** Moment of the answer, or of the end of a connection without an answer. Null before. */
  closedMs: number | null;
  answered: number | null;
}

export type Receivers = Awaited<ReturnType<typeof startReceivers>>;

type Behaviour = (random: Random) => { afterMs: number; status: number | 'reset' | 'silence' };

/** Behaviours of receivers. They reach every path, and all but the dead one accept each event within eight attempts. */
const BEHAVIOURS: Record<Character, Behaviour> = {
  fast: () => ({ afterMs: 0, status: 200 }),
  late: (random) => ({ afterMs: random.integer(20, 300), status: 204 }),
  flaky: (random) => ({ afterMs: 0, status: random.next() < 0.3 ? random.pick([500, 503, 429, 410, 302]) : 200 }),
  resetting: (random) => ({ afterMs: random.integer(0, 50), status: random.next() < 0.3 ? 'reset' : 202 }),
  slow: (random) => ({ afterMs: random.integer(200, 700), status: random.next() < 0.15 ? 'silence' : 200 }),
  dead: () => ({ afterMs: 0, status: 500 }),
};

/** Starts one receiver per character, on loopback. */
export async function startReceivers(random: Random) {
  const arrivals: Arrival[] = [];
  const started = await Promise.all(
    (Object.keys(BEHAVIOURS) as Character[]).map(async (character) => {
      const server = createServer((request, response) =>
        take(request, response, arrivals, BEHAVIOURS[character], random),
      );
      // Longer than any run: a kept connection must not be closed by its receiver just as it is used.
      server.keepAliveTimeout = 600_000;
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return { character, server };
    }),
  );
  return {
    arrivals,
    /** Returns the address of one endpoint at the receiver of this character. */
    url(character: Character, endpoint: string): string {
      const found = started.find((one) => one.character === character);
      if (found === undefined) throw new Error(`no receiver is ${character}`);
      return `http://127.0.0.1:${(found.server.address() as AddressInfo).port}/${endpoint}`;
    },
    async close() {
      await Promise.all(
        started.map(({ server }) => {
          server.closeAllConnections();
          return new Promise((resolve) => server.close(resolve));
        }),
      );
    },
  };
}

function take(
  request: IncomingMessage,
  response: ServerResponse,
  arrivals: Arrival[],
  behaviour: Behaviour,
  random: Random,
): void {
  const arrival: Arrival = {
    endpoint: request.url?.slice(1) ?? '',
    eventId: String(request.headers['service-event-id']),
    body: null,
    signature: String(request.headers['service-signature']),
    openedMs: performance.now(),
    closedMs: null,
    answered: null,
  };
  arrivals.push(arrival);
  const close = () => {
    arrival.closedMs ??= performance.now();
  };
  // The response closes only after other events of the same turn, such as the next request.
  const { socket } = request;
  socket.once('end', close).once('error', close);
  response.on('close', () => {
    close();
    // Further requests may come over the same connection.
    socket.off('end', close).off('error', close);
  });
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    arrival.body = Buffer.concat(chunks).toString('utf8');
    const { afterMs, status } = behaviour(random);
    setTimeout(() => {
      // The sender has closed the connection, so nothing can be written to it.
      if (status === 'silence' || arrival.closedMs !== null) return;
      close();
      if (status === 'reset') return void request.socket.resetAndDestroy();
      arrival.answered = status;
      response.writeHead(status, status === 429 ? { 'retry-after': '1' } : {}).end();
    }, afterMs);
  });
}
