import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  type Account,
  canStoreData,
  chooseAccount,
  runsAsRoot,
  spawnAs,
  unreachable,
} from 'development-postgres/account';
import { atProcessEnd } from 'development-postgres/process-end';
import { request } from 'undici';
import type { Programs } from '../../test/harness/programs.ts';
import { startGroup } from '../../test/harness/service-process.ts';
import { until } from '../../test/harness/until.ts';
import {
  ADDRESSES,
  databaseProxyConfiguration,
  NODES,
  networkConfiguration,
  PASSWORD,
  patroniConfiguration,
} from './configuration.ts';
import { serverProcesses, signalAll } from './server-processes.ts';

/** Time for the first start on a busy machine: an initdb, two base backups. */
const START_MS = 120_000;

const ASK_MS = 200;

/** Otherwise Patroni asks etcd for its address, and gets round the node's network. */
const NODE_ENVIRONMENT = { PATRONI_ETCD3_USE_PROXIES: 'true' };

type Program = ReturnType<typeof startGroup>;

/** Three nodes under Patroni with etcd and HAProxy. Nodes are called by their numbers, 1 to 3. */
export class Cluster {
  readonly #folder: string;
  readonly #programs: Programs;
  readonly #account: Account | null;
  readonly #patronis = new Map<number, Program>();
  readonly #networks = new Map<number, Program>();

  /** Prepares a folder without data. PostgreSQL refuses root, so root starts everything under an ordinary account. */
  constructor(folder: string, programs: Programs) {
    this.#folder = folder;
    this.#programs = programs;
    this.#killServers();
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o711);
    this.#account = runsAsRoot() ? chooseAccount() : null;
    if (this.#account !== null && !canStoreData(folder, this.#account)) throw unreachable(this.#account, folder);
  }

