import type { EntityManager } from '@mikro-orm/postgresql';
import type { BankReversal, Dispute, Refund } from '../../../src/payment-links/model/after-payment.entity.ts';
import type { PaymentLink } from '../../../src/payment-links/model/payment-link.entity.ts';
import type { AttemptState, LinkState, TransactionState } from '../../../src/payment-links/state/state.ts';
import type { LinkRead, LinkRef, LinkStore, LinkWrite, WriteOutcome } from '../../../src/payment-links/store/port.ts';
import type { Scope } from '../../../src/platform/base/scope.ts';
import { UNIQUE_VIOLATION } from '../../../src/platform/database/query/errors.ts';
import type { Subscription } from '../../../src/webhooks/events/publish.ts';
import { type AnyRow, type Constraints, constraintsOf, TABLES, type Table } from './constraints.ts';

/*
 * The store of links in memory: rows by table, the constraints of the catalogue, versions and locks. It knows no rule about links.
 * Rows are frozen, so a decision that changes what it was given fails.
 */

/** Tables by the parts of a write, in the order in which a write changes them. */
const PARTS = {
  attempts: 'payment_attempts',
  transactions: 'transactions',
  reversals: 'bank_reversals',
  refunds: 'refunds',
  disputes: 'disputes',
} as const satisfies Partial<Record<keyof LinkWrite, Table>>;

type Part = keyof typeof PARTS;

const PART_NAMES = Object.keys(PARTS) as Part[];

const CONSTRAINTS = new Map<Table, Constraints>(TABLES.map((table) => [table, constraintsOf(table)]));

/** A link with its rows of other tables, each in the order of time and id. A write replaces it as a whole. */
interface Stored {
  link: PaymentLink;
  location: LinkState['location'];
  attempts: readonly AttemptState[];
  transactions: readonly TransactionState[];
  reversals: readonly BankReversal[];
  refunds: readonly Refund[];
  disputes: readonly Dispute[];
  /** The state for a question that names the link, once it was read. */
  state?: LinkState;
}

/** A unique constraint refuses a row, with the code of the database. Other violations are faults of a decision. */
class KeyTaken extends Error {
  readonly code = UNIQUE_VIOLATION;

  constructor(constraint: string) {
    super(`another row has the key of ${constraint}`);
  }
}

/** Transaction under the lock of a link. Others see its writes once it has committed. */
interface Transaction {
  /** Entity manager of the process. */
  holder: object;
  linkId: string;
  next: Stored | null;
  undo: (() => void)[];
  commit: (() => void)[];
}

export interface MemoryOptions {
  /** Waits until a lock may be free. */
  wait: (scope: Scope) => Promise<unknown>;
  /** Called when a write is visible. */
  onWritten?: (before: LinkState, after: LinkState, write: LinkWrite) => void;
}

export class MemoryStore implements LinkStore {
  readonly #options: MemoryOptions;
  readonly #links = new Map<string, Stored>();
  /** Transactions that have the locks of links. */
  readonly #locks = new Map<string, Transaction>();
  readonly #attemptRef = new Map<string, string>();
  readonly #keys = new Map<string, Map<string, string>>();
  readonly #patients: { id: string; practiceId: string; externalId: string | null; phone: string | null }[] = [];
  /** Transactions by the entity managers of their scopes. */
  readonly #transactions = new WeakMap<object, Transaction>();
  /** Endpoints of live links, by practice. */
  readonly #endpoints = new Map<string, readonly Subscription[]>();

  constructor(options: MemoryOptions) {
    this.#options = options;
    for (const { unique } of CONSTRAINTS.values()) for (const { name } of unique) this.#keys.set(name, new Map());
  }

  /** Inserts a new link. */
  create(link: PaymentLink, location: LinkState['location']): void {
    const rows = { attempts: [], transactions: [], reversals: [], refunds: [], disputes: [] };
    this.#replaceKeys('payment_links', null, row(link), []);
    this.#links.set(link.id, { link: Object.freeze({ ...link }), location, ...rows });
  }

  /** Sets the endpoints of a practice that get events of live links. */
  setEndpoints(practiceId: string, endpoints: readonly Subscription[]): void {
    this.#endpoints.set(practiceId, endpoints);
  }

