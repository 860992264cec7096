import { request } from 'undici';
import { ADDRESSES, NODES } from './configuration.ts';

/** A member as Patroni's REST interface reports it. */
interface Member {
  name: string;
  role: string;
  state: string;
}

/** Returns what the first node that answers knows. One that is isolated or frozen does not answer. */
export async function readMembers(): Promise<Member[]> {
  for (const node of NODES) {
    try {
      const { body } = await request(`http://${ADDRESSES.outer(node)}:8008/cluster`, {
        headersTimeout: 1_000,
        bodyTimeout: 1_000,
      });
      return ((await body.json()) as { members: Member[] }).members;
    } catch {
      // The next one is asked.
    }
  }
  return [];
}