  /** Starts everything, and resolves when the leader has two standbys. */
  async start(): Promise<void> {
    atProcessEnd(() => this.#killServers());
    const etcd = this.#makeFolder('etcd');
    const url = `http://${ADDRESSES.etcd}`;
    this.#start('etcd', [
      this.#programs.etcd,
      ...['--name', 'etcd', '--data-dir', join(etcd, 'data')],
      ...['--listen-client-urls', `${url}:2379`, '--advertise-client-urls', `${url}:2379`],
      ...['--listen-peer-urls', `${url}:2380`, '--initial-advertise-peer-urls', `${url}:2380`],
      ...['--initial-cluster', `etcd=${url}:2380`],
    ]);
    // Patroni 3.0.2 ends at its start if etcd has not decided on its version yet.
    const hasDecided = async () => {
      const answer = await request(`${url}:2379/version`).catch(() => null);
      return answer !== null && !(await answer.body.text()).includes('not_decided');
    };
    await until(hasDecided, { withinMs: START_MS, failure: 'etcd does not start' });
    for (const node of NODES) {
      this.#networks.set(node, this.#startProxy(`network-${node}`, networkConfiguration(node)));
      this.startNode(node);
    }
    this.#startProxy('haproxy', databaseProxyConfiguration());
    await this.untilHealthy(START_MS);
  }

  async standbys(): Promise<number[]> {
    const leader = await this.leader();
    return NODES.filter((node) => node !== leader);
  }

  stop(): void {
    for (const { signal } of [...this.#patronis.values(), ...this.#networks.values()]) signal('SIGKILL');
    this.#killServers();
  }

  /** Returns the address of a database behind HAProxy. */
  url(database: string): string {
    return `postgres://postgres:${PASSWORD}@${ADDRESSES.database}:5000/${database}`;
  }

  /** Starts Patroni on a node, which starts PostgreSQL. */
  startNode(node: number): void {
    this.#makeFolder(`node-${node}`);
    const file = this.#configurationFile(node);
    writeFileSync(file, patroniConfiguration(node, this.#dataFolder(node), this.#programs.postgresFolder));
    this.#patronis.set(node, this.#start(`node-${node}`, [this.#programs.patroni, file], NODE_ENVIRONMENT));
  }

  /** Kills Patroni and PostgreSQL of a node by SIGKILL, as a power failure does. */
  async killNode(node: number): Promise<void> {
    signalAll(this.#processes(node), 'SIGKILL');
    await this.#patronis.get(node)?.ended;
  }

  /** Stops all processes of a node by SIGSTOP, as when a virtual machine is paused. */
  freezeNode(node: number): void {
    signalAll(this.#processes(node), 'SIGSTOP');
    // Processes that the postmaster started before it was stopped.
    signalAll(this.#processes(node), 'SIGSTOP');
  }

  continueNode(node: number): void {
    signalAll(this.#processes(node).toReversed(), 'SIGCONT');
  }

  /** Stops all traffic between a node and the others. Its programs go on. */
  isolateNode(node: number): void {
    this.#networks.get(node)?.signal('SIGSTOP');
  }

  reconnectNode(node: number): void {
    this.#networks.get(node)?.signal('SIGCONT');
  }

  /** Asks Patroni to make the synchronous standby the leader. */
  async switchOver(): Promise<void> {
    const program = join(dirname(this.#programs.patroni), 'patronictl');
    const args = ['-c', this.#configurationFile(1), 'switchover', '--force', 'paylinks'];
    await promisify(execFile)(program, args, this.#spawnOptions(this.#folder, NODE_ENVIRONMENT));
  }

  /** Returns the node that is leader according to the others; null if there is none. */
  async leader(): Promise<number | null> {
    const leader = (await readMembers()).find(({ role, state }) => role === 'leader' && state === 'running');
    return leader === undefined ? null : Number(leader.name.replace('node-', ''));
  }

  async untilLeaderIsNot(node: number, withinMs: number): Promise<number> {
    const other = async () => {
      const leader = await this.leader();
      return leader !== node && leader;
    };
    return until(other, { withinMs, everyMs: ASK_MS, failure: `no node became leader in place of node-${node}` });
  }

  /** Resolves when there is a leader with two standbys, one of them synchronous. */
  async untilHealthy(withinMs: number): Promise<void> {
    const isHealthy = async () => {
      const members = await readMembers();
      const running = members.filter(({ state }) => state === 'running' || state === 'streaming');
      const roles = running.map(({ role }) => role).toSorted();
      return roles.join() === 'leader,replica,sync_standby';
    };
    const failure = `the cluster is not healthy; see the logs in ${this.#folder}`;
    await until(isHealthy, { withinMs, everyMs: ASK_MS, failure });
  }

  #processes(node: number): number[] {
    const patroni = this.#patronis.get(node);
    return [...(patroni === undefined ? [] : [patroni.pid]), ...serverProcesses(this.#dataFolder(node))];
  }

  #configurationFile(node: number): string {
    return join(this.#folder, `node-${node}`, 'patroni.yml');
  }

  #dataFolder(node: number): string {
    return join(this.#folder, `node-${node}`, 'data');
  }

  #startProxy(name: string, configuration: string): Program {
    const file = join(this.#makeFolder(name), 'haproxy.cfg');
    writeFileSync(file, configuration);
    return this.#start(name, [this.#programs.haproxy, '-db', '-f', file]);
  }

  /** Starts a program under the account, in a folder of its name. */
  #start(name: string, [file, ...args]: [string, ...string[]], env: NodeJS.ProcessEnv = {}): Program {
    const logFile = join(this.#folder, `${name}.log`);
    return startGroup(file, args, { ...this.#spawnOptions(this.#makeFolder(name), env), logFile });
  }

  #spawnOptions(folder: string, env: NodeJS.ProcessEnv) {
    const { PATH = '/usr/bin:/bin' } = process.env;
    return { ...spawnAs(this.#account), cwd: folder, env: { PATH, HOME: folder, LC_ALL: 'C.UTF-8', ...env } };
  }

  #makeFolder(name: string): string {
    const folder = join(this.#folder, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (this.#account !== null) chownSync(folder, this.#account.uid, this.#account.gid);
    return folder;
  }

  /** Kills servers of this folder, also those of an earlier run. They outlive their Patroni. */
  #killServers(): void {
    for (const node of NODES) signalAll(serverProcesses(this.#dataFolder(node)), 'SIGKILL');
  }
}

/** A member as Patroni's REST interface reports it. */
interface Member {
  name: string;
  role: string;
  state: string;
}

/** Returns the members that the first node that answers knows. An isolated or frozen node does not answer. */
async function readMembers(): Promise<Member[]> {
  for (const node of NODES) {
    const limits = { headersTimeout: 1_000, bodyTimeout: 1_000 };
    const asked = request(`http://${ADDRESSES.outer(node)}:8008/cluster`, limits).then(({ body }) => body.json());
    const answer = await asked.catch(() => null);
    if (answer !== null) return (answer as { members: Member[] }).members;
  }
  return [];
}
