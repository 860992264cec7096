import { Client, type ClientConfig } from 'pg';

/** Interval between two checks for late answers. */
const CHECK_INTERVAL_MS = 250;

/** Waiting time after which the watch asks the server if it still works on the query. */
const SUSPICION_MS = 1_000;

/** Timeout of a probe, from connecting to its answer. */
const PROBE_MS = 1_000;

/**
 * Largest number of sessions that the server may still run after their connection was closed. A COMMIT that waits for a
 * standby keeps its session. With more such sessions, the server would run out of connections.
 */
const MAX_ABANDONED = 20;

/** Time after which a session that cannot be looked up counts as ended: a pooler needs seconds to end it. */
const ABANDONED_BEHIND_POOLER_MS = 5_000;

/** A query without an answer so far. Moments are by `performance.now()`. */
interface Wait {
  client: Client;
  sinceMs: number;
  endsAtMs: number;
}

/** A connection, from its beginning. */
interface Watched {
  config: ClientConfig;
  sinceMs: number;
  isConnected: boolean;
}

/** Sessions by process id. The value is true if the server works on a statement of the session. */
type Sessions = ReadonlyMap<number, boolean>;

const watches = new Map<string, ConnectionWatch>();

/** Returns the watch over all connections of this process to the client's database. */
export function watchOf({ host, port, database, user }: Client): ConnectionWatch {
  const key = [host, port, database, user].join(' ');
  const watch = watches.get(key) ?? new ConnectionWatch();
  watches.set(key, watch);
  return watch;
}

/**
 * Closes dead connections. A connection to a lost server looks like one with a slow answer. So if an answer takes
 * longer than a second, the watch asks the server over a new connection. The server lists those of our sessions that it
 * knows and works on. The watch closes all others at once, which frees their places in the pools. After a failover the
 * pools soon have new connections.
 */
class ConnectionWatch {
  readonly #clients = new Map<Client, Watched>();
  readonly #waits = new Set<Wait>();
  /** Process ids of sessions that the server may still be busy with, and when their connections were closed. */
  readonly #abandoned = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;
  #isProbing = false;
  #nextProbeMs = 0;

