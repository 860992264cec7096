import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { machineMs } from '../statistics.ts';
import { Connection, type LoadRequest, prepare } from './connection.ts';
import { serveProcedures } from './remote.ts';

/* The load generator, in a process of its own so that its work does not delay what it measures. */

/** Requests to send, with connections and times. */
export interface Load {
  port: number;
  /** Requests under way at once, one per connection. */
  connections: number;
  /** The client's addresses, spread over the connections; the first ones of 127.0.0.0/8. */
  addresses: number;
  /** Sent one after the other, again and again. */
  requests: LoadRequest[];
  /** Sends each request once and ends after the last one. */
  once?: boolean;
  /** So many requests in a row are one exchange: one connection sends them in order, and they are measured together. */
  requestsEach?: number;
  /** Gives every request an idempotency key of its own. */
  idempotent: boolean;
  expectStatus: number;
  /** Other statuses that are no fault, and are counted as refused. */
  refusals?: readonly number[];
  warmUpMs: number;
  /** Ends after this time or this number of exchanges, whichever comes first. */
  windowMs: number;
  maxRequests?: number;
}

/** Requests at a steady rate, each once, whatever becomes of the earlier ones: an open loop. */
export interface PacedLoad {
  port: number;
  requests: LoadRequest[];
  perSecond: number;
  /** Requests under way at once, at most. Others wait for a connection; that time counts. */
  connections: number;
  expectStatus: number;
  /** Other statuses that are no fault; 503 if absent. */
  refusals?: readonly number[];
}

/** Status of a service that has more to do than it can. */
const OVERLOADED = 503;

const procedures = {
  /**
   * Puts load on a server and measures every answer. Throws on any answer but the expected. Returns the rate and the latencies of
   * exchanges after the warm-up, in milliseconds, and the numbers of all answers and of refusals.
   */
  async putLoad(load: Load) {
    const { once = false, requestsEach = 1, maxRequests = Number.POSITIVE_INFINITY, refusals = [] } = load;
    const prepared = load.requests.map((request) => prepare(request, load.expectStatus));
    const prefix = randomBytes(6).toString('hex');
    const latencies: number[] = [];
    const startedMs = performance.now();
    let [taken, sent, answered, refused, firstMs, lastMs] = [0, 0, 0, 0, 0, 0];
    const isOver = () =>
      performance.now() - startedMs > load.warmUpMs + load.windowMs ||
      latencies.length >= maxRequests ||
      (once && taken >= prepared.length);
    const send = async (number: number): Promise<void> => {
      const localAddress = load.addresses > 1 ? `127.0.0.${2 + (number % load.addresses)}` : undefined;
      const connection = await Connection.open(load.port, localAddress);
      while (!isOver()) {
        const first = taken % prepared.length;
        taken += requestsEach;
        const sentMs = performance.now();
        for (const request of prepared.slice(first, first + requestsEach)) {
          const line = load.idempotent ? `Idempotency-Key: ${prefix}-${++sent}\r\n` : '';
          const status = await connection.send(request, line, refusals);
          if (refusals.includes(status)) refused++;
        }
        const now = performance.now();
        answered++;
        if (now - startedMs < load.warmUpMs) continue;
        if (latencies.length === 0) firstMs = now;
        lastMs = now;
        latencies.push(now - sentMs);
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: load.connections }, (_, number) => send(number)));
    const count = latencies.length;
    if (count < 2) throw new Error('fewer than two answers in the whole window');
    const perSecond = (count - 1) / ((lastMs - firstMs) / 1000);
    return { perSecond, answered, refused, latencies: Float64Array.from(latencies) };
  },

  /**
   * Sends the requests. Throws on any answer but the expected and the refusals. Returns their times in the same order, on the machine's clock
   * in milliseconds. A request starts when it is due, not when it is sent.
   */
  async putPacedLoad({ port, requests, perSecond, connections, expectStatus, refusals = [OVERLOADED] }: PacedLoad) {
    const free = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
    const waiting: ((connection: Connection) => void)[] = [];
    const send = async (request: LoadRequest, startedMs: number) => {
      const connection = free.pop() ?? (await new Promise<Connection>((resolve) => waiting.push(resolve)));
      const status = await connection.send(prepare(request, expectStatus), '', refusals);
      const answeredMs = machineMs();
      const next = waiting.shift();
      if (next === undefined) free.push(connection);
      else next(connection);
      return { startedMs, answeredMs, isRefused: status !== expectStatus };
    };
    const beganMs = machineMs();
    const underWay: ReturnType<typeof send>[] = [];
    for (const [at, request] of requests.entries()) {
      const startedMs = beganMs + (at * 1000) / perSecond;
      const waitMs = startedMs - machineMs();
      if (waitMs > 1) await pause(waitMs);
      underWay.push(send(request, startedMs));
    }
    const answers = await Promise.all(underWay);
    for (const connection of free) connection.close();
    return answers;
  },
};

export type LoadProcedures = typeof procedures;

serveProcedures(procedures);
