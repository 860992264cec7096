import { ApiError } from '../../platform/base/errors.ts';
import { isId } from '../../platform/base/ids.ts';
import type { Scope } from '../../platform/base/scope.ts';
import type { Draft, LinkState } from '../state/state.ts';
import { createSeparateStore, type SingleLinkStore } from './gathered.ts';
import type { LinkRead, LinkRef } from './port.ts';
import { postgres } from './postgres.ts';
import { decideWrite, reportDecision } from './writes.ts';

/*
 * A change of a link: read its state, decide on a draft of it, write the difference.
 *
 *   read ──▶ decide ──▶ write ──▶ written: reports are sent
 *     ▲                  │ stale: the link, or an endpoint, has changed since
 *     └──── once more ───┤
 *                        ▼ stale again: lock the link, then read, decide and write in one transaction
 *
 * Without the lock, a process that stops leaves no lock behind. A change that needs a transaction locks the link at once.
 * Only a try that has written nothing is repeated. An error ends the change, because its outcome may be unknown.
 */

export interface ChangeResult {
  before: LinkState;
  after: LinkState;
  /** Open attempt that blocks the change, which has written nothing then. */
  blockedBy: string | null;
  /** The link as the change left it. Null if only a read can find it out. */
  nextRead: LinkRead | null;
}

export interface ChangeOptions {
  /** The link as an earlier change left it. The first try decides on it without a read. */
  priorRead?: LinkRead | null;
  /** Called before the change is written, in the transaction that locks the link; throws to refuse. */
  admit?: ((scope: Scope, result: Omit<ChangeResult, 'nextRead'>) => Promise<void>) | undefined;
}

/** Has no effect but on the draft. It is called again if the write is stale. An error refuses the change. */
export type Decide = (draft: Draft) => void;

/** The attempt belongs to another environment, or a backup was restored. */
export class AttemptNotFound extends Error {
  constructor() {
    super('the attempt is not in the database');
    this.name = 'AttemptNotFound';
  }
}

/**
 * Changes one link, if its viewer sees it.
 * @throws ApiError `not_found`; AttemptNotFound; errors of `decide`, `admit` and the database. Nothing is written then
 */
export type ChangeLink = (scope: Scope, ref: LinkRef, decide: Decide, options?: ChangeOptions) => Promise<ChangeResult>;

export interface Links {
  store: SingleLinkStore;
  change: ChangeLink;
}

/** Tries before the link is locked. */
const TRIES_WITHOUT_LOCK = 2;

/** Tries under the lock of the link. Only a changed endpoint can make one of them stale. */
const TRIES_WITH_LOCK = 5;

/** Creates the function that changes links, by the statements of the store. */
export function createChange(store: SingleLinkStore): ChangeLink {
  return async (scope, ref, decide, { priorRead = null, admit } = {}) => {
    // Only a transaction can confirm a right, and keep the locks of `admit` until the write.
    const maxTries = scope.confirmRight === undefined && admit === undefined ? TRIES_WITHOUT_LOCK : 0;
    for (let tries = 0; tries < maxTries; tries++) {
      const result = await tryOnce(store, scope, ref, decide, tries === 0 ? { priorRead } : {});
      if (result !== 'stale') return result;
    }
    return store.exclusively(scope, ref, async (scope) => {
      for (let tries = 0; tries < TRIES_WITH_LOCK; tries++) {
        const result = await tryOnce(store, scope, ref, decide, { admit });
        if (result !== 'stale') return result;
      }
      throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
    });
  };
}

/**
 * Reads the link unless there is a prior read, decides, and writes. A prior read may be old. So a refusal on it, or a decision that
 * changes nothing, counts as stale.
 */
async function tryOnce(
  store: SingleLinkStore,
  scope: Scope,
  ref: LinkRef,
  decide: Decide,
  { priorRead = null, admit }: ChangeOptions,
): Promise<ChangeResult | 'stale'> {
  const read = priorRead ?? (await store.read(scope, ref));
  if (read === null) throw notFound(ref);
  let decision: ReturnType<typeof decideWrite>;
  try {
    decision = decideWrite(scope, read, decide);
  } catch (error) {
    if (priorRead === null) throw error;
    return 'stale';
  }
  const { write, draft } = decision;
  if (write === null && priorRead !== null) return 'stale';
  const result = { before: read.state, after: draft.state, blockedBy: draft.blockedBy };
  await admit?.(scope, result);
  if (write !== null) {
    if ((await store.write(scope, write)).outcome === 'stale') return 'stale';
  }
  reportDecision(scope, decision);
  return { ...result, nextRead: makeNextRead(read, draft, write !== null && write.fields !== null) };
}

/** Returns the link as it is after the write; null after a change that matches the patient record, which only the database knows. */
function makeNextRead(read: LinkRead, { state, patient }: Draft, raisesVersion: boolean): LinkRead | null {
  if (patient !== undefined) return null;
  const version = read.stamp.version + Number(raisesVersion);
  return { ...read, state: { ...state, link: { ...state.link, version } }, stamp: { ...read.stamp, version } };
}

function notFound({ id }: LinkRef): Error {
  return isId('paymentAttempt', id) ? new AttemptNotFound() : new ApiError('not_found');
}

/** Reads the state of a link without a lock. @throws ApiError `not_found`; AttemptNotFound for an unknown attempt */
export async function readLink(scope: Scope, ref: LinkRef, store: Pick<SingleLinkStore, 'read'>): Promise<LinkState> {
  const read = await store.read(scope, ref);
  if (read === null) throw notFound(ref);
  return read.state;
}

const store = createSeparateStore(postgres);

/** Reads and changes links by separate statements: for workers, the command line and transactions. */
export const separately: Links = { store, change: createChange(store) };
