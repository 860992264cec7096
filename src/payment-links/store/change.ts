import { auditRows } from '../../audit/audit.ts';
import { report } from '../../base/diagnostics.ts';
import { ApiError } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { BUSY, batched, type LockWait, REQUEST_LIMITS } from '../../database/query/batch.ts';
import { isLockTimeout } from '../../database/query/errors.ts';
import { afterCommit, inPlace } from '../../database/query/transaction.ts';
import { reportEvent, reportQueued } from '../../webhooks/events/publish.ts';
import { followedBy, unchanged } from '../link/decide.ts';
import type { Decision, LinkState, Report } from '../link/state.ts';
import type { LinkRef, LinkStore, Read, Written } from './port.ts';
import { postgres } from './postgres.ts';
import { writeOf } from './writes.ts';

/*
 * Every change of a link: read its state, decide by a pure function, write the difference.
 *
 *   read ──▶ decide ──▶ write ──▶ written: reports are sent
 *     ▲                  │ stale: the link, or an endpoint, has changed since
 *     └──── once more ───┤
 *                        ▼ stale again: lock the link, then read, decide and write in one transaction
 *
 * Before that, no transaction stays open between two round trips, so a process that stops leaves no lock behind. Only `stale`
 * is repeated, which has written nothing. An error ends the change, because its outcome may be unknown.
 */

/** States of a link before and after a change. */
export interface Changed {
  before: LinkState;
  after: LinkState;
}

/** Decides on a state, without side effects. It is called again if the state was out of date. Its errors refuse the change. */
export type Decide = (state: LinkState) => Decision;

/**
 * Changes one link, if its viewer sees it.
 *
 * @param admit called before the change is written, in the transaction that locks the link; throws to refuse
 * @throws ApiError `not_found`; AttemptNotFound for a link named by an unknown attempt; Taken; errors of `decide` and `admit`.
 *   Nothing is written then
 */
export type Change = (
  scope: Scope,
  ref: LinkRef,
  decide: Decide,
  admit?: (scope: Scope, changed: Changed) => Promise<void>,
) => Promise<Changed>;

/** The attempt is not in our database: it belongs to another environment, or a backup was restored. */
export class AttemptNotFound extends Error {
  constructor() {
    super('the attempt is not in the database');
    this.name = 'AttemptNotFound';
  }
}

/** A new row has an id that another row has. */
export class Taken extends Error {
  constructor(cause: unknown) {
    super('a new row has an id that another row has', { cause });
    this.name = 'Taken';
  }
}

/** Tries before the link is locked. */
const TRIES_WITHOUT_LOCK = 2;

/** Tries under the lock of the link. In each but the first, an endpoint has changed since it was read. */
const TRIES_WITH_LOCK = 5;

/** Largest number of links of one statement of requests. If one waits for a lock, all wait. */
const MAX_LINKS = 32;

/** One change of several that share a read and a write. */
export interface ChangeOf {
  scope: Scope;
  ref: LinkRef;
  decide: Decide;
  admit?: Parameters<Change>[3];
}

/** Result of a change. All but `changed` wrote nothing. */
export type Tried =
  | ({ outcome: 'changed' } & Changed)
  | { outcome: 'refused'; error: unknown }
  | { outcome: 'stale' | 'locked' };

/**
 * Creates the function that changes links.
 *
 * @param together the changes of a process share statements (docs/decisions/0013-batches.md). A change whose row is locked
 *   waits in the `lane` of its practice; or `alone`, under the lock of its link, because money was taken. Absent: each change has
 *   statements of its own, in a place of the practice's limiter
 */
export function createChange(store: LinkStore, together?: 'lane' | 'alone'): Change {
  const tryOnce = tryOf(store, together);
  return async (scope, ref, decide, admit) => {
    // Only a transaction can confirm a right, and keep what `admit` has found.
    const tries = scope.confirmRight === undefined && admit === undefined ? TRIES_WITHOUT_LOCK : 0;
    for (let tried = 0; tried < tries; tried++) {
      const result = await tryOnce({ scope, ref, decide });
      if (result.outcome === 'changed') return result;
      if (result.outcome === 'refused') throw result.error;
      if (result.outcome === 'locked') break;
    }
    return store.exclusively(scope, ref, async (scope) => {
      for (let tried = 0; tried < TRIES_WITH_LOCK; tried++) {
        const result = await changeAlone(store, { scope, ref, decide, admit });
        if (result.outcome === 'changed') return result;
        if (result.outcome === 'refused') throw result.error;
      }
      throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
    });
  };
}

