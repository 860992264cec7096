import { mapOf, type RunningEdge, startEdge } from './edge.ts';

interface FirstCell {
  baseUrl: string;
  close(): Promise<void>;
}

/** The first cell that all edges of this process share, and how many do. */
let shared: Promise<FirstCell> | null = null;
let users = 0;

/**
 * Starts an edge with two cells. The service under test has all slots but the first one. The first cell is an empty service. It
 * knows no key and no link, so a test passes only if the edge finds the cell of its requests.
 */
export async function edgeBefore(baseUrl: string, startFirst: () => Promise<FirstCell>): Promise<RunningEdge> {
  users++;
  shared ??= startFirst();
  const first = await shared;
  const map = mapOf(
    { name: 'a', addresses: [new URL(first.baseUrl).host], slots: [[0, 0]] },
    { name: 'b', addresses: [new URL(baseUrl).host], slots: [[1, 1023]] },
  );
  const edge = await startEdge({ ...map, edge: { ...map.edge, requestsPerAddress: 100_000_000 } });
  if (edge === null) throw new Error('haproxy is not on this machine');
  return {
    ...edge,
    async close() {
      await edge.close();
      if (--users > 0) return;
      shared = null;
      await first.close();
    },
  };
}
