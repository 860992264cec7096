import type { PaymentEvidence } from './payments/evidence.ts';
import type { Arrival } from './receivers.ts';
import type { RefundEvidence } from './refunds/evidence.ts';

/** Runs a statement on the database under examination. */
export type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

/** A rule about the tables, compared with what someone outside of the service knows. `find` describes what breaks it. */
export interface Rule<Known = void> {
  name: string;
  find: (query: Query, known: Known) => Promise<string[]>;
}

/** Records of receivers and callers, for comparison with the tables. */
export interface Evidence {
  /** Requests that the receivers got. */
  arrivals: readonly Arrival[];
  /** Last status that the API confirmed to its callers, by id of the link. */
  confirmed: ReadonlyMap<string, string>;
  /** WEBHOOK_TIMEOUT_MS. After this time the sender has ended the attempt, also if the receiver has not noticed. */
  timeoutMs: number;
  /** Secrets by the last part of the endpoint's address. Signatures are checked with them. */
  secrets: ReadonlyMap<string, string>;
  /** Left out by runs that do not refund. */
  refunds?: RefundEvidence;
  /** Left out by runs in which nobody pays on hosted pages. */
  payments?: PaymentEvidence;
}
