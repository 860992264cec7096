import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { machineMs } from '../statistics.ts';
import { type LoadRequest, prepare, statusWhenWhole } from './http-load.ts';

/** Requests at a steady rate, each once, whatever becomes of the earlier ones: an open loop. */
export interface PacedLoad {
  port: number;
  requests: LoadRequest[];
  perSecond: number;
  /** Requests under way at once, at most. Others wait for a connection; that time counts. */
  connections: number;
  expectStatus: number;
}

/** Times of one request on the machine's clock, in milliseconds. It starts when it is due, not when it is sent. */
export interface PacedAnswer {
  startedMs: number;
  answeredMs: number;
  /** Answered 503: the service has more to do than it can. */
  isRefused: boolean;
}

/** Sends the requests and returns their times in the same order. Throws on any answer but the expected and 503. */
export async function putPacedLoad(load: PacedLoad): Promise<PacedAnswer[]> {
  const answers: PacedAnswer[] = [];
  const free: net.Socket[] = [];
  const waiting: ((socket: net.Socket) => void)[] = [];
  let opened = 0;
  const take = async (): Promise<net.Socket> => {
    const socket = free.pop();
    if (socket !== undefined) return socket;
    if (opened++ < load.connections) return connect(load.port);
    return new Promise((resolve) => waiting.push(resolve));
  };
  const release = (socket: net.Socket): void => {
    const next = waiting.shift();
    if (next === undefined) free.push(socket);
    else next(socket);
  };
  const send = async (request: LoadRequest, at: number, startedMs: number): Promise<void> => {
    const socket = await take();
    const status = await exchange(socket, request, load.expectStatus);
    answers[at] = { startedMs, answeredMs: machineMs(), isRefused: status === OVERLOADED };
    release(socket);
  };
  const beganMs = machineMs();
  const underWay: Promise<void>[] = [];
  for (const [at, request] of load.requests.entries()) {
    const startedMs = beganMs + (at * 1000) / load.perSecond;
    const waitMs = startedMs - machineMs();
    if (waitMs > 1) await pause(waitMs);
    underWay.push(send(request, at, startedMs));
  }
  await Promise.all(underWay);
  for (const socket of free) socket.destroy();
  return answers;
}

function connect(port: number): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => resolve(socket.off('error', reject)));
  });
}

const OVERLOADED = 503;

/** Returns the status of the answer, once its body is there. */
function exchange(socket: net.Socket, request: LoadRequest, usualStatus: number): Promise<number> {
  const { head, tail, expectStatus } = prepare(request, usualStatus);
  return new Promise((resolve, reject) => {
    let received: Buffer | null = null;
    const stop = () => socket.off('data', take).off('error', fail).off('close', closed);
    const fail = (error: Error) => {
      stop();
      reject(error);
    };
    const closed = () => fail(new Error('the connection was closed before the answer'));
    const take = (chunk: Buffer) => {
      received = received === null ? chunk : Buffer.concat([received, chunk]);
      const status = statusWhenWhole(received);
      if (status === null) return;
      if (status !== expectStatus && status !== OVERLOADED) {
        return fail(new Error(`answered ${status}: ${received.toString('utf8').slice(0, 800)}`));
      }
      stop();
      resolve(status);
    };
    socket.on('data', take).on('error', fail).on('close', closed);
    socket.cork();
    socket.write(`${head}\r\n`, 'latin1');
    socket.write(tail);
    socket.uncork();
  });
}
