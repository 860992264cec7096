import { changeUnblocked } from '../../src/payment-links/api/change-link.ts';
import { beginAtProcessor, chargeAtProcessor } from '../../src/payment-links/checkout/submit.ts';
import { beginAttempt } from '../../src/payment-links/decide/attempt-decision.ts';
import { cancel, update } from '../../src/payment-links/decide/link-decision.ts';
import type { PaymentAttempt } from '../../src/payment-links/model/payment-attempt.entity.ts';
import type { PaymentLink } from '../../src/payment-links/model/payment-link.entity.ts';
import { statusAt } from '../../src/payment-links/model/transitions.ts';
import { abandonAttempt, type PaymentScope } from '../../src/payment-links/payments/apply.ts';
import { createRefund } from '../../src/payment-links/payments/create-refund.ts';
import { finishAttempt, finishPayment } from '../../src/payment-links/payments/reconcile.ts';
import { syncDispute, syncPayment } from '../../src/payment-links/payments/sync.ts';
import type { LinkValues } from '../../src/payment-links/state/fields.ts';
import type { AttemptState, LinkState } from '../../src/payment-links/state/state.ts';
import { type ChangeResult, type Decide, type Links, readLink } from '../../src/payment-links/store/change.ts';
import type { LinkRead } from '../../src/payment-links/store/port.ts';
import { decideExpiry } from '../../src/payment-links/upkeep/expire-links.ts';
import { newId } from '../../src/platform/base/ids.ts';
import type { Scope } from '../../src/platform/base/scope.ts';
import { AccountLost, type MethodType, type Processor } from '../../src/processors/processor.ts';
import type { BankPort, Message } from './bank.ts';

/** Account of the practice at the simulated processor. */
export const ACCOUNT = { id: 'acct_1' };

/** Time before an attempt of a disconnected account is abandoned, as in `reconcile.ts`. */
const ABANDON_AFTER_MS = 24 * 3_600_000;

/** Time until the sweep asks about an attempt, as in `submit.ts`. */
const FIRST_RECONCILE_MS = 180_000;

/**
 * A process that acts on links: an API, a worker, or one of their requests. It knows only what it has read, and the answers that it
 * got. It calls the use cases. Two read more than the store has, so it repeats their first steps: a submission, and checking again.
 */
export class Actor {
  readonly #scope: PaymentScope;

  constructor(scope: Scope, links: Links, bank: BankPort) {
    // The use cases make no other calls to the processor.
    this.#scope = { ...scope, processor: bank as Processor, ...links };
  }

  /** A patient pays. The attempt is recorded before the processor is asked, and its reference before the processor may charge. */
  async submit(linkId: string, methodType: MethodType): Promise<void> {
    const now = this.#now();
    const { link, attempts } = await this.#read(linkId);
    const isUnderWay = link.openAttemptId !== null || attempts.some(isInDoubt);
    if (statusAt(link, now) !== 'active' || isUnderWay) return;
    const attempt = newAttempt(link, methodType, now);
    const { id: attemptId, amountCents } = attempt;
    const { after, nextRead } = await this.#changed(linkId, (draft) => beginAttempt(draft, link.version, attempt));
    // The link has changed since it was read, so the page is shown again.
    if (after.link.openAttemptId !== attemptId) return;
    const intent = { account: ACCOUNT, attemptId, paymentLinkId: linkId, amountCents, currency: 'usd' as const };
    const patient = { methodToken: '', returnUrl: '', customerAddress: '', customerUserAgent: '' };
    const charge = { ...intent, methodType, statementDescriptorSuffix: null, ...patient };
    const begun = await beginAtProcessor(this.#scope, { intent: charge, priorRead: nextRead });
    if (begun !== null) await chargeAtProcessor(this.#scope, charge, begun);
  }

  /** The patient checks again. An attempt that took no money yet is cancelled, even if its process is still running. */
  async checkAgain(linkId: string): Promise<void> {
    const { attempts } = await this.#read(linkId);
    const attempt = attempts.find((each) => each.closedAt === null || isInDoubt(each));
    if (attempt !== undefined) await this.#finish(attempt, Number.POSITIVE_INFINITY);
  }

  /** The practice or its vendor cancels a link. An open attempt is cancelled first. */
  cancel(linkId: string, by: 'api' | 'staff'): Promise<LinkState> {
    return this.#unblocked(linkId, (draft) => cancel(draft, by, this.#now()));
  }

  /** The vendor changes a link. A new amount cancels an open attempt first. */
  update(linkId: string, changes: LinkValues): Promise<LinkState> {
    return this.#unblocked(linkId, (draft) => update(draft, changes, this.#now()));
  }

  #unblocked(linkId: string, decide: Decide): Promise<LinkState> {
    return changeUnblocked(this.#scope, { id: linkId, viewer: null }, decide);
  }

  /** The worker expires a link. */
  async expire(linkId: string): Promise<void> {
    await this.#changed(linkId, decideExpiry(this.#scope));
  }

  /** The practice refunds. A form that is sent again has the same id. */
  async refund(linkId: string, id: string, amountCents: number | null): Promise<void> {
    await createRefund(this.#scope, { linkId, amountCents, staff: { id } });
  }

  /** The worker asks about an attempt without an outcome. */
  async reconcileAttempt(attempt: AttemptState): Promise<void> {
    const ageMs = this.#now().getTime() - attempt.createdAt.getTime();
    try {
      await this.#finish(attempt, ageMs);
    } catch (error) {
      if (!(error instanceof AccountLost)) throw error;
      if (ageMs >= ABANDON_AFTER_MS) await abandonAttempt(this.#scope, attempt.id);
    }
  }

  async #finish(attempt: AttemptState, ageMs: number): Promise<void> {
    await finishAttempt(this.#scope, attempt, ageMs);
  }

  /** The worker asks about a payment: refunds without an answer, the payment itself, its refunds and disputes. */
  async reconcilePayment({ id: attemptId, processorAccountId, processorReference }: AttemptState): Promise<void> {
    if (processorReference === null) throw new Error('a paid attempt has no processor reference');
    const payment = { account: { id: processorAccountId }, attemptId, reference: processorReference };
    await finishPayment(this.#scope, payment, () => {});
  }

  /** The worker processes a notification: it asks the processor about its subject. */
  async notify({ account, subject }: Message): Promise<void> {
    const sync = subject.kind === 'payment' ? syncPayment : syncDispute;
    await sync(this.#scope, account, subject.reference);
  }

  #now(): Date {
    return this.#scope.clock.now();
  }

  #read(id: string): Promise<LinkState> {
    return readLink(this.#scope, { id, viewer: null }, this.#scope.store);
  }

  /** Changes the link of this id, or of the attempt of this id. */
  #changed(id: string, decide: Decide, priorRead: LinkRead | null = null): Promise<ChangeResult> {
    return this.#scope.change(this.#scope, { id, viewer: null }, decide, { priorRead });
  }
}

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
