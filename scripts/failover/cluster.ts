import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { request } from 'undici';
import {
  type Account,
  canStoreData,
  chooseAccount,
  runsAsRoot,
  spawnAs,
  unreachable,
} from '../../src/embedded/account.ts';
import { atProcessEnd } from '../../src/embedded/process-end.ts';
import { until } from '../until.ts';
import {
  ADDRESSES,
  databaseProxyConfiguration,
  NODES,
  networkConfiguration,
  PASSWORD,
  patroniConfiguration,
} from './configuration.ts';
import { readMembers } from './members.ts';
import { type Program, pidsOf, serverProcesses, signal, startProgram } from './program.ts';
import type { Programs } from './programs.ts';

/** Time for the first start on a busy machine: an initdb, two base backups. */
const START_MS = 120_000;

const ASK_MS = 200;

/** Otherwise Patroni asks etcd for its address, and gets round the node's network. */
const NODE_ENVIRONMENT = { PATRONI_ETCD3_USE_PROXIES: 'true' };

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
    signal(
      [...this.#patronis.values(), ...this.#networks.values()].map(({ pid }) => pid),
      'SIGKILL',
    );
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
    signal(this.#processes(node), 'SIGKILL');
    await this.#patronis.get(node)?.ended;
  }

  /** Stops all processes of a node by SIGSTOP, as when a virtual machine is paused. */
  freezeNode(node: number): void {
    signal(this.#processes(node), 'SIGSTOP');
    // Processes that the postmaster started before it was stopped.
    signal(this.#processes(node), 'SIGSTOP');
  }

  continueNode(node: number): void {
    signal(this.#processes(node).toReversed(), 'SIGCONT');
  }

  /** Stops all traffic between a node and the others. Its programs go on. */
  isolateNode(node: number): void {
    signal(pidsOf(this.#networks.get(node)), 'SIGSTOP');
  }

  reconnectNode(node: number): void {
    signal(pidsOf(this.#networks.get(node)), 'SIGCONT');
  }

  /** Asks Patroni to make the synchronous standby the leader. */
  async switchOver(): Promise<void> {
    const program = join(dirname(this.#programs.patroni), 'patronictl');
    await promisify(execFile)(program, ['-c', this.#configurationFile(1), 'switchover', '--force', 'paylinks'], {
      ...spawnAs(this.#account),
      cwd: this.#folder,
      env: { PATH: process.env.PATH, HOME: this.#folder, LC_ALL: 'C.UTF-8', ...NODE_ENVIRONMENT },
    });
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
    return [...pidsOf(this.#patronis.get(node)), ...serverProcesses(this.#dataFolder(node))];
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

  #start(name: string, command: [string, ...string[]], env: Record<string, string> = {}): Program {
    const logFile = join(this.#folder, `${name}.log`);
    return startProgram(command, { account: this.#account, folder: this.#makeFolder(name), logFile, env });
  }

  #makeFolder(name: string): string {
    const folder = join(this.#folder, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (this.#account !== null) chownSync(folder, this.#account.uid, this.#account.gid);
    return folder;
  }

  /** Kills servers of this folder, also those of an earlier run. They outlive their Patroni. */
  #killServers(): void {
    for (const node of NODES) signal(serverProcesses(this.#dataFolder(node)), 'SIGKILL');
  }
}
