import { ApiError } from '../../base/errors.ts';
import type { Scope } from '../../base/scope.ts';
import { batched, LOCKED, type LockWait, REQUEST_LIMITS } from '../../database/query/batch.ts';
import { isLockTimeout } from '../../database/query/errors.ts';
import { inPlace } from '../../database/query/transaction.ts';
import {
  type Changed,
  type ChangeOptions,
  changeAll,
  type Decide,
  type LinkChange,
  type TryResult,
} from './change-once.ts';
import type { LinkRef, LinkStore } from './port.ts';
import { postgres } from './postgres.ts';

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
