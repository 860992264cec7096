import { auditRows } from '../../audit/audit.ts';
import { ApiError } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { createBatcher, LOCKED, type LockWait, REQUEST_LIMITS } from '../../database/query/batch.ts';
import { isLockTimeout } from '../../database/query/errors.ts';
import { withPlace } from '../../database/query/transaction.ts';
import { Draft } from '../link/draft.ts';
import type { LinkState } from '../link/state.ts';
import type { LinkRead, LinkRef, LinkStore } from './port.ts';
import { postgres } from './postgres.ts';
import { type JoinedChanges, writeAll } from './writes.ts';

/*
 * A change of a link: read its state, decide on a draft of it, write the difference.
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
  next: LinkRead | null;
}

/** Further needs of a change. */
export interface ChangeOptions {
  /** The link as an earlier change left it. The first try decides on it without a read. */
  known?: LinkRead | null;
  /** Called before the change is written, in the transaction that locks the link; throws to refuse. */
  admit?: ((scope: Scope, changed: Omit<Changed, 'next'>) => Promise<void>) | undefined;
}

/** Decides by a draft, and has no other effect. It is called again if the write is stale. An error refuses the change. */
export type Decide = (draft: Draft) => void;

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

/** Changes that share statements, and what one of them does if its row is locked. */
type Batching = 'then_lane' | 'then_alone';

/**
 * Creates the function that changes links.
 *
 * @param batching the changes of a process share statements (docs/decisions/0013-batches.md). If its row is locked, a change waits:
 *   - `then_lane`: in the lane of its practice
 *   - `then_alone`: for the lock of its link, because money was taken
 *
 *   Absent: each change has separate statements, and takes a place of the practice's limiter
 */
export function createChange(store: LinkStore, batching?: Batching): Change {
  return changeBy(store, createTry(store, batching));
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
        const result = await tryAlone(store, { scope, ref, decide, options: { admit } });
        if (result.outcome === 'changed') return result;
        if (result.outcome === 'refused') throw result.error;
      }
      throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
    });
  };
}

function createTry(store: LinkStore, batching: Batching | undefined): (change: LinkChange) => Promise<TryResult> {
  const limits = { ...REQUEST_LIMITS, size: MAX_LINKS };
  switch (batching) {
    case undefined:
      return (change) => withPlace(change.scope, (scope) => tryAlone(store, { ...change, scope }));
    case 'then_lane': {
      const run = async (changes: readonly LinkChange[], wait: LockWait) =>
        (await tryAll(changes, wait, store)).map((tried) => (tried.outcome === 'locked' ? LOCKED : tried));
      return createBatcher(run, { ...limits, laneOf: ({ ref }) => ref.viewer?.practiceId ?? ref.id });
    }
    case 'then_alone':
      return createBatcher(async (changes: readonly LinkChange[], wait): Promise<readonly TryResult[]> => {
        try {
          return await tryAll(changes, wait, store);
        } catch (error) {
          // `createBatcher` tries several changes again, one by one.
          if (changes.length > 1 || !isLockTimeout(error)) throw error;
          return [{ outcome: 'locked' }];
        }
      }, limits);
    default:
      batching satisfies never;
      throw new Error('changes are batched in an unknown way');
  }
}

async function tryAlone(store: LinkStore, change: LinkChange): Promise<TryResult> {
  const [tried] = await tryAll([change], 'full', store);
  if (tried === undefined) throw new Error('a change has a result');
  return tried;
}

/** Changes a link by statements that it shares with no other change. */
export const change = createChange(postgres);

/**
 * Adds the link as it is after the write. The link stays null after several joined changes, and after a
 * change that matches the patient record, because only the database knows the result.
 */
function withNext(tried: TryResult, joined: JoinedChanges | null): TryResult {
  if (tried.outcome !== 'changed' || joined === null || joined.changeCount > 1 || joined.decision.patient !== undefined)
    return tried;
  const { stamp: before } = joined.read;
  const stamp = { ...before, version: joined.raisesVersion ? before.version + 1 : before.version };
  const state = { ...tried.after, link: { ...tried.after.link, version: stamp.version } };
  return { ...tried, next: { ...joined.read, state, stamp } };
}

