import { ApiError } from '../../platform/base/errors.ts';
import { isId } from '../../platform/base/ids.ts';
import type { Caller, Scope } from '../../platform/base/scope.ts';
import type { LockWaitMs } from '../../platform/database/query/batch.ts';
import type { EventRow, Subscription } from '../../webhooks/events/publish.ts';
import type { BankReversal, Dispute, Refund } from '../model/after-payment.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import type { AttemptState, LinkState, PaymentMail, TransactionState } from '../state/state.ts';

/** A link to read, and its viewer: a key, which sees links of its practice, mode and pinned location. Null sees all. */
export interface LinkRef {
  /** Id of the link, or of one of its payment attempts. The state then has this attempt, even if it is closed. */
  id: string;
  viewer: Pick<Caller, 'practiceId' | 'test' | 'locationId'> | null;
}

/** Names a link for a key. @throws ApiError `not_found` */
export function linkRefForKey(viewer: Caller, id: string): LinkRef {
  return { id: linkId(id), viewer };
}

/** Names any link. @throws ApiError `not_found` */
export function linkRef(id: string): LinkRef {
  return { id: linkId(id), viewer: null };
}

export function attemptRef(attemptId: string): LinkRef {
  return { id: attemptId, viewer: null };
}

/** @throws ApiError `not_found` for a text that is no id of a link; PostgreSQL would refuse some of them */
function linkId(text: string): string {
  if (!isId('paymentLink', text)) throw new ApiError('not_found');
  return text;
}

export interface LinkRead {
  state: LinkState;
  /** Version of the link, and the endpoints of its practice and mode as text of the store. A write compares both. */
  stamp: { version: number; subscriptions: string };
  endpoints: readonly Subscription[];
  /** True if the link is a test link and its practice has test-event clients. */
  hasTestEventClients: boolean;
}

/** New rows of a table, and the changed fields of others. */
export interface Rows<Row extends { id: string }> {
  inserted: readonly Row[];
  updated: readonly (Partial<Row> & { id: string; paymentLinkId: string })[];
}

/** All that a change writes: together or not at all. */
export interface LinkWrite {
  linkId: string;
  practiceId: string;
  /** The stamp that was read. `subscriptions` is null for a write without events, which need not compare them. */
  stamp: { version: number; subscriptions: string | null };
  /** Changed fields of the link. The write also raises its version. Null if no row of the state changes. */
  fields: Partial<PaymentLink> | null;
  /** Patient record of the link. `match` matches it again. An id is for the new record, which is made if none matches. */
  patient: 'match' | { id: string } | null;
  attempts: Rows<AttemptState>;
  transactions: Rows<TransactionState>;
  /** Reversals never change. */
  reversals: Rows<BankReversal> & { updated: readonly never[] };
  refunds: Rows<Refund>;
  disputes: Rows<Dispute>;
  /** Deliveries and test events, in their order. */
  events: readonly EventRow[];
  /** Mails to the administrator. A second mail of the same kind and subject is not queued. */
  mails: readonly PaymentMail[];
  audit: readonly object[];
}

/** `stale`: nothing was written, because the link, or an endpoint of its practice, has changed since it was read. */
export interface WriteOutcome {
  outcome: 'written' | 'stale';
}

export interface LinkCreate {
  practiceId: string;
  /** Practice terms on which the link was made or refused, as text of the store. Null only looks up a stored reply. */
  terms: string | null;
  /** The link with its rows of the audit log. Null if the terms refuse the link, or are null. */
  rows: { link: PaymentLink; audit: readonly object[] } | null;
  /** The request of a key, whose reply is stored with the link; null for a link without an idempotency key. */
  request: IdempotentRequest | null;
}

export interface IdempotentRequest {
  apiKeyId: string;
  idempotencyKey: string;
  bodyHash: Buffer;
  /** The reply to store; null without rows. */
  reply: string | null;
  /** Replies stored at this time or earlier no longer count. */
  rememberedSince: Date;
  /** Links that the key may create per UTC day. */
  dailyCap: number;
}

/** Outcome of a create, which `create-links.sql` explains. The terms of `stale` are the present ones; null for an unknown practice. */
export type CreateOutcome =
  | { outcome: 'written' | 'reused' | 'in_flight' | 'capped' | 'taken' }
  | { outcome: 'replayed'; reply: string }
  | { outcome: 'stale'; terms: string | null };

/** The store of links. With the scope of a transaction, it reads and writes inside that transaction. */
export interface LinkStore {
  /** Reads links without locks. Returns one entry per link; null for a link that its viewer does not see. */
  read(scope: Scope, refs: readonly LinkRef[]): Promise<readonly (LinkRead | null)[]>;
  /**
   * Writes changes of different links, each if its stamp is still the present one.
   * @throws errors of the database, such as a unique violation. If its answer is lost, the outcome is unknown, and the write must not be repeated
   */
  write(scope: Scope, writes: readonly LinkWrite[], lockWaitMs: LockWaitMs): Promise<readonly WriteOutcome[]>;
  /** Runs the work in a transaction that locks the link. If it throws, nothing is written. An unknown link locks nothing. */
  exclusively<T>(scope: Scope, ref: LinkRef, work: (scope: Scope) => Promise<T>): Promise<T>;
}

export interface CreateStore {
  /** Creates links. Several requests with one idempotency key get the outcomes that they would get one after the other. */
  create(scope: Scope, creates: readonly LinkCreate[], lockWaitMs: LockWaitMs): Promise<readonly CreateOutcome[]>;
}
