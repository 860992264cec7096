import { auditRows } from '../../audit/audit.ts';
import { report } from '../../base/diagnostics.ts';
import { ApiError } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import type { LockWait } from '../../database/query/batch.ts';
import { afterCommit } from '../../database/query/transaction.ts';
import { reportEvent, reportQueued } from '../../webhooks/events/publish.ts';
import { followedBy, unchanged } from '../link/decide.ts';
import type { Decision, LinkState, Report } from '../link/state.ts';
import type { LinkRef, LinkStore, Read, Written } from './port.ts';
import { postgres } from './postgres.ts';
import { writeOf } from './writes.ts';

/* One try of changes: read, decide, write. Changes of several links share one read and one write. */

/** States of a link before and after a change. */
export interface Changed {
  before: LinkState;
  after: LinkState;
  /** The link as the change left it, so that the next change need not read it. Null if only a read can find it out. */
  next: Read | null;
}

/** Further needs of a change. */
export interface ChangeOptions {
  /** The link as an earlier change left it. The first try decides on it without a read. */
  known?: Read | null;
  /** Called before the change is written, in the transaction that locks the link; throws to refuse. */
  admit?: ((scope: Scope, changed: Omit<Changed, 'next'>) => Promise<void>) | undefined;
}

/** Decides on a state, without side effects. It is called again if the write is stale. An error refuses the change. */
export type Decide = (state: LinkState) => Decision;

/** The attempt is not in our database: it belongs to another environment, or a backup was restored. */
export class AttemptNotFound extends Error {
  constructor() {
    super('the attempt is not in the database');
    this.name = 'AttemptNotFound';
  }
}

/** A new row has an id that another row has. */
export class IdTaken extends Error {
  constructor(cause: unknown) {
    super('a new row has an id that another row has', { cause });
    this.name = 'IdTaken';
  }
}

/** One change of several that share a read and a write. */
export interface LinkChange {
  scope: Scope;
  ref: LinkRef;
  decide: Decide;
  options?: ChangeOptions;
}

/** Result of one try. Only `changed` may have written something. */
export type TryResult =
  | ({ outcome: 'changed' } & Changed)
  | { outcome: 'refused'; error: unknown }
  | { outcome: 'stale' | 'locked' };

/**
 * Adds the link as it is after the write. It stays null after several changes of one draft, and after a change that matches the
 * patient record, because only the database knows the result.
 */
function withNext(tried: TryResult, draft: Draft | null): TryResult {
  if (tried.outcome !== 'changed' || draft === null || draft.changes > 1 || draft.decision.patient !== undefined)
    return tried;
  const { stamp: before } = draft.read;
  const stamp = { ...before, version: draft.raisesVersion ? before.version + 1 : before.version };
  const state = { ...tried.after, link: { ...tried.after.link, version: stamp.version } };
  return { ...tried, next: { ...draft.read, state, stamp } };
}

/** A link of a batch, with all decisions of the batch about it so far, joined into one. */
interface Draft {
  scope: Scope;
  /** Number of changes. */
  changes: number;
  /** True if no change has read the link: all start from `known`. Only a write then finds out that it is stale. */
  isKnown: boolean;
  raisesVersion: boolean;
  read: Read;
  decision: Decision;
  /** Rows of the audit log. Each change has its own actor. */
  audit: object[];
}

/**
 * Tries changes once, by one read and one write. A link that has changed in between is `stale`. Several changes of one link are
 * decided one after the other.
 */
export async function changeAll(
  changes: readonly LinkChange[],
  wait: LockWait,
  store: LinkStore = postgres,
): Promise<TryResult[]> {
  const [first] = changes;
  if (first === undefined) return [];
  const unknown = changes.filter(({ options }) => !options?.known);
  const read =
    unknown.length === 0
      ? []
      : await store.read(
          first.scope,
          unknown.map(({ ref }) => ref),
        );
  const reads = changes.map((change) => change.options?.known ?? read[unknown.indexOf(change)] ?? null);
  const drafts = new Map<string, Draft>();
  const decided: { draft: Draft | null; tried: TryResult }[] = [];
  for (const [index, change] of changes.entries()) {
    const read = reads[index] ?? null;
    if (read === null) {
      decided.push({ draft: null, tried: { outcome: 'refused', error: missing(change.ref) } });
      continue;
    }
    const draft = draftOf(drafts, change, read);
    const tried: TryResult = draft === null ? { outcome: 'stale' } : await decideOn(draft, change);
    decided.push({ draft, tried });
  }
  const outcomes = await writeAll(store, [...drafts.values()], wait);
  return decided.map(({ draft, tried }) => {
    const written = draft === null ? undefined : outcomes.get(draft);
    if (written === undefined || written.outcome === 'written') return withNext(tried, draft);
    // A refusal is replaced, too: it may follow from an earlier decision of the batch, which was not written.
    return written.outcome === 'taken'
      ? { outcome: 'refused', error: new IdTaken(written.cause) }
      : { outcome: written.outcome };
  });
}

