import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';

/** A fault of the database cluster, from its beginning until the last node is repaired. */
export interface Scenario {
  name: string;
  title: string;
  /** Injects the fault, and resolves when it is over. Calls `begin` at the moment at which it starts. */
  inject: (cluster: Cluster, begin: () => void) => Promise<void>;
}

/** Time in which another node must be leader. Patroni needs 20 to 30 seconds. */
const ELECTION_MS = 90_000;

/** Time for which the old leader stays away after another one took over. */
const AFTER_ELECTION_MS = 5_000;

const WITHOUT_STANDBY_MS = 15_000;

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'kill',
    title: 'kill -9 of the leader',
    inject: replaceLeader('killNode', 'startNode'),
  },
  {
    name: 'freeze',
    title: 'the leader freezes',
    inject: replaceLeader('freezeNode', 'continueNode'),
  },
  {
    name: 'isolate',
    title: 'the leader is cut off',
    inject: replaceLeader('isolateNode', 'reconnectNode'),
  },
  {
    name: 'switchover',
    title: 'switchover',
    async inject(cluster, begin) {
      const leader = await leaderOf(cluster);
      begin();
      await cluster.switchOver();
      await cluster.untilLeaderIsNot(leader, ELECTION_MS);
    },
  },
  {
    name: 'standbys',
    title: `no standby for ${WITHOUT_STANDBY_MS / 1_000} s`,
    async inject(cluster, begin) {
      const standbys = await cluster.standbys();
      begin();
      await Promise.all(standbys.map((node) => cluster.killNode(node)));
      await pause(WITHOUT_STANDBY_MS);
      for (const node of standbys) cluster.startNode(node);
    },
  },
];

/** Takes the leader away, waits for its successor, and brings it back some seconds later. */
function replaceLeader(
  remove: 'killNode' | 'freezeNode' | 'isolateNode',
  restore: 'startNode' | 'continueNode' | 'reconnectNode',
): Scenario['inject'] {
  return async (cluster, begin) => {
    const leader = await leaderOf(cluster);
    begin();
    await cluster[remove](leader);
    await cluster.untilLeaderIsNot(leader, ELECTION_MS);
    await pause(AFTER_ELECTION_MS);
    cluster[restore](leader);
  };
}

async function leaderOf(cluster: Cluster): Promise<number> {
  const leader = await cluster.leader();
  if (leader === null) throw new Error('the cluster has no leader');
  return leader;
}
