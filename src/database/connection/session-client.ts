import { Client, type ClientConfig } from 'pg';
import { sqlState } from '../../base/sql-state.ts';
import type { Settings } from './settings.ts';

/** The settings are made in one statement, so that it takes one round trip. */
const APPLY = 'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as setting (name, value)';

/** First number of the advisory locks by which processes announce how many connections they may open. */
export const ANNOUNCEMENT_LOCK = 8_042_580;

/** Shared, so that it never waits: each session of a process has the lock of the process until it ends. */
const ANNOUNCE = 'select pg_advisory_lock_shared($1, $2)';

/** First characters of the SQLSTATEs with which the server ends a session. */
const SHUTDOWN = '57P';

/** pg's type of the callback of `connect`. */
type Connected = ((error: Error) => void) | ((error: null, client: Client) => void);

/** Configuration of a connection. */
export interface SessionConfig extends ClientConfig {
  /** Settings that the session gets before its first use. */
  settings?: Settings;
  /** Second number of the advisory lock that the session keeps, to announce its process; absent: none. */
  announcement?: number;
}

/**
 * A connection that applies settings to its session. It uses a statement, because PgBouncer refuses settings on
 * connecting. Apart from that, PgBouncer in session mode works with the service.
 */
export class SessionClient extends Client {
  readonly #settings: Settings;
  readonly #announcement: number | undefined;

  constructor(config: SessionConfig = {}) {
    super(config);
    this.#settings = config.settings ?? {};
    this.#announcement = config.announcement;
    // A connection that breaks also rejects its query. The event would end the process while no pool listens yet.
    this.on('error', () => undefined);
  }

  override connect(): Promise<Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<Client> | undefined {
    const connected = this.#connectAndApply();
    if (callback === undefined) return connected;
    // pg calls it in this form. Its type has a form for each outcome, and no call fits both.
    const report = callback as (error: Error | null, client?: Client) => void;
    // In a tick of its own: what the callback throws is not an error of the connection.
    connected.then(
      (client) => process.nextTick(report, null, client),
      (error) => process.nextTick(report, error),
    );
  }

  async #connectAndApply(): Promise<Client> {
    await super.connect();
    const names = Object.keys(this.#settings);
    try {
      if (names.length > 0) await this.query(APPLY, [names, Object.values(this.#settings)]);
      if (this.#announcement !== undefined) await this.#announce(this.#announcement);
    } catch (error) {
      // A pool forgets a connection that could not be made, and leaves it open.
      void this.end();
      throw error;
    }
    return this;
  }

  /** Announces the process. It only helps operators to count, so the server may refuse it, as when its lock table is full. */
  async #announce(announcement: number): Promise<void> {
    try {
      await this.query(ANNOUNCE, [ANNOUNCEMENT_LOCK, announcement]);
    } catch (error) {
      const state = sqlState(error);
      // The session has ended.
      if (state === null || state.startsWith(SHUTDOWN)) throw error;
    }
  }
}