  /** Returns a link with all its rows. */
  rows(id: string): LinkState {
    return allOf(this.#present(id));
  }

  /** Sets a work mark, which raises no version. */
  mark(linkId: string, part: 'attempts' | 'transactions', id: string, fields: { reconcileAt: Date }): void {
    const stored = this.#present(linkId);
    const rows: readonly ChildRow[] = stored[part];
    const marked = rows.map((each) => (each.id === id ? Object.freeze({ ...each, ...fields }) : each));
    this.#links.set(linkId, { ...stored, [part]: marked, state: undefined });
  }

  /** Ends the transaction of a process that has stopped. Nothing of it is written. */
  abandon(holder: object): void {
    for (const [linkId, transaction] of this.#locks) {
      if (transaction.holder !== holder) continue;
      for (const undo of transaction.undo.toReversed()) undo();
      this.#locks.delete(linkId);
    }
  }

  async read(scope: Scope, refs: readonly LinkRef[]): Promise<(LinkRead | null)[]> {
    const transaction = this.#transactions.get(scope.em);
    return refs.map(({ id, viewer }) => {
      const linkId = this.#attemptRef.get(id) ?? id;
      const stored = (transaction?.linkId === linkId && transaction.next) || this.#links.get(linkId);
      if (stored === undefined || !isSeen(viewer, stored.link)) return null;
      const endpoints = this.#endpointsOf(stored.link);
      const stamp = { version: stored.link.version, subscriptions: JSON.stringify(endpoints) };
      return { state: this.#stateOf(stored, id), stamp, endpoints, hasTestEventClients: false };
    });
  }

  async write(scope: Scope, writes: readonly LinkWrite[]): Promise<WriteOutcome[]> {
    const ids = new Set(writes.map(({ linkId }) => linkId));
    if (ids.size < writes.length) throw new Error('a link comes twice in one write');
    const transaction = this.#transactions.get(scope.em);
    const isLocked = ({ linkId }: LinkWrite) => transaction?.linkId !== linkId && this.#locks.has(linkId);
    while (writes.some(isLocked)) await this.#options.wait(scope);
    const undo: (() => void)[] = [];
    const commit: (() => void)[] = [];
    try {
      const outcomes = writes.map((write) => this.#write(transaction, write, undo, commit));
      if (transaction === undefined) for (const step of commit) step();
      else {
        transaction.undo.push(...undo);
        transaction.commit.push(...commit);
      }
      return outcomes;
    } catch (error) {
      for (const step of undo.toReversed()) step();
      throw error;
    }
  }

  async exclusively<T>(scope: Scope, ref: LinkRef, work: (scope: Scope) => Promise<T>): Promise<T> {
    const { em: holder } = scope;
    const linkId = this.#attemptRef.get(ref.id) ?? ref.id;
    if (!this.#links.has(linkId)) return work(scope);
    while (this.#locks.has(linkId)) await this.#options.wait(scope);
    const em = { fork: () => holder, isInTransaction: () => true } as unknown as EntityManager;
    const transaction: Transaction = { holder, linkId, next: null, undo: [], commit: [] };
    this.#locks.set(linkId, transaction);
    this.#transactions.set(em, transaction);
    try {
      const result = await work({ ...scope, em });
      for (const commit of transaction.commit) commit();
      return result;
    } catch (error) {
      for (const undo of transaction.undo.toReversed()) undo();
      throw error;
    } finally {
      this.#locks.delete(linkId);
    }
  }

  #write(
    transaction: Transaction | undefined,
    write: LinkWrite,
    undo: (() => void)[],
    commit: (() => void)[],
  ): WriteOutcome {
    const { linkId, stamp } = write;
    const before = transaction?.next ?? this.#present(linkId);
    const subscriptions = JSON.stringify(this.#endpointsOf(before.link));
    const isStale = before.link.version !== stamp.version;
    if (isStale || (stamp.subscriptions !== null && subscriptions !== stamp.subscriptions)) return { outcome: 'stale' };
    const after = this.#applied(before, write, undo);
    commit.push(() => {
      this.#links.set(linkId, after);
      this.#options.onWritten?.(allOf(before), allOf(after), write);
    });
    if (transaction !== undefined) transaction.next = after;
    return { outcome: 'written' };
  }

  /** Returns the link with the rows of the write. @throws KeyTaken; Error for other constraints */
  #applied(before: Stored, write: LinkWrite, undo: (() => void)[]): Stored {
    const { location } = before;
    const patientId = this.#patientOf(before.link, write, undo);
    const version = before.link.version + Number(write.fields !== null);
    const link = Object.freeze({ ...before.link, ...write.fields, ...patientId, version });
    const after: Record<Part, readonly ChildRow[]> & { link: PaymentLink } = { ...before, link };
    const changed: [Table, AnyRow][] = [['payment_links', row(link)]];
    this.#replaceKeys('payment_links', row(before.link), row(link), undo);
    for (const part of PART_NAMES) {
      const { inserted, updated } = write[part];
      if (inserted.length + updated.length === 0) continue;
      const rows: ChildRow[] = [...after[part]];
      for (const each of inserted) {
        const made = Object.freeze({ ...each });
        this.#replaceKeys(PARTS[part], null, row(made), undo);
        rows.push(made);
        changed.push([PARTS[part], row(made)]);
        if (part === 'attempts') this.#attemptRef.set(made.id, link.id);
      }
      for (const fields of updated) {
        const place = rows.findIndex(({ id }) => id === fields.id);
        const old = rows[place];
        if (old === undefined) throw new Error(`${PARTS[part]} has no row ${fields.id}`);
        const made = Object.freeze({ ...old, ...fields });
        this.#replaceKeys(PARTS[part], row(old), row(made), undo);
        rows[place] = made;
        changed.push([PARTS[part], row(made)]);
      }
      after[part] = rows.sort(byTime);
    }
    for (const [table, each] of changed) this.#check(table, each);
    // Parts of a write have the rows of their tables.
    return { ...(after as unknown as Stored), location, state: undefined } as Stored;
  }

  /** Returns the patient record that the write asks for: the one that matches, by external id, else by telephone; or a new one. */
  #patientOf(before: PaymentLink, { patient, fields }: LinkWrite, undo: (() => void)[]): Partial<PaymentLink> {
    const { test, practiceId, patientExternalId: externalId, patientPhone: phone } = { ...before, ...fields };
    if (patient === null || test) return {};
    const own = this.#patients.filter((record) => record.practiceId === practiceId);
    const found =
      own.find((record) => externalId !== null && record.externalId === externalId) ??
      own.find((record) => phone !== null && record.phone === phone);
    if (found !== undefined || patient === 'match') return { patientId: found?.id ?? null };
    this.#patients.push({ id: patient.id, practiceId, externalId, phone });
    this.#patients.sort((a, b) => (a.id < b.id ? -1 : 1));
    undo.push(() =>
      this.#patients.splice(
        this.#patients.findIndex(({ id }) => id === patient.id),
        1,
      ),
    );
    return { patientId: patient.id };
  }

  /** Gives the keys of a row to its successor. @throws KeyTaken */
  #replaceKeys(table: Table, old: AnyRow | null, made: AnyRow, undo: (() => void)[]): void {
    for (const { name, keyOf } of CONSTRAINTS.get(table)?.unique ?? []) {
      const keys = this.#keys.get(name) ?? new Map<string, string>();
      const [former, key] = [old === null ? null : keyOf(old), keyOf(made)];
      if (former === key) continue;
      if (key !== null && keys.has(key)) throw new KeyTaken(name);
      if (former !== null) keys.delete(former);
      if (key !== null) keys.set(key, String(made.id));
      undo.push(() => {
        if (key !== null) keys.delete(key);
        if (former !== null) keys.set(former, String(made.id));
      });
    }
  }

  /** Checks the conditions and references of a row. */
  #check(table: Table, each: AnyRow): void {
    const { checks, foreignKeys } = CONSTRAINTS.get(table) ?? { checks: [], foreignKeys: [] };
    for (const { name, isMet } of checks) if (!isMet(each)) throw new Error(`a row of ${table} violates ${name}`);
    for (const { name, keyOf, unique } of foreignKeys) {
      const key = keyOf(each);
      if (key !== null && !this.#keys.get(unique)?.has(key)) throw new Error(`a row of ${table} violates ${name}`);
    }
  }

  #present(id: string): Stored {
    const stored = this.#links.get(id);
    if (stored === undefined) throw new Error(`there is no link ${id}`);
    return stored;
  }

