import type { Arrival } from './receivers.ts';

/** Runs a statement on the database under examination. */
export type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

/** What receivers and callers know, for comparison with the tables. */
export interface Evidence {
  /** What the receivers saw. */
  arrivals: readonly Arrival[];
  /** What the API confirmed to its callers: links by id, and the status that was confirmed last. */
  confirmed: ReadonlyMap<string, string>;
  /** WEBHOOK_TIMEOUT_MS: after this long a sender has given up, whether or not anybody noticed. */
  timeoutMs: number;
}
