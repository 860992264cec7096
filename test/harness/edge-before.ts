import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mapOf, type RunningEdge, startEdge } from './edge.ts';

/**
 * Starts an edge with two cells: the service under test has all slots but the first one, and the first cell answers everything
 * with 500. So a test passes only if the edge finds the cell of each of its requests.
 */
export async function edgeBefore(kind: string, port: number): Promise<RunningEdge> {
  if (kind !== 'haproxy' && kind !== 'typescript') throw new Error('TEST_EDGE is haproxy or typescript');
  const wrong = createServer((incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(incoming.url === '/readyz' ? 200 : 500).end('the first cell');
  });
  await new Promise<void>((resolve) => wrong.listen(0, '127.0.0.1', resolve));
  const { port: first } = wrong.address() as AddressInfo;
  const map = mapOf(
    { name: 'a', addresses: [`127.0.0.1:${first}`], slots: [[0, 0]] },
    { name: 'b', addresses: [`127.0.0.1:${port}`], slots: [[1, 1023]] },
  );
  const edge = await startEdge(kind, { ...map, edge: { ...map.edge, requestsPerAddress: 1_000_000 } });
  if (edge === null) throw new Error('haproxy is not on this machine; TEST_EDGE=typescript needs nothing');
  return {
    ...edge,
    async close() {
      await edge.close();
      wrong.closeAllConnections();
      wrong.close();
    },
  };
}