  #endpointsOf({ practiceId, test }: PaymentLink): readonly Subscription[] {
    return (test ? undefined : this.#endpoints.get(practiceId)) ?? [];
  }

  #stateOf(stored: Stored, named: string): LinkState {
    if (named === stored.link.id && stored.state !== undefined) return stored.state;
    const { link, location, attempts, transactions, refunds, disputes, reversals } = stored;
    const isPaid = link.status === 'paid';
    const state: LinkState = {
      ...{ link, location },
      attempts: attempts.filter(
        ({ id, status, closedAt, reconcileAt }) =>
          closedAt === null || reconcileAt !== null || status === 'accepted' || id === named,
      ),
      transaction: (isPaid && transactions.at(-1)) || null,
      ...(isPaid ? { refunds, disputes, reversals } : { refunds: [], disputes: [], reversals: [] }),
    };
    if (named === link.id) stored.state = state;
    return state;
  }
}

function allOf({ transactions, ...rows }: Stored): LinkState {
  return { ...rows, transaction: transactions.at(-1) ?? null };
}

interface ChildRow {
  id: string;
  createdAt: Date;
}

function byTime(a: ChildRow, b: ChildRow): number {
  const ms = a.createdAt.getTime() - b.createdAt.getTime();
  return ms !== 0 ? ms : a.id < b.id ? -1 : 1;
}

function isSeen(viewer: LinkRef['viewer'], { practiceId, test, locationId }: PaymentLink): boolean {
  if (viewer === null) return true;
  const isPinned = viewer.locationId !== null && viewer.locationId !== locationId;
  return viewer.practiceId === practiceId && viewer.test === test && !isPinned;
}

/** Entities are classes without an index signature. */
function row(entity: object): AnyRow {
  return entity as AnyRow;
}
