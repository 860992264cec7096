import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Ports that nobody else gives away: systems begin at 32768 or later, embedded servers at 20000. Otherwise an outgoing
 * connection or the server of another test could take the port before the caller listens on it.
 */
const PORTS = { first: 10_000, last: 19_999 };

/** Returns a port on which nothing listens at this moment, and which the system gives to nothing else. */
export async function freePort(): Promise<number> {
  const port = randomInt(PORTS.first, PORTS.last + 1);
  return (await isFree(port)) ? port : freePort();
}

/** Returns true if a server can listen on the port at every address. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}
