import { randomInt } from 'node:crypto';
import { type AddressInfo, createServer, type Server } from 'node:net';

/**
 * Ports that nobody else gives away: systems begin at 32768 or later, embedded servers at 20000. Otherwise an outgoing
 * connection or the server of another test could take the port before the caller listens on it. Clients may refuse port 10080,
 * which `fetch` calls a bad port.
 */
const PORTS = { first: 11_000, last: 19_999 };

/** Parts of the range. Each process of a parallel run takes ports of its own part only. */
const PARTS = 10;

/** The number of this process in a parallel run. */
const PART = Number(process.env.MOCHA_WORKER_ID ?? 0) % PARTS;

const PORTS_OF_PART = (PORTS.last + 1 - PORTS.first) / PARTS;

/** Ports that this process has given away. A caller may listen much later, or again after a pause. */
const given = new Set<number>();

/** Returns a port on which nothing listens at this moment, and which neither the system nor a later call gives away. */
export async function freePort(): Promise<number> {
  const port = PORTS.first + PART * PORTS_OF_PART + randomInt(PORTS_OF_PART);
  if (given.has(port)) return freePort();
  given.add(port);
  return (await isFree(port)) ? port : freePort();
}

/** Has a server listen for this machine alone, and returns its port, which the system chooses. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Returns true if a server can listen on the port at every address. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}