  /** Watches a connection that is about to be made, until it ends. */
  add(client: Client, config: ClientConfig): void {
    const watched: Watched = { config, sinceMs: performance.now(), isConnected: false };
    this.#clients.set(client, watched);
    client.once('connect', () => {
      watched.sinceMs = performance.now();
      watched.isConnected = true;
    });
    client.once('end', () => {
      this.#clients.delete(client);
      if (this.#clients.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
    this.#timer ??= setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
  }

  /** Watches a query. The caller calls the returned function when the query is answered. */
  expect(client: Client, withinMs: number): () => void {
    const sinceMs = performance.now();
    const wait: Wait = { client, sinceMs, endsAtMs: sinceMs + withinMs };
    this.#waits.add(wait);
    return () => void this.#waits.delete(wait);
  }

  #check(): void {
    const nowMs = performance.now();
    for (const { client, endsAtMs } of this.#waits) if (endsAtMs <= nowMs) this.#abandon(client);
    if (this.#isProbing || nowMs < this.#nextProbeMs) return;
    const suspect = this.#suspect(nowMs - SUSPICION_MS);
    if (suspect !== undefined) void this.#probe(suspect);
  }

  /** Closes a connection on which the server may still be working. */
  #abandon(client: Client): void {
    const id = sessionOf(client);
    if (id === null || this.#abandoned.has(id) || this.#abandoned.size >= MAX_ABANDONED) return;
    this.#abandoned.set(id, performance.now());
    closeAtOnce(client);
  }

  /** Returns the configuration for a probe if a query or a connection has waited since before that time. */
  #suspect(beforeMs: number): ClientConfig | undefined {
    const waiting = [...this.#waits].find(({ sinceMs }) => sinceMs < beforeMs)?.client;
    const connecting = [...this.#clients].find(
      ([, { isConnected, sinceMs }]) => !isConnected && sinceMs < beforeMs,
    )?.[0];
    const any = this.#abandoned.size > 0 ? [...this.#clients.keys()].at(-1) : undefined;
    const client = waiting ?? connecting ?? any;
    return client === undefined ? undefined : this.#clients.get(client)?.config;
  }

  async #probe(config: ClientConfig): Promise<void> {
    this.#isProbing = true;
    const startedMs = performance.now();
    const ids = [...this.#clients.keys()].map(sessionOf).filter((id) => id !== null);
    const sessions = await askForSessions(config, [...ids, ...this.#abandoned.keys()]);
    if (sessions === 'renumbered') this.#forgetAbandoned();
    else if (sessions !== null) this.#evict(sessions, startedMs);
    // A server that answers is asked once a second; one that is away, at every look.
    if (sessions !== null) this.#nextProbeMs = performance.now() + SUSPICION_MS;
    this.#isProbing = false;
  }

  /** Behind a pooler no session can be looked up. The pooler itself ends the session of a client that is gone. */
  #forgetAbandoned(): void {
    const oldestMs = performance.now() - ABANDONED_BEHIND_POOLER_MS;
    for (const [id, sinceMs] of this.#abandoned) if (sinceMs < oldestMs) this.#abandoned.delete(id);
  }

  #evict(sessions: Sessions, startedMs: number): void {
    for (const id of this.#abandoned.keys()) if (sessions.get(id) !== true) this.#abandoned.delete(id);
    const isOld = ({ sinceMs }: { sinceMs: number }) => sinceMs < startedMs - SUSPICION_MS;
    const late = new Set([...this.#waits].filter(isOld).map(({ client }) => client));
    const busy = new Set([...this.#waits].map(({ client }) => client));
    const dead = [...late].filter((client) => sessions.get(sessionOf(client) ?? 0) !== true);
    for (const [client, watched] of this.#clients) {
      const existed = watched.isConnected && watched.sinceMs < startedMs;
      const isUnknown = existed && !sessions.has(sessionOf(client) ?? 0);
      // If one connection was dead, idle ones may be dead, too. Closing them loses nothing.
      const isDoubtful = existed && dead.length > 0 && !busy.has(client);
      const neverConnected = !watched.isConnected && isOld(watched);
      if (isUnknown || isDoubtful || neverConnected) closeAtOnce(client);
    }
    for (const client of dead) closeAtOnce(client);
  }
}

/** Closes a connection as pg-pool does. Its waiting queries reject, and its place in the pool becomes free. */
function closeAtOnce(client: Client): void {
  client.connection.stream.destroy();
}

/** Returns the session's process id at the server; null before the handshake. pg's types lack the field. */
function sessionOf(client: Client): number | null {
  const id: unknown = Reflect.get(client, 'processID');
  return typeof id === 'number' ? id : null;
}

/** Selects the sessions. A session that became idle a moment ago counts as working, because its answer is on the way. */
const SESSIONS = `
  select pid as id, state = 'active' or state_change > clock_timestamp() - interval '500 ms' as "isWorking"
  from pg_stat_activity where pid = any ($1) or pid = pg_backend_pid()`;

/**
 * Asks the server about these sessions, over a connection of its own. Null when it does not answer in time; `renumbered`
 * when a pooler in between has its own numbers for sessions.
 */
async function askForSessions(config: ClientConfig, ids: number[]): Promise<Sessions | 'renumbered' | null> {
  const probe = new Client(config);
  probe.on('error', () => undefined);
  const timer = setTimeout(() => closeAtOnce(probe), PROBE_MS);
  try {
    await probe.connect();
    const { rows } = await probe.query<{ id: number; isWorking: boolean }>(SESSIONS, [ids]);
    const sessions = new Map(rows.map(({ id, isWorking }) => [id, isWorking]));
    return sessions.has(sessionOf(probe) ?? 0) ? sessions : 'renumbered';
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    closeAtOnce(probe);
  }
}
