import { newId } from '../../src/base/ids.ts';
import type { Scope } from '../../src/base/scope.ts';
import { disputeReported } from '../../src/payment-links/dispute/dispute-decision.ts';
import {
  BlockedByAttempt,
  cancelled,
  expired,
  type LinkChanges,
  unchanged,
  updated,
} from '../../src/payment-links/link/decide.ts';
import type { AttemptState, Decision, LinkState } from '../../src/payment-links/link/state.ts';
import { statusAt } from '../../src/payment-links/model/overdue.ts';
import {
  abandoned,
  attemptOf,
  unregisteredClosed,
  withAttempt,
} from '../../src/payment-links/payment/attempt-decision.ts';
import { paymentReported } from '../../src/payment-links/payment/payment-decision.ts';
import {
  lastRefundOf,
  payingAttemptOf,
  refundRequested,
  refundsReported,
} from '../../src/payment-links/refund/refund-decision.ts';
import type { Change } from '../../src/payment-links/store/change.ts';
import type { Changed } from '../../src/payment-links/store/change-once.ts';
import { linkOfAttempt } from '../../src/payment-links/store/port.ts';
import {
  type Account,
  AccountLost,
  type DisputeSnapshot,
  type MethodType,
  type PaymentIntention,
  type PaymentSnapshot,
  ProcessorUnavailable,
  type RefundSnapshot,
} from '../../src/processors/processor.ts';
import type { BankPort, Message } from './bank.ts';

/** Account of the practice at the simulated processor. */
export const ACCOUNT = { id: 'acct_1' };

/** Time before an attempt of a disconnected account is abandoned, as in `reconcile.ts`. */
const ABANDON_AFTER_MS = 24 * 3_600_000;

/** Time for the patient's step, as in `reconcile.ts`. */
const ACTION_MS = 15 * 60_000;

/** Time until the sweep asks about an attempt, as in `submit.ts`. */
const FIRST_RECONCILE_MS = 180_000;

/** Most tries of a change that an open attempt blocks, as in `change-link.ts`. */
const MAX_TRIES = 3;

/**
 * A process that acts on links: an API, a worker, or one of their requests. It knows nothing but what it has read and was answered.
 * Its steps are those of `submit.ts`, `change-link.ts`, `create-refund.ts`, `reconcile.ts` and `notifications.ts`.
 */
export class Actor {
  readonly #scope: Scope;
  readonly #change: Change;
  readonly #bank: BankPort;

  constructor(scope: Scope, change: Change, bank: BankPort) {
    this.#scope = scope;
    this.#change = change;
    this.#bank = bank;
  }

  /** A patient pays. The attempt is on record before the processor is asked, and its reference before it may charge. */
  async submit(linkId: string, methodType: MethodType): Promise<void> {
    const begun = await this.#link(linkId, (state, now) => attemptBegun(state, methodType, now));
    const attempt = begun.after.attempts.find(({ id }) => !begun.before.attempts.some((before) => before.id === id));
    if (attempt === undefined) return;
    const { id: attemptId, amountCents } = attempt;
    const intent = { account: ACCOUNT, attemptId, paymentLinkId: linkId, amountCents, currency: 'usd' as const };
    const patient = { methodToken: '', returnUrl: '', customerAddress: '', customerUserAgent: '' };
    const charge = { ...intent, methodType, statementDescriptorSuffix: null, ...patient };
    const reference = await this.#begin(charge);
    if (reference === null) return;
    try {
      await this.#apply(await this.#bank.confirm(charge, reference));
    } catch (error) {
      if (!(error instanceof ProcessorUnavailable)) throw error;
      await this.#sync(reference);
    }
  }

  /** Begins the payment of an attempt. Returns its reference; null if the attempt is closed. */
  async #begin(intent: PaymentIntention): Promise<string | null> {
    const { attemptId } = intent;
    try {
      const reference = await this.#bank.begin(intent);
      if (reference === null) await this.#close(attemptId, 'fail');
      else if (await this.#record(attemptId, reference)) return reference;
      else await this.#bank.cancel(ACCOUNT, reference);
    } catch (error) {
      if (!(error instanceof ProcessorUnavailable)) throw error;
      await this.#close(attemptId, 'cancel');
    }
    return null;
  }

