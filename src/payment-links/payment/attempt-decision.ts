import { transition } from '../../base/state-machine.ts';
import { alarmed, followedBy, unchanged, withRow } from '../link/decide.ts';
import type { AttemptState, Decision, LinkState, TransactionState } from '../link/state.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { ATTEMPT } from '../model/transitions.ts';

/* Decisions about payment attempts. */

/** Returns the attempt with this id. @throws Error if the state lacks it: the link must have been read by this attempt */
export function attemptOf({ attempts }: LinkState, attemptId: string): AttemptState {
  const attempt = attempts.find(({ id }) => id === attemptId);
  if (attempt === undefined) throw new Error(`the state lacks the attempt ${attemptId}`);
  return attempt;
}

/** Returns the transaction that the attempt made. Null for a second payment of a paid link. */
export function transactionOf({ transaction }: LinkState, { id }: Pick<AttemptState, 'id'>): TransactionState | null {
  return transaction?.attemptId === id ? transaction : null;
}

export function withAttempt(state: LinkState, attempt: AttemptState): LinkState {
  return { ...state, attempts: withRow(state.attempts, attempt) };
}

/** The link has changed since its terms were read. The caller reads them again. */
export class TermsChanged extends Error {
  constructor() {
    super('the link has changed since its terms were read');
    this.name = 'TermsChanged';
  }
}

/**
 * Records a new attempt, and names it on its link.
 *
 * @param version of the link when its terms were read
 * @throws TermsChanged
 */
export function attemptBegun(state: LinkState, version: number, attempt: PaymentAttempt): Decision {
  const { link } = state;
  if (link.version !== version) throw new TermsChanged();
  return unchanged({ ...withAttempt(state, attempt), link: { ...link, openAttemptId: attempt.id } });
}

/** Records the processor's reference of an attempt before the charge is confirmed. A closed attempt stays as it is. */
export function referenceRecorded(state: LinkState, attemptId: string, reference: string): Decision {
  const attempt = attemptOf(state, attemptId);
  if (attempt.status !== 'open') return unchanged(state);
  return unchanged(withAttempt(state, { ...attempt, processorReference: reference }));
}

/** Closes the attempt, which the link then no longer names as open. Returns null if the table has no such transition. */
export function attemptClosed(
  state: LinkState,
  attemptId: string,
  event: 'accept' | 'accept_late' | 'fail' | 'cancel',
  now: Date,
): Decision | null {
  const attempt = attemptOf(state, attemptId);
  const status = transition(ATTEMPT, attempt.status, event);
  if (status === null) return null;
  const { link } = state;
  const openAttemptId = link.openAttemptId === attemptId ? null : link.openAttemptId;
  const closed = withAttempt(state, { ...attempt, status, closedAt: now, reconcileAt: null });
  return {
    ...unchanged({ ...closed, link: { ...link, openAttemptId } }),
    reports: [{ kind: 'attempt_closed', outcome: status }],
  };
}

/**
 * Closes an attempt without a reference: nothing was charged, and nothing will be. An attempt with a reference stays as it is.
 *
 * @param event `fail` if the processor refused to begin the payment
 */
export function unregisteredClosed(state: LinkState, attemptId: string, event: 'fail' | 'cancel', now: Date): Decision {
  const { processorReference } = attemptOf(state, attemptId);
  const closed = processorReference === null ? attemptClosed(state, attemptId, event, now) : null;
  if (closed === null) return unchanged(state);
  if (event === 'cancel') return closed;
  return followedBy(closed, (state) =>
    unchanged(withAttempt(state, { ...attemptOf(state, attemptId), failureReason: 'not_accepted' })),
  );
}

/** Abandons an open attempt. It is closed, but in doubt: `reconcile_attempts` still asks the processor for the outcome. */
export function abandoned(state: LinkState, attemptId: string, now: Date): Decision {
  const { amountCents, reconcileAt } = attemptOf(state, attemptId);
  const closed = attemptClosed(state, attemptId, 'cancel', now);
  if (closed === null) return unchanged(state);
  const fields = { attemptId, paymentLinkId: state.link.id };
  const mail = { kind: 'payment_abandoned', subjectId: attemptId, amountCents } as const;
  return followedBy(
    closed,
    (state) => unchanged(withAttempt(state, { ...attemptOf(state, attemptId), reconcileAt })),
    (state) => alarmed(state, fields, 'payment abandoned: its account is not connected any more', mail),
  );
}