function tryOf(store: LinkStore, together: 'lane' | 'alone' | undefined): (change: ChangeOf) => Promise<Tried> {
  const limits = { ...REQUEST_LIMITS, size: MAX_LINKS };
  switch (together) {
    case undefined:
      return (change) => inPlace(change.scope, (scope) => changeAlone(store, { ...change, scope }));
    case 'lane': {
      const run = async (changes: readonly ChangeOf[], wait: LockWait) =>
        (await changeAll(changes, wait, store)).map((tried) => (tried.outcome === 'locked' ? BUSY : tried));
      return batched(run, { ...limits, laneOf: ({ ref }) => ref.viewer?.practiceId ?? ref.id });
    }
    case 'alone':
      return batched(async (changes: readonly ChangeOf[], wait): Promise<readonly Tried[]> => {
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

async function changeAlone(store: LinkStore, change: ChangeOf): Promise<Tried> {
  const [tried] = await changeAll([change], 'fully', store);
  if (tried === undefined) throw new Error('a change has a result');
  return tried;
}

/** A link of a batch, with the decisions of the batch so far as one. */
interface Draft {
  scope: Scope;
  read: Read;
  decision: Decision;
  /** Rows of the audit log. Each change has its own actor. */
  audit: object[];
}

/**
 * Changes links once, by one read and one write, each if nothing has changed in between. Several changes of one link are decided
 * one after the other.
 */
export async function changeAll(
  changes: readonly ChangeOf[],
  wait: LockWait,
  store: LinkStore = postgres,
): Promise<Tried[]> {
  const [first] = changes;
  if (first === undefined) return [];
  const reads = await store.read(
    first.scope,
    changes.map(({ ref }) => ref),
  );
  const drafts = new Map<string, Draft>();
  const decided: { draft: Draft | null; tried: Tried }[] = [];
  for (const [index, change] of changes.entries()) {
    const read = reads[index] ?? null;
    if (read === null) {
      decided.push({ draft: null, tried: { outcome: 'refused', error: missing(change.ref) } });
      continue;
    }
    const draft = draftOf(drafts, change.scope, read);
    decided.push({ draft, tried: await decideOn(draft, change) });
  }
  const outcomes = await writeAll(store, [...drafts.values()], wait);
  return decided.map(({ draft, tried }) => {
    const written = draft === null ? undefined : outcomes.get(draft);
    if (written === undefined || written.outcome === 'written') return tried;
    // Also refusals: they may result from earlier decisions of the batch, which were not written.
    return written.outcome === 'taken'
      ? { outcome: 'refused', error: new Taken(written.cause) }
      : { outcome: written.outcome };
  });
}

/** Returns the draft of the link, which has the attempts by which any change of the batch has found it. */
function draftOf(drafts: Map<string, Draft>, scope: Scope, read: Read): Draft {
  const { id } = read.state.link;
  const draft = drafts.get(id) ?? { scope, read, decision: unchanged(read.state), audit: [] };
  drafts.set(id, draft);
  const known = new Set(draft.read.state.attempts.map((attempt) => attempt.id));
  const found = read.state.attempts.filter((attempt) => !known.has(attempt.id));
  if (found.length === 0) return draft;
  const withFound = (state: LinkState) => ({ ...state, attempts: [...state.attempts, ...found] });
  draft.read = { ...draft.read, state: withFound(draft.read.state) };
  draft.decision = { ...draft.decision, state: withFound(draft.decision.state) };
  return draft;
}

/** Decides on the draft, and adds the decision to it. An error refuses this change only. */
async function decideOn(draft: Draft, { scope, decide, admit }: ChangeOf): Promise<Tried> {
  try {
    const { state: before } = draft.decision;
    const own = decide(before);
    await admit?.(scope, { before, after: own.state });
    draft.decision = followedBy(draft.decision, () => own);
    draft.audit.push(...auditRows(scope, own.acts));
    return { outcome: 'changed', before, after: own.state };
  } catch (error) {
    return { outcome: 'refused', error };
  }
}

/** Writes what was decided, and sends the reports of what was written. Returns the outcomes; a draft without changes has none. */
async function writeAll(store: LinkStore, drafts: readonly Draft[], wait: LockWait): Promise<Map<Draft, Written>> {
  const changed = drafts.flatMap((draft) => {
    const publishing = writeOf(draft.scope, draft.read, draft.decision, draft.audit);
    if (publishing === null) afterCommit(draft.scope, () => sendReports(draft.scope, draft.decision.reports));
    return publishing === null ? [] : [{ draft, ...publishing }];
  });
  const [first] = changed;
  if (first === undefined) return new Map();
  const outcomes = await store.write(
    first.draft.scope,
    changed.map(({ write }) => write),
    wait,
  );
  return new Map(
    changed.map(({ draft, write, published }, index) => {
      const written = outcomes[index];
      if (written === undefined) throw new Error('the store returns an outcome for each write');
      if (written.outcome === 'written') {
        afterCommit(draft.scope, () => {
          for (const { event, deliveries } of published) reportEvent(event, deliveries);
          sendReports(draft.scope, draft.decision.reports);
          reportQueued(() => write.events);
        });
      }
      return [draft, written];
    }),
  );
}

function missing({ id }: LinkRef): Error {
  return isId('paymentAttempt', id) ? new AttemptNotFound() : new ApiError('not_found');
}

/** Sends the reports of a decision, after it was written. */
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

/** Changes a link of the database, by statements of its own. */
export const change = createChange(postgres);

/** Reads the state of a link of the database, without a lock. @throws as `change` */
export async function readLink(scope: Scope, ref: LinkRef): Promise<LinkState> {
  const [read] = await postgres.read(scope, [ref]);
  if (!read) throw missing(ref);
  return read.state;
}