  async #record(attemptId: string, reference: string): Promise<boolean> {
    const { after } = await this.#attempt(attemptId, (state) => referenceRecorded(state, attemptId, reference));
    return attemptOf(after, attemptId).status === 'open';
  }

  /** The practice or its vendor cancels a link. An open attempt is cancelled first. */
  cancel(linkId: string, by: 'api' | 'staff'): Promise<void> {
    return this.#unblocked(linkId, (state, now) => cancelled(state, by, now));
  }

  /** The vendor changes a link. A new amount cancels an open attempt first. */
  update(linkId: string, changes: LinkChanges): Promise<void> {
    return this.#unblocked(linkId, (state, now) => updated(state, changes, now));
  }

  async #unblocked(linkId: string, decide: Decide): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      try {
        await this.#link(linkId, decide);
        return;
      } catch (error) {
        if (!(error instanceof BlockedByAttempt)) throw error;
        await this.cancelAttempt(error.attemptId);
      }
    }
  }

  /** Cancels an attempt at the processor, or here if it has no reference. The cancellation may come too late. */
  async cancelAttempt(attemptId: string): Promise<void> {
    const { processorReference: reference } = await this.#close(attemptId, 'cancel');
    if (reference !== null) await this.#apply(await this.#bank.cancel(ACCOUNT, reference));
  }

  /** The worker expires a link. */
  async expire(linkId: string): Promise<void> {
    await this.#link(linkId, (state, now) => {
      const isOverdue = state.link.status === 'active' && statusAt(state.link, now) === 'expired';
      return isOverdue ? expired(state, 'system', now) : unchanged(state);
    });
  }

  /** The practice refunds. The refund is on record before the processor is asked. A form that is sent again has the same id. */
  async refund(linkId: string, id: string, amountCents: number | null): Promise<void> {
    const { before, after } = await this.#link(linkId, (state, now) =>
      state.refunds.some((refund) => refund.id === id)
        ? unchanged(state)
        : refundRequested(state, { id, amountCents, reason: null }, 'sandbox', now),
    );
    const attempt = payingAttemptOf(after);
    if (before.refunds.length === after.refunds.length || attempt === null) return;
    const { amountCents: cents } = lastRefundOf(after);
    const snapshot = await this.#bank.refund({ ...paymentOf(attempt), refundId: id, amountCents: cents });
    await this.#refunds(attempt.id, [snapshot]);
  }

  /** The worker asks about an attempt without an outcome. */
  async reconcileAttempt({ id, processorReference, createdAt }: AttemptState): Promise<void> {
    const ageMs = this.#scope.clock.now().getTime() - createdAt.getTime();
    try {
      const snapshot = processorReference === null ? null : await this.#sync(processorReference);
      const isUnderWay = snapshot === null || snapshot.state === 'created' || snapshot.state === 'requires_action';
      if (isUnderWay && !(snapshot?.state === 'requires_action' && ageMs < ACTION_MS)) await this.cancelAttempt(id);
    } catch (error) {
      if (!(error instanceof AccountLost)) throw error;
      if (ageMs >= ABANDON_AFTER_MS) await this.#attempt(id, (state, now) => abandoned(state, id, now));
    }
  }

  /** The worker asks about a payment: refunds without an answer, the payment itself, its refunds and disputes. */
  async reconcilePayment(attempt: AttemptState): Promise<void> {
    const { id: attemptId } = attempt;
    const { paymentReference: reference, account } = paymentOf(attempt);
    const { after } = await this.#attempt(attemptId, unchanged);
    const unanswered = after.refunds.filter(
      ({ status, processorReference }) => status === 'pending' && processorReference === null,
    );
    if (unanswered.length > 0) {
      const listed = await this.#bank.retrieveRefunds(account, reference);
      for (const { id: refundId, amountCents } of unanswered) {
        const made = listed.find((each) => each.refundId === refundId);
        const request = { account, paymentReference: reference, refundId, amountCents };
        await this.#refunds(attemptId, [made ?? (await this.#bank.refund(request))]);
      }
    }
    await this.#syncPayment(account, reference);
    for (const dispute of await this.#bank.retrieveDisputes(account, reference))
      await this.#dispute(attemptId, dispute);
  }

  /** The worker handles a notification: it asks about its subject. */
  async notify({ account, subject }: Message): Promise<void> {
    if (subject.kind === 'payment') await this.#syncPayment(account, subject.reference);
    if (subject.kind !== 'dispute') return;
    const dispute = await this.#bank.retrieveDispute(account, subject.reference);
    if (dispute === null) return;
    const snapshot = await this.#syncPayment(account, dispute.paymentReference);
    if (snapshot?.attemptId) await this.#dispute(snapshot.attemptId, dispute);
  }

  async #syncPayment(account: Account, reference: string): Promise<PaymentSnapshot | null> {
    const snapshot = await this.#bank.retrieve(account, reference);
    if (snapshot === null || snapshot.attemptId === null) return null;
    const { attemptId } = snapshot;
    const final = snapshot.state === 'declined' ? await this.#bank.cancel(account, reference) : snapshot;
    const attempt = await this.#apply(final, account);
    if (final.state !== 'succeeded' || attempt?.status !== 'accepted') return final;
    const { link } = (await this.#attempt(attemptId, unchanged)).after;
    const listed = await this.#bank.retrieveRefunds(account, reference);
    if (listed.length > 0) await this.#refunds(attemptId, listed, link.version);
    return final;
  }

  /** Asks about a payment and applies the answer. */
  async #sync(reference: string): Promise<PaymentSnapshot | null> {
    const snapshot = await this.#bank.retrieve(ACCOUNT, reference);
    const final = snapshot?.state === 'declined' ? await this.#bank.cancel(ACCOUNT, reference) : snapshot;
    if (final !== null) await this.#apply(final);
    return final;
  }

  async #apply(snapshot: PaymentSnapshot, account: Account = ACCOUNT): Promise<AttemptState | null> {
    const { attemptId } = snapshot;
    if (attemptId === null) return null;
    const report: Decide = (state, now) => paymentReported(state, attemptId, account, snapshot, now);
    return attemptOf((await this.#attempt(attemptId, report)).after, attemptId);
  }

  async #close(attemptId: string, event: 'fail' | 'cancel'): Promise<AttemptState> {
    const close: Decide = (state, now) => unregisteredClosed(state, attemptId, event, now);
    return attemptOf((await this.#attempt(attemptId, close)).after, attemptId);
  }

  #refunds(attemptId: string, snapshots: readonly RefundSnapshot[], askedAt?: number): Promise<Changed> {
    return this.#attempt(attemptId, (state, now) => refundsReported(state, attemptId, snapshots, now, askedAt));
  }

  #dispute(attemptId: string, snapshot: DisputeSnapshot): Promise<Changed> {
    return this.#attempt(attemptId, (state, now) => disputeReported(state, attemptId, snapshot, now));
  }

  #link(linkId: string, decide: Decide): Promise<Changed> {
    return this.#change(this.#scope, { id: linkId, viewer: null }, (state) => decide(state, this.#scope.clock.now()));
  }

  #attempt(attemptId: string, decide: Decide): Promise<Changed> {
    return this.#change(this.#scope, linkOfAttempt(attemptId), (state) => decide(state, this.#scope.clock.now()));
  }
}

