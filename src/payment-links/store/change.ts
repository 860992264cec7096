import { auditRows } from '../../audit/audit.ts';
import { ApiError } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { batched, LOCKED, type LockWait, REQUEST_LIMITS } from '../../database/query/batch.ts';
import { isLockTimeout } from '../../database/query/errors.ts';
import { inPlace } from '../../database/query/transaction.ts';
import { followedBy, unchanged } from '../link/decide.ts';
import type { Decision, LinkState } from '../link/state.ts';
import type { LinkRef, LinkStore, Read } from './port.ts';
import { postgres } from './postgres.ts';
import { type Draft, writeAll } from './writes.ts';

/*
 * A change of a link: read its state, decide by a pure function, write the difference.
 *
 *   read ──▶ decide ──▶ write ──▶ written: reports are sent
 *     ▲                  │ stale: the link, or an endpoint, has changed since
 *     └──── once more ───┤
 *                        ▼ stale again: lock the link, then read, decide and write in one transaction
 *
 * Without the lock, no transaction stays open between two round trips, so a process that stops leaves no lock behind. A change
 * that needs a transaction locks the link at once. Only a try that has written nothing is repeated. An error ends the change,
 * because its outcome may be unknown.
 */

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
 * Changes one link, if its viewer sees it.
 *
 * @throws ApiError `not_found`; AttemptNotFound for a link named by an unknown attempt; IdTaken; errors of `decide` and `admit`.
 *   Nothing is written then
 */
export type Change = (scope: Scope, ref: LinkRef, decide: Decide, options?: ChangeOptions) => Promise<Changed>;

/** Tries before the link is locked. */
const TRIES_WITHOUT_LOCK = 2;

/** Tries under the lock of the link. Only a changed endpoint can make one of them stale. */
const TRIES_WITH_LOCK = 5;

/** Largest number of links of one statement of requests. If one waits for a lock, all wait. */
const MAX_LINKS = 32;

/**
 * Creates the function that changes links.
 *
 * @param together the changes of a process share statements (docs/decisions/0013-batches.md). If its row is locked, a change waits:
 *   - `lane`: in the lane of its practice
 *   - `alone`: for the lock of its link, because money was taken
 *
 *   Absent: each change has separate statements, and takes a place of the practice's limiter
 */
export function createChange(store: LinkStore, together?: 'lane' | 'alone'): Change {
  return changeBy(store, tryOf(store, together));
}

/** Creates the function that changes links, with `tryOnce` for its tries without a lock. */
export function changeBy(store: LinkStore, tryOnce: (change: LinkChange) => Promise<TryResult>): Change {
  return async (scope, ref, decide, { known, admit } = {}) => {
    // Only a transaction can confirm a right, and keep the locks of `admit` until the write.
    const tries = scope.confirmRight === undefined && admit === undefined ? TRIES_WITHOUT_LOCK : 0;
    for (let tried = 0; tried < tries; tried++) {
      const result = await tryOnce({ scope, ref, decide, ...(tried === 0 && { options: { known: known ?? null } }) });
      if (result.outcome === 'changed') return result;
      if (result.outcome === 'refused') throw result.error;
      if (result.outcome === 'locked') break;
    }
    return store.exclusively(scope, ref, async (scope) => {
      for (let tried = 0; tried < TRIES_WITH_LOCK; tried++) {
        const result = await changeAlone(store, { scope, ref, decide, options: { admit } });
        if (result.outcome === 'changed') return result;
        if (result.outcome === 'refused') throw result.error;
      }
      throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
    });
  };
}

function tryOf(store: LinkStore, together: 'lane' | 'alone' | undefined): (change: LinkChange) => Promise<TryResult> {
  const limits = { ...REQUEST_LIMITS, size: MAX_LINKS };
  switch (together) {
    case undefined:
      return (change) => inPlace(change.scope, (scope) => changeAlone(store, { ...change, scope }));
    case 'lane': {
      const run = async (changes: readonly LinkChange[], wait: LockWait) =>
        (await changeAll(changes, wait, store)).map((tried) => (tried.outcome === 'locked' ? LOCKED : tried));
      return batched(run, { ...limits, laneOf: ({ ref }) => ref.viewer?.practiceId ?? ref.id });
    }
    case 'alone':
      return batched(async (changes: readonly LinkChange[], wait): Promise<readonly TryResult[]> => {
        try {
          return await changeAll(changes, wait, store);
        } catch (error) {
          // Several are tried again one by one.
          if (changes.length > 1 || !isLockTimeout(error)) throw error;
          return [{ outcome: 'locked' }];
        }
      }, limits);
    default:
      together satisfies never;
      throw new Error('changes are batched in an unknown way');
  }
}

async function changeAlone(store: LinkStore, change: LinkChange): Promise<TryResult> {
  const [tried] = await changeAll([change], 'full', store);
  if (tried === undefined) throw new Error('a change has a result');
  return tried;
}

/** Changes a link by statements that it shares with no other change. */
export const change = createChange(postgres);

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

function missing({ id }: LinkRef): Error {
  return isId('paymentAttempt', id) ? new AttemptNotFound() : new ApiError('not_found');
}

/** Reads the state of a link without a lock. @throws ApiError `not_found`; AttemptNotFound for an unknown attempt */
export async function readLink(scope: Scope, ref: LinkRef, store: LinkStore = postgres): Promise<LinkState> {
  const [read] = await store.read(scope, [ref]);
  if (!read) throw missing(ref);
  return read.state;
}
