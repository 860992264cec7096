import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Times } from './clients.ts';

/** A receiver of webhooks that answers at once. */
export interface Receiver {
  url: string;
  /** Times since the last call, from the event to its receipt. */
  take(): Times;
  close(): Promise<void>;
}

/** Starts a receiver on this machine. Events from the filled history have no time, and are not counted. */
export async function startReceiver(): Promise<Receiver> {
  let times = new Times();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(200, { 'content-length': '0' }).end();
      // The event has the time of its change, which is shortly before the commit.
      const { createdAt } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { createdAt?: string };
      if (createdAt !== undefined) times.add('from the event to its receipt', Date.now() - Date.parse(createdAt));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    take() {
      const taken = times;
      times = new Times();
      return taken;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