/** A decision as a command makes it on the state that it reads. */
type Decide = (state: LinkState, now: Date) => Decision;

/** Inserts the open attempt, as `submit.ts` does, if the link can be paid. */
function attemptBegun(state: LinkState, methodType: MethodType, now: Date): Decision {
  const { link } = state;
  const inDoubt = state.attempts.some(({ closedAt, reconcileAt }) => closedAt !== null && reconcileAt !== null);
  if (statusAt(link, now) !== 'active' || link.openAttemptId !== null || inDoubt) return unchanged(state);
  const id = newId('paymentAttempt', now);
  const attempt: AttemptState = {
    ...{ id, practiceId: link.practiceId, paymentLinkId: link.id, status: 'open', processor: 'sandbox' },
    ...{ processorAccountId: ACCOUNT.id, processorReference: null, methodType, amountCents: link.amountCents },
    ...{ currency: 'usd', failureReason: null, createdAt: now, closedAt: null },
    reconcileAt: new Date(now.getTime() + FIRST_RECONCILE_MS),
  };
  return unchanged({ ...withAttempt(state, attempt), link: { ...link, openAttemptId: id } });
}

/** Records the reference of an open attempt, as `close-attempt.ts` does. */
function referenceRecorded(state: LinkState, attemptId: string, reference: string): Decision {
  const attempt = attemptOf(state, attemptId);
  if (attempt.status !== 'open') return unchanged(state);
  return unchanged(withAttempt(state, { ...attempt, processorReference: reference }));
}

function paymentOf({ processorReference, processorAccountId }: AttemptState) {
  if (processorReference === null) throw new Error('a paid attempt has no processor reference');
  return { account: { id: processorAccountId }, paymentReference: processorReference };
}