/**
 * Tries changes once, by one read and one write. A link that has changed in between is `stale`. Several changes of one link are
 * decided one after the other.
 */
export async function tryAll(
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
  const joinedByLink = new Map<string, JoinedChanges>();
  const decided: { joined: JoinedChanges | null; tried: TryResult }[] = [];
  for (const [index, change] of changes.entries()) {
    const read = reads[index] ?? null;
    if (read === null) {
      decided.push({ joined: null, tried: { outcome: 'refused', error: notFound(change.ref) } });
      continue;
    }
    const joined = joinChange(joinedByLink, change, read);
    const tried: TryResult = joined === null ? { outcome: 'stale' } : await decideOn(joined, change);
    decided.push({ joined, tried });
  }
  const outcomes = await writeAll(store, [...joinedByLink.values()], wait);
  return decided.map(({ joined, tried }) => {
    const written = joined === null ? undefined : outcomes.get(joined);
    if (written === undefined || written.outcome === 'written') return withNext(tried, joined);
    // A refusal is replaced, too: it may follow from an earlier decision of the batch, which was not written.
    return written.outcome === 'taken'
      ? { outcome: 'refused', error: new IdTaken(written.cause) }
      : { outcome: written.outcome };
  });
}

/**
 * Returns the link's changes so far, with one more. Their state gets the attempt by which this change found the link. Null if they
 * started from another version of the link.
 */
function joinChange(
  joinedByLink: Map<string, JoinedChanges>,
  { scope, options }: LinkChange,
  read: LinkRead,
): JoinedChanges | null {
  const { id } = read.state.link;
  const joined = joinedByLink.get(id) ?? {
    scope,
    read,
    decision: new Draft(read.state),
    audit: [],
    changeCount: 0,
    isKnown: true,
    raisesVersion: false,
  };
  if (read.stamp.version !== joined.read.stamp.version) return null;
  joinedByLink.set(id, joined);
  joined.changeCount++;
  joined.isKnown &&= Boolean(options?.known);
  const known = new Set(joined.read.state.attempts.map((attempt) => attempt.id));
  const found = read.state.attempts.filter((attempt) => !known.has(attempt.id));
  if (found.length === 0) return joined;
  const withFound = (state: LinkState) => ({ ...state, attempts: [...state.attempts, ...found] });
  joined.read = { ...joined.read, state: withFound(joined.read.state) };
  joined.decision.state = withFound(joined.decision.state);
  return joined;
}

/**
 * Decides on the state that the earlier changes left, and adds the decision to theirs. An error refuses this change only. The next
 * decision sees a higher version, as after a separate write.
 */
async function decideOn(joined: JoinedChanges, { scope, decide, options }: LinkChange): Promise<TryResult> {
  try {
    const { state: before } = joined.decision;
    const own = new Draft(before);
    decide(own);
    const { state: after } = own;
    await options?.admit?.(scope, { before, after });
    joined.decision.addDecision(own);
    if (after !== before) joined.decision.setLink({ version: before.link.version + 1 });
    joined.audit.push(...auditRows(scope, own.acts));
    return { outcome: 'changed', before, after, next: null };
  } catch (error) {
    return { outcome: 'refused', error };
  }
}

function notFound({ id }: LinkRef): Error {
  return isId('paymentAttempt', id) ? new AttemptNotFound() : new ApiError('not_found');
}

/** Reads the state of a link without a lock. @throws ApiError `not_found`; AttemptNotFound for an unknown attempt */
export async function readLink(scope: Scope, ref: LinkRef, store: LinkStore = postgres): Promise<LinkState> {
  const [read] = await store.read(scope, [ref]);
  if (!read) throw notFound(ref);
  return read.state;
}
