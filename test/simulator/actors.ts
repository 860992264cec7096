import { newId } from '../../src/base/ids.ts';
import type { Scope } from '../../src/base/scope.ts';
import { disputeReported } from '../../src/payment-links/dispute/dispute-decision.ts';
import { BlockedByAttempt, cancelled, expired, unchanged, updated } from '../../src/payment-links/link/decide.ts';
import type { LinkValues } from '../../src/payment-links/link/fields.ts';
import type { AttemptState, Decision, LinkState } from '../../src/payment-links/link/state.ts';
import { statusAt } from '../../src/payment-links/model/overdue.ts';
import type { PaymentAttempt } from '../../src/payment-links/model/payment-attempt.entity.ts';
import type { PaymentLink } from '../../src/payment-links/model/payment-link.entity.ts';
import { applyPayment } from '../../src/payment-links/payment/apply-payment.ts';
import {
  abandoned,
  attemptBegun,
  attemptOf,
  referenceRecorded,
  unregisteredClosed,
} from '../../src/payment-links/payment/attempt-decision.ts';
import {
  lastRefundOf,
  payingAttemptOf,
  refundRequested,
  refundsReported,
} from '../../src/payment-links/refund/refund-decision.ts';
import type { Change } from '../../src/payment-links/store/change.ts';
import { type Changed, readLink } from '../../src/payment-links/store/change-once.ts';
import type { LinkStore, Read } from '../../src/payment-links/store/port.ts';
import {
  type Account,
  AccountLost,
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

/** Time in which the patient may answer the bank's question, as in `reconcile.ts`. */
const ACTION_MS = 15 * 60_000;

/** Time until the sweep asks about an attempt, as in `submit.ts`. */
const FIRST_RECONCILE_MS = 180_000;

/** Most tries of a change that an open attempt blocks, as in `change-link.ts`. */
const MAX_TRIES = 3;

/**
 * A process that acts on links: an API, a worker, or one of their requests. It knows only what it has read, and the answers that it
 * got. It repeats the steps of `submit.ts`, `change-link.ts`, `create-refund.ts`, `reconcile.ts` and `notifications.ts`.
 */
export class Actor {
  readonly #scope: Scope;
  readonly #store: LinkStore;
  readonly #change: Change;
  readonly #bank: BankPort;

  constructor(scope: Scope, store: LinkStore, change: Change, bank: BankPort) {
    this.#scope = scope;
    this.#store = store;
    this.#change = change;
    this.#bank = bank;
  }

  /** A patient pays. The attempt is recorded before the processor is asked, and its reference before the processor may charge. */
  async submit(linkId: string, methodType: MethodType): Promise<void> {
    const now = this.#scope.clock.now();
    const { link, attempts } = await this.#read(linkId);
    const isUnderWay = link.openAttemptId !== null || attempts.some(isInDoubt);
    if (statusAt(link, now) !== 'active' || isUnderWay) return;
    const attempt = newAttempt(link, methodType, now);
    const { id: attemptId, amountCents } = attempt;
    const { next } = await this.#changed(linkId, (state) => attemptBegun(state, link.version, attempt));
    const intent = { account: ACCOUNT, attemptId, paymentLinkId: linkId, amountCents, currency: 'usd' as const };
    const patient = { methodToken: '', returnUrl: '', customerAddress: '', customerUserAgent: '' };
    const charge = { ...intent, methodType, statementDescriptorSuffix: null, ...patient };
    const begun = await this.#begin(charge, next);
    if (begun === null) return;
    const { reference, known } = begun;
    try {
      const snapshot = await this.#bank.confirm(charge, reference);
      await applyPayment(this.#scope, ACCOUNT, snapshot, this.#change, known);
    } catch (error) {
      if (!(error instanceof ProcessorUnavailable)) throw error;
      await this.#sync(ACCOUNT, reference);
    }
  }

  /** Begins the payment of an attempt. Returns its reference, and the link after recording it; null if the attempt is closed. */
  async #begin(
    intent: PaymentIntention,
    known: Read | null,
  ): Promise<{ reference: string; known: Read | null } | null> {
    const { attemptId } = intent;
    try {
      const reference = await this.#bank.begin(intent);
      if (reference === null) {
        await this.#close(attemptId, 'fail');
        return null;
      }
      const decide: Decide = (state) => referenceRecorded(state, attemptId, reference);
      const { after, next } = await this.#changed(attemptId, decide, known);
      if (attemptOf(after, attemptId).processorReference === reference) return { reference, known: next };
      await this.#bank.cancel(ACCOUNT, reference);
    } catch (error) {
      if (!(error instanceof ProcessorUnavailable)) throw error;
      await this.#close(attemptId, 'cancel');
    }
    return null;
  }

  /** The patient checks again. An attempt that took no money yet is cancelled, even if its process is still running. */
  async checkAgain(linkId: string): Promise<void> {
    const { attempts } = await this.#read(linkId);
    const attempt = attempts.find((each) => each.closedAt === null || isInDoubt(each));
    if (attempt !== undefined) await this.#finish(attempt, false);
  }

  /** The practice or its vendor cancels a link. An open attempt is cancelled first. */
  cancel(linkId: string, by: 'api' | 'staff'): Promise<void> {
    return this.#unblocked(linkId, (state, now) => cancelled(state, by, now));
  }

  /** The vendor changes a link. A new amount cancels an open attempt first. */
  update(linkId: string, changes: LinkValues): Promise<void> {
    return this.#unblocked(linkId, (state, now) => updated(state, changes, now));
  }

  async #unblocked(linkId: string, decide: Decide): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      try {
        await this.#changed(linkId, decide);
        return;
      } catch (error) {
        if (!(error instanceof BlockedByAttempt)) throw error;
        await this.#cancelAttempt(error.attemptId);
      }
    }
  }

  /** Cancels an attempt at the processor, or here if it has no reference. The cancellation may come too late. */
  async #cancelAttempt(attemptId: string): Promise<void> {
    const { processorReference: reference } = await this.#close(attemptId, 'cancel');
    if (reference !== null) await this.#apply(ACCOUNT, await this.#bank.cancel(ACCOUNT, reference));
  }

  /** The worker expires a link. */
  async expire(linkId: string): Promise<void> {
    await this.#changed(linkId, (state, now) => {
      const isOverdue = state.link.status === 'active' && statusAt(state.link, now) === 'expired';
      return isOverdue ? expired(state, 'system', now) : unchanged(state);
    });
  }

  /** The practice refunds. The refund is recorded before the processor is asked. A form that is sent again has the same id. */
  async refund(linkId: string, id: string, amountCents: number | null): Promise<void> {
    const { before, after, next } = await this.#changed(linkId, (state, now) =>
      state.refunds.some((refund) => refund.id === id)
        ? unchanged(state)
        : refundRequested(state, { id, amountCents, reason: null }, 'sandbox', now),
    );
    const attempt = payingAttemptOf(after);
    if (before.refunds.length === after.refunds.length || attempt === null) return;
    const { amountCents: cents } = lastRefundOf(after);
    const snapshot = await this.#bank.refund({ ...paymentOf(attempt), refundId: id, amountCents: cents });
    await this.#changed(linkId, (state, now) => refundsReported(state, attempt.id, [snapshot], now), next);
  }

  /** The worker asks about an attempt without an outcome. */
  async reconcileAttempt(attempt: AttemptState): Promise<void> {
    const { id, createdAt } = attempt;
    const ageMs = this.#scope.clock.now().getTime() - createdAt.getTime();
    try {
      await this.#finish(attempt, ageMs < ACTION_MS);
    } catch (error) {
      if (!(error instanceof AccountLost)) throw error;
      if (ageMs >= ABANDON_AFTER_MS) await this.#changed(id, (state, now) => abandoned(state, id, now));
    }
  }

  /** Asks about an attempt, and cancels it unless it is final or the patient may still act. */
  async #finish({ id, processorReference }: AttemptState, mayAct: boolean): Promise<void> {
    const state = processorReference === null ? 'created' : (await this.#sync(ACCOUNT, processorReference)).state;
    const isUnderWay = state === null || state === 'created' || (state === 'requires_action' && !mayAct);
    if (isUnderWay) await this.#cancelAttempt(id);
  }

  /** The worker asks about a payment: refunds without an answer, the payment itself, its refunds and disputes. */
  async reconcilePayment(attempt: AttemptState): Promise<void> {
    const { id: attemptId } = attempt;
    const { paymentReference: reference, account } = paymentOf(attempt);
    const { refunds } = await this.#read(attemptId);
    const unanswered = refunds.filter(
      ({ status, processorReference }) => status === 'pending' && processorReference === null,
    );
    const listed = unanswered.length > 0 ? await this.#bank.retrieveRefunds(account, reference) : [];
    for (const { id: refundId, amountCents } of unanswered) {
      const made = listed.find((each) => each.refundId === refundId);
      const request = { account, paymentReference: reference, refundId, amountCents };
      await this.#refunds(attemptId, [made ?? (await this.#bank.refund(request))]);
    }
    await this.#syncPayment(account, reference);
    for (const dispute of await this.#bank.retrieveDisputes(account, reference))
      await this.#changed(attemptId, (state, now) => disputeReported(state, attemptId, dispute, now));
  }

  /** The worker processes a notification: it asks the processor about its subject. */
  async notify({ account, subject }: Message): Promise<void> {
    if (subject.kind === 'payment') await this.#syncPayment(account, subject.reference);
    if (subject.kind !== 'dispute') return;
    const dispute = await this.#bank.retrieveDispute(account, subject.reference);
    const attempt = dispute && (await this.#syncPayment(account, dispute.paymentReference));
    if (attempt) await this.#changed(attempt.id, (state, now) => disputeReported(state, attempt.id, dispute, now));
  }

  /** Asks about a payment and its refunds, and applies the answers. Returns its attempt. */
  async #syncPayment(account: Account, reference: string): Promise<AttemptState | null> {
    const { state, attempt } = await this.#sync(account, reference);
    if (state !== 'succeeded' || attempt?.status !== 'accepted') return attempt;
    const { link } = await this.#read(attempt.id);
    const listed = await this.#bank.retrieveRefunds(account, reference);
    if (listed.length > 0) await this.#refunds(attempt.id, listed, link.version);
    return attempt;
  }

  /** Asks about a payment, cancels it if it is declined, and applies the answer. */
  async #sync(account: Account, reference: string) {
    const found = await this.#bank.retrieve(account, reference);
    const snapshot = found?.state === 'declined' ? await this.#bank.cancel(account, reference) : found;
    const attempt = snapshot === null ? null : await this.#apply(account, snapshot);
    return { state: snapshot?.state ?? null, attempt };
  }

  async #apply(account: Account, snapshot: PaymentSnapshot): Promise<AttemptState | null> {
    return (await applyPayment(this.#scope, account, snapshot, this.#change))?.attempt ?? null;
  }

  async #close(attemptId: string, event: 'fail' | 'cancel'): Promise<AttemptState> {
    const close: Decide = (state, now) => unregisteredClosed(state, attemptId, event, now);
    return attemptOf((await this.#changed(attemptId, close)).after, attemptId);
  }

  #refunds(attemptId: string, snapshots: readonly RefundSnapshot[], versionWhenAsked?: number): Promise<Changed> {
    return this.#changed(attemptId, (state, now) =>
      refundsReported(state, attemptId, snapshots, now, versionWhenAsked),
    );
  }

  #read(id: string): Promise<LinkState> {
    return readLink(this.#scope, { id, viewer: null }, this.#store);
  }

  /** Changes the link of this id, or of the attempt of this id. */
  #changed(id: string, decide: Decide, known: Read | null = null): Promise<Changed> {
    const now = () => this.#scope.clock.now();
    return this.#change(this.#scope, { id, viewer: null }, (state) => decide(state, now()), { known });
  }
}

type Decide = (state: LinkState, now: Date) => Decision;

/** Makes an open attempt, as `submit.ts` does. It has no record of an authorisation, because that is no state. */
function newAttempt({ id, practiceId, amountCents }: PaymentLink, methodType: MethodType, now: Date): PaymentAttempt {
  const attempt: AttemptState = {
    ...{ id: newId('paymentAttempt', now), practiceId, paymentLinkId: id, status: 'open', processor: 'sandbox' },
    ...{ processorAccountId: ACCOUNT.id, processorReference: null, methodType, amountCents, currency: 'usd' },
    ...{ failureReason: null, createdAt: now, closedAt: null },
    reconcileAt: new Date(now.getTime() + FIRST_RECONCILE_MS),
  };
  return attempt as PaymentAttempt;
}

function isInDoubt({ closedAt, reconcileAt }: AttemptState): boolean {
  return closedAt !== null && reconcileAt !== null;
}

function paymentOf({ processorReference, processorAccountId }: AttemptState) {
  if (processorReference === null) throw new Error('a paid attempt has no processor reference');
  return { account: { id: processorAccountId }, paymentReference: processorReference };
}
