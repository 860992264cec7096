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
}

/** Sends the requests and returns their times in the same order. Throws on any answer but the expected. */
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
    await exchange(socket, request, load.expectStatus);
    answers[at] = { startedMs, answeredMs: machineMs() };
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

function exchange(socket: net.Socket, request: LoadRequest, usualStatus: number): Promise<void> {
  const { head, tail, expectStatus } = prepare(request, usualStatus);
  return new Promise((resolve, reject) => {
    let received: Buffer | null = null;
    const end = (error: Error | null) => {
      socket.off('data', take).off('error', end).off('close', closed);
      if (error === null) resolve();
      else reject(error);
    };
    const closed = () => end(new Error('the connection was closed before the answer'));
    const take = (chunk: Buffer) => {
      received = received === null ? chunk : Buffer.concat([received, chunk]);
      const status = statusWhenWhole(received);
      if (status === null) return;
      end(status === expectStatus ? null : new Error(`answered ${status}: ${received.toString('utf8').slice(0, 800)}`));
    };
    socket.on('data', take).on('error', end).on('close', closed);
    socket.cork();
    socket.write(`${head}\r\n`, 'latin1');
    socket.write(tail);
    socket.uncork();
  });
}