/**
 * Returns the draft of the link. Its state gets the attempt by which this change found the link. Null if the draft started from
 * another version of the link.
 */
function draftOf(drafts: Map<string, Draft>, { scope, options }: LinkChange, read: Read): Draft | null {
  const { id } = read.state.link;
  const draft = drafts.get(id) ?? {
    ...{ scope, read, decision: unchanged(read.state), audit: [] },
    ...{ changes: 0, isKnown: true, raisesVersion: false },
  };
  if (read.stamp.version !== draft.read.stamp.version) return null;
  drafts.set(id, draft);
  draft.changes++;
  draft.isKnown &&= Boolean(options?.known);
  const known = new Set(draft.read.state.attempts.map((attempt) => attempt.id));
  const found = read.state.attempts.filter((attempt) => !known.has(attempt.id));
  if (found.length === 0) return draft;
  const withFound = (state: LinkState) => ({ ...state, attempts: [...state.attempts, ...found] });
  draft.read = { ...draft.read, state: withFound(draft.read.state) };
  draft.decision = { ...draft.decision, state: withFound(draft.decision.state) };
  return draft;
}

/**
 * Decides on the draft, and adds the decision to it. An error refuses this change only. The next decision sees a higher version, as
 * after a separate write.
 */
async function decideOn(draft: Draft, { scope, decide, options }: LinkChange): Promise<TryResult> {
  try {
    const { state: before } = draft.decision;
    const own = decide(before);
    await options?.admit?.(scope, { before, after: own.state });
    draft.decision = followedBy(draft.decision, () => ({ ...own, state: withNextVersion(before, own.state) }));
    draft.audit.push(...auditRows(scope, own.acts));
    return { outcome: 'changed', before, after: own.state, next: null };
  } catch (error) {
    return { outcome: 'refused', error };
  }
}

function withNextVersion(before: LinkState, after: LinkState): LinkState {
  return after === before ? after : { ...after, link: { ...after.link, version: before.link.version + 1 } };
}

/**
 * Writes the decisions, and sends their reports after the commit. Returns the outcomes. A draft that changes nothing is not written
 * and has no outcome. If its link was not read either, it is `stale`.
 */
async function writeAll(store: LinkStore, drafts: readonly Draft[], wait: LockWait): Promise<Map<Draft, Written>> {
  const results = new Map<Draft, Written>();
  const unwritten: Draft[] = [];
  const changed = drafts.flatMap((draft) => {
    const publishing = writeOf(draft.scope, draft.read, draft.decision, draft.audit);
    if (publishing === null && draft.isKnown) results.set(draft, { outcome: 'stale' });
    else if (publishing === null) unwritten.push(draft);
    if (publishing === null) return [];
    draft.raisesVersion = publishing.write.fields !== null;
    return [{ draft, ...publishing }];
  });
  const [first] = changed;
  const outcomes =
    first === undefined
      ? []
      : await store.write(
          first.draft.scope,
          changed.map(({ write }) => write),
          wait,
        );
  // After the write, because a batch that failed for a lock is decided again.
  for (const { scope, decision } of unwritten) afterCommit(scope, () => sendReports(scope, decision.reports));
  for (const [index, { draft, write, published }] of changed.entries()) {
    const written = outcomes[index];
    if (written === undefined) throw new Error('the store returns an outcome for each write');
    results.set(draft, written);
    if (written.outcome !== 'written') continue;
    afterCommit(draft.scope, () => {
      for (const { event, deliveries } of published) reportEvent(event, deliveries);
      sendReports(draft.scope, draft.decision.reports);
      reportQueued(() => write.events);
    });
  }
  return results;
}

function missing({ id }: LinkRef): Error {
  return isId('paymentAttempt', id) ? new AttemptNotFound() : new ApiError('not_found');
}

/** Sends the reports of a decision. Call it after the commit. */
function sendReports({ log }: Scope, reports: readonly Report[]): void {
  for (const each of reports) {
    switch (each.kind) {
      case 'log':
        log[each.level](each.fields, each.message);
        break;
      case 'attempt_closed':
        report('payment_attempt_closed', () => ({ outcome: each.outcome }));
        break;
      case 'payment_status':
        report('payment_status', () => ({ status: each.status, mode: each.test ? 'test' : 'live' }));
        break;
      default:
        each satisfies never;
    }
  }
}

/** Reads the state of a link without a lock. @throws ApiError `not_found`; AttemptNotFound for an unknown attempt */
export async function readLink(scope: Scope, ref: LinkRef, store: LinkStore = postgres): Promise<LinkState> {
  const [read] = await store.read(scope, [ref]);
  if (!read) throw missing(ref);
  return read.state;
}
