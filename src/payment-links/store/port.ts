import { ApiError } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import type { Caller, Scope } from '../../base/scope.ts';
import type { LockWait } from '../../database/query/batch.ts';
import type { EventRow, Subscription } from '../../webhooks/events/publish.ts';
import type { PaymentMail } from '../admin-mail/queue.ts';
import type { AttemptState, LinkState, TransactionState } from '../link/state.ts';
import type { BankReversal } from '../model/bank-reversal.entity.ts';
import type { Dispute } from '../model/dispute.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import type { Refund } from '../model/refund.entity.ts';

/*
 * The store of links: the only place that reads and writes their state. `change.ts` is its only user. It knows no rule about
 * links: what is read is decided on by pure functions, and what they decide is written as rows.
 */

/** A link to read, and its viewer: a key that sees some links, or null for an operator, who sees all. */
export interface LinkRef {
  /** Id of the link, or of one of its payment attempts, which belongs to the state then. */
  id: string;
  viewer: Pick<Caller, 'practiceId' | 'test' | 'locationId'> | null;
}

/** Returns the link as the key sees it: of its practice, mode and pin. Other links do not exist for the key. */
export function visibleLink(viewer: Caller, id: string): LinkRef {
  return { id: linkId(id), viewer };
}

/** Returns any link, for operators, and for hosted pages, whose token says which. */
export function anyLink(id: string): LinkRef {
  return { id: linkId(id), viewer: null };
}

/** Returns the link of a payment attempt of ours. */
export function linkOfAttempt(attemptId: string): LinkRef {
  return { id: attemptId, viewer: null };
}

/** @throws ApiError `not_found` for a text that is no id of a link; PostgreSQL would refuse some of them */
function linkId(text: string): string {
  if (!isId('paymentLink', text)) throw new ApiError('not_found');
  return text;
}

/** State of a link, without a lock, and what the write of a change compares it with. */
export interface Read {
  state: LinkState;
  stamp: Stamp;
  /** Endpoints of the link's practice and mode. */
  endpoints: readonly Subscription[];
  /** True if the link is a test link and its practice has test-event clients. */
  hasTestEventClients: boolean;
}

/** Version of a link, and the endpoints of its practice and mode as the store wrote them. */
export interface Stamp {
  version: number;
  subscriptions: string;
}

/** Rows of one table that a change inserts, and changed fields of those that it updates. */
export interface Rows<Row extends { id: string }> {
  inserted: readonly Row[];
  updated: readonly (Partial<Row> & { id: string; paymentLinkId: string })[];
}

/** Rows that a change writes, and nothing else. All of it is written, or nothing. */
export interface Write {
  linkId: string;
  practiceId: string;
  /** The stamp that was read. Its endpoints are null for a write without events, which need not compare them. */
  stamp: { version: number; subscriptions: string | null };
  /** Changed fields of the link, whose version is raised then; null if no row changes. */
  fields: Partial<PaymentLink> | null;
  /** Patient record of the link: `match` to match it again; or the id of a record that is made if none matches. */
  patient: 'match' | { id: string } | null;
  /** A new attempt has the record of its authorisation as well. */
  attempts: Rows<AttemptState>;
  transactions: Rows<TransactionState>;
  reversals: Rows<BankReversal>;
  refunds: Rows<Refund>;
  disputes: Rows<Dispute>;
  /** Deliveries and test events, in their order. */
  events: readonly EventRow[];
  /** Mails to the administrator. A second one of a kind and subject is not queued. */
  mails: readonly PaymentMail[];
  /** Rows of the audit log. */
  audit: readonly object[];
}

/**
 * Outcome of a write:
 * - `written`
 * - `stale`: the link, or an endpoint of its practice, has changed since it was read.
 * - `locked`: left out, because a row is locked.
 * - `taken`: a new row has an id or number that another row has.
 *
 * Only `written` has written anything.
 */
export type Written = { outcome: 'written' | 'stale' | 'locked' } | { outcome: 'taken'; cause: unknown };

/** A link to create. */
export interface Create {
  practiceId: string;
  /** Terms of the practice on which the link was drafted or refused, as the store wrote them; null to look up a stored reply only. */
  terms: string | null;
  /** The link with rows of the audit log; null if it was refused, or without terms. */
  draft: { link: PaymentLink; audit: readonly object[] } | null;
  /** The request of a key, whose reply is stored with the link; null for a link without an idempotency key. */
  once: Once | null;
}

/** A request with an idempotency key. */
export interface Once {
  apiKeyId: string;
  idempotencyKey: string;
  bodyHash: Buffer;
  /** The reply to store; null without a draft. */
  reply: string | null;
  /** Replies stored at this time or earlier are forgotten. */
  rememberedSince: Date;
  /** Links that the key may create per UTC day. */
  dailyCap: number;
}

/**
 * Outcome of a create:
 * - `written`
 * - `replayed`: the key was used for the same body. `reused`: it was used for another one.
 * - `in_flight`: the first request with the key is still running.
 * - `stale`: there is no draft, or it was made on other terms than the present ones. These are null for an unknown practice.
 * - `capped`: the key has used up its links of the day.
 * - `taken`: a link has this id.
 * - `locked`: left out, because a row is locked.
 *
 * Only `written` has written anything.
 */
export type CreateOutcome =
  | { outcome: 'written' | 'reused' | 'in_flight' | 'capped' | 'taken' | 'locked' }
  | { outcome: 'replayed'; reply: string }
  | { outcome: 'stale'; terms: string | null };

/** Links as rows. A scope in a transaction reads and writes in it. */
export interface LinkStore {
  /** Reads links without locks. Returns one entry per link, in their order; null for one that its viewer does not see. */
  read(scope: Scope, refs: readonly LinkRef[]): Promise<readonly (Read | null)[]>;
  /**
   * Writes changes of different links, each if nothing has changed since its link was read.
   *
   * @returns the outcome of each; `locked` only if the wait is `never`, and `taken` only for a single write
   * @throws errors of the database. If its answer is lost, the outcome is unknown, and nobody may repeat the write
   */
  write(scope: Scope, writes: readonly Write[], wait: LockWait): Promise<readonly Written[]>;
  /**
   * Locks a link for the time of the work, which reads and writes it by the scope that it gets. All of it is written, or
   * nothing if the work throws. An unknown link is not locked.
   */
  exclusively<T>(scope: Scope, ref: LinkRef, work: (scope: Scope) => Promise<T>): Promise<T>;
}

/** Creates links as rows. It reads nothing before, so it is a port of its own. */
export interface CreateStore {
  /**
   * Creates links, in the order of their keys. Several with one key get the outcomes that they would get one after the other.
   *
   * @returns the outcome of each; `locked` only if the wait is `never`
   * @throws errors of the database, as `LinkStore.write`
   */
  create(scope: Scope, creates: readonly Create[], wait: LockWait): Promise<readonly CreateOutcome[]>;
}
