import { ApiError } from '../../src/base/errors.ts';
import { newId } from '../../src/base/ids.ts';
import { disputeReported } from '../../src/payment-links/dispute/dispute-decision.ts';
import { BlockedByAttempt, cancelled, expired, unchanged, updated } from '../../src/payment-links/link/decide.ts';
import type { AttemptState, Decision, LinkState } from '../../src/payment-links/link/state.ts';
import { statusAt } from '../../src/payment-links/model/overdue.ts';
import {
  abandoned,
  attemptOf,
  unregisteredClosed,
  withAttempt,
} from '../../src/payment-links/payment/attempt-decision.ts';
import { paymentReported } from '../../src/payment-links/payment/payment-decision.ts';
import { lastRefundOf, refundRequested, refundsReported } from '../../src/payment-links/refund/refund-decision.ts';
import type { PaymentSnapshot, RefundSnapshot } from '../../src/processors/processor.ts';
import { Bank, type BankPayment } from './bank.ts';
import { checkChange, checkState } from './invariants.ts';

const ACCOUNT = { id: 'acct_1' };
const START = Date.UTC(2030, 0, 1);

/** A decision as a command makes it on the state that it reads. */
type Decide = (state: LinkState, now: Date) => Decision;

/** Numbers that choose an action and its details; what they mean depends on the moment. */
export type Step = readonly [action: number, one: number, two: number];

/**
 * One link with its patients, its processor, and processes that may stop at any moment. Nothing happens by itself: each step is
 * chosen from outside. After each write the invariants are checked.
 */
export class World {
  readonly bank = new Bank();
  readonly events: string[] = [];
  readonly mails: string[] = [];
  state: LinkState = newState();
  #nowMs = START;
  #version = 0;
  /** Decisions on a state that was read before, which are about to be written; answers and messages that are on their way. */
  #underWay: (() => void)[] = [];

  get now(): Date {
    return new Date(this.#nowMs);
  }

  /** Does what the numbers say. */
  step([action, one, two]: Step): void {
    const actions = this.#actions(one, two);
    actions[action % actions.length]?.();
  }

  /** Everything arrives, and the sweeps ask the processor until nothing changes any more. */
  settle(): void {
    for (let round = 0; round < 4; round++) {
      while (this.#underWay.length > 0) this.#underWay.shift()?.();
      this.#nowMs += 7 * 86_400_000;
      for (const payment of this.bank.payments) this.bank.resolve(payment, true);
      for (const payment of this.bank.payments)
        for (const [index, refund] of payment.refunds.entries())
          if (refund.state === 'pending') payment.refunds[index] = { ...refund, state: 'succeeded' };
      for (const { id } of this.state.attempts) this.#reconcile(id);
      this.#expire();
    }
  }

  /** The actions that can change something now. Those that lead on are listed more than once. */
  #actions(one: number, two: number): (() => void)[] {
    const { attempts, link } = this.state;
    const attempt = attempts.at(-1);
    const payment = pick(this.bank.payments, one);
    const isGood = two % 2 === 0;
    const isPaid = payment?.snapshot.state === 'succeeded';
    const arrive = () => this.#underWay.splice(one % this.#underWay.length, 1)[0]?.();
    const when = (isPossible: unknown, ...actions: (() => void)[]) => (isPossible ? actions : []);
    const begin = () => attempt && this.#begin(attempt, two);
    const confirm = () => attempt && this.#confirm(attempt, two);
    const isBegun = this.bank.payments.some(({ snapshot }) => snapshot.attemptId === attempt?.id);
    const isRecorded = attempt?.status === 'open' && attempt.processorReference !== null;
    return [
      ...when(link.status === 'active' && link.openAttemptId === null, () =>
        this.#submit(isGood ? 'card' : 'us_bank_account'),
      ),
      ...when(attempt?.status === 'open' && !isBegun, begin, begin, begin),
      ...when(isRecorded, confirm, confirm, confirm),
      ...when(this.#underWay.length > 0, arrive, arrive, () => {
        // A process stops, or a message is lost.
        this.#underWay.splice(one % this.#underWay.length, 1);
      }),
      ...when(payment, () => payment && this.bank.resolve(payment, two % 3 > 0)),
      ...when(payment, () => payment && this.#notify(payment, two)),
      ...when(attempts.length > 0 && two % 3 === 0, () => this.#reconcile(pick(attempts, one)?.id ?? '')),
      ...when(link.status === 'active' && one % 3 === 0, () =>
        this.#change((state, now) => cancelled(state, 'api', now), 'may refuse'),
      ),
      // A payment of a former amount is refused for good.
      ...when(link.status === 'active' && one % 3 === 0, () =>
        this.#change((state, now) => updated(state, { amountCents: state.link.amountCents + 1 }, now), 'may refuse'),
      ),
      () => this.#expire(),
      ...when(this.state.transaction?.status === 'succeeded', () => this.#refund(two)),
      ...when(isPaid, () => payment && this.bank.refund(payment, null, 1 + (two % 700), STATES[two % 3] ?? 'pending')),
      ...when(payment?.refunds.length, () => payment && moveRefund(payment, one, isGood)),
      ...when(isPaid && payment.disputes.length < 3, () => {
        const isDebit = payment?.snapshot.method?.type === 'us_bank_account';
        if (payment) this.bank.dispute(payment, isDebit && isGood, 1 + (one % 1_000));
      }),
      ...when(payment?.disputes.length, () => payment && closeDispute(payment, one, isGood)),
      // Only a question that needs the reference finds that the account is lost.
      ...when(isRecorded, () => attempt && this.#change((state, now) => abandoned(state, attempt.id, now))),
      () => {
        this.#nowMs += (one % 5) ** 4 * 3_600_000;
      },
    ];
  }

  /** A patient submits the page. The attempt is on record before the processor is asked. */
  #submit(methodType: AttemptState['methodType']): void {
    this.#change((state, now) => {
      const { link } = state;
      const inDoubt = state.attempts.some(({ closedAt, reconcileAt }) => closedAt !== null && reconcileAt !== null);
      if (statusAt(link, now) !== 'active' || link.openAttemptId !== null || inDoubt) return unchanged(state);
      const id = newId('paymentAttempt', now);
      const attempt: AttemptState = {
        ...{ id, practiceId: link.practiceId, paymentLinkId: link.id, status: 'open', processor: 'sandbox' },
        ...{ processorAccountId: ACCOUNT.id, processorReference: null, methodType, amountCents: link.amountCents },
        ...{ currency: 'usd', failureReason: null, createdAt: now, closedAt: null, reconcileAt: now },
      };
      return unchanged({ ...withAttempt(state, attempt), link: { ...link, openAttemptId: id } });
    });
  }

  /** The processor begins the payment; its reference is recorded unless the attempt was closed. */
  #begin({ id, amountCents, methodType }: AttemptState, two: number): void {
    if (this.bank.payments.some(({ snapshot }) => snapshot.attemptId === id)) return;
    const reference = this.bank.begin(id, amountCents, methodType);
    this.#later(two, (state) => {
      const attempt = attemptOf(state, id);
      return unchanged(
        attempt.status === 'open' ? withAttempt(state, { ...attempt, processorReference: reference }) : state,
      );
    });
  }

  /** The charge, which only a recorded reference allows, and its answer. */
  #confirm({ status, processorReference }: AttemptState, two: number): void {
    if (processorReference === null || status !== 'open') return;
    const outcome = (['succeed', 'succeed', 'challenge', 'fail'] as const)[two % 4] ?? 'succeed';
    this.#answer(this.bank.confirm(processorReference, outcome), two >> 2);
  }

  #answer(snapshot: PaymentSnapshot, two: number): void {
    const { attemptId } = snapshot;
    if (attemptId !== null) this.#later(two, (state, now) => paymentReported(state, attemptId, ACCOUNT, snapshot, now));
  }

  /** Messages name an object. Its state at the moment of the question is applied, maybe much later, or in part only. */
  #notify({ snapshot, refunds, disputes }: BankPayment, two: number): void {
    const { attemptId } = snapshot;
    if (attemptId === null) return;
    const reported = [...refunds];
    const known = two % 3 === 0 ? [...disputes] : [];
    const apply = () => {
      this.#change((state, now) => paymentReported(state, attemptId, ACCOUNT, snapshot, now));
      if (snapshot.state !== 'succeeded' || two % 5 === 0) return;
      this.#change((state, now) => refundsReported(state, attemptId, reported, now));
      for (const dispute of known) this.#change((state, now) => disputeReported(state, attemptId, dispute, now));
    };
    if (two % 2 === 0) apply();
    else this.#underWay.push(apply);
  }

  /** The sweep: asks about the attempt, cancels what is not final, repeats refunds without an answer. */
  #reconcile(id: string): void {
    const attempt = attemptOf(this.state, id);
    const { processorReference: reference } = attempt;
    if (reference === null) {
      this.#change((state, now) => unregisteredClosed(state, id, 'cancel', now));
      return;
    }
    const isOver = attempt.closedAt !== null && attempt.reconcileAt === null;
    const snapshot = isOver ? this.bank.of(reference).snapshot : this.bank.cancel(reference);
    this.#change((state, now) => paymentReported(state, id, ACCOUNT, snapshot, now));
    const payment = this.bank.of(reference);
    for (const refund of this.state.refunds) {
      const isOurs =
        refund.status === 'pending' && refund.processorReference === null && refund.bankReversalId === null;
      if (isOurs && this.state.transaction?.attemptId === id)
        this.bank.refund(payment, refund.id, refund.amountCents, 'pending');
    }
    if (payment.snapshot.state !== 'succeeded') return;
    this.#change((state, now) => refundsReported(state, id, payment.refunds, now));
    for (const dispute of payment.disputes) this.#change((state, now) => disputeReported(state, id, dispute, now));
  }

  #expire(): void {
    this.#change((state, now) =>
      state.link.status === 'active' && statusAt(state.link, now) === 'expired'
        ? expired(state, 'system', now)
        : unchanged(state),
    );
  }

  /** A refund of the practice: recorded, asked for, answered. */
  #refund(two: number): void {
    const before = this.state.refunds.length;
    const order = { amountCents: two % 5 === 0 ? null : 1 + (two % 700), reason: null };
    this.#change((state, now) => refundRequested(state, order, 'sandbox', now), 'may refuse');
    if (this.state.refunds.length === before) return;
    const { id, amountCents } = lastRefundOf(this.state);
    const { attemptId } = this.state.transaction ?? {};
    const payment = this.bank.payments.find(({ snapshot }) => snapshot.attemptId === attemptId);
    // The process may stop before it asks.
    if (payment === undefined || !attemptId || two % 7 === 0) return;
    const snapshot = this.bank.refund(payment, id, amountCents, STATES[two % 3] ?? 'pending');
    this.#later(two >> 3, (state, now) => refundsReported(state, attemptId, [snapshot], now));
  }

  /** Reads now and writes later: a state that has changed since is stale, and the command decides again. */
  #later(two: number, decide: Decide): void {
    const version = this.#version;
    const decision = decide(this.state, this.now);
    const write = () => (this.#version === version ? this.#write(decision) : this.#change(decide));
    if (two % 2 === 0) write();
    else this.#underWay.push(write);
  }

  #change(decide: Decide, refusal: 'may refuse' | null = null): void {
    try {
      this.#write(decide(this.state, this.now));
    } catch (error) {
      // The rules refuse the command, or want the open attempt cancelled first. Nothing changes.
      if (error instanceof BlockedByAttempt) this.#reconcile(error.attemptId);
      else if (refusal === null || !(error instanceof ApiError)) throw error;
    }
  }

  #write(decision: Decision): void {
    const { state: after, events, mails } = decision;
    checkChange(this.state, decision);
    this.state = after;
    this.#version += 1;
    this.events.push(...events.map(({ event }) => event.type.replace('payment_link.', '')));
    for (const { kind, subjectId } of mails) this.mails.push(`${kind} ${subjectId}`);
    checkState(this);
  }
}

const STATES: readonly RefundSnapshot['state'][] = ['pending', 'succeeded', 'failed'];

function pick<T>(list: readonly T[], number: number): T | undefined {
  return list[number % Math.max(1, list.length)];
}

/** A refund succeeds or fails, also after it succeeded. */
function moveRefund({ refunds }: BankPayment, one: number, isGood: boolean): void {
  const index = one % Math.max(1, refunds.length);
  const refund = refunds[index];
  if (refund === undefined || refund.state === 'failed' || (isGood && refund.state === 'succeeded')) return;
  refunds[index] = { ...refund, state: isGood ? 'succeeded' : 'failed' };
}

function closeDispute({ disputes }: BankPayment, one: number, isGood: boolean): void {
  const index = one % Math.max(1, disputes.length);
  const dispute = disputes[index];
  if (dispute?.state === 'open') disputes[index] = { ...dispute, state: isGood ? 'won' : 'lost' };
}

function newState(): LinkState {
  const now = new Date(START);
  return {
    location: { id: 'loc_1', name: 'Downtown' },
    ...{ attempts: [], transaction: null, refunds: [], disputes: [], reversals: [] },
    link: {
      ...{ id: 'plink_1', practiceId: 'prac_1', locationId: 'loc_1', test: false, token: 'token', source: 'api' },
      ...{ status: 'active', amountCents: 1_000, currency: 'usd', description: 'Cleaning', externalReference: null },
      ...{ metadata: null, patientId: null, patientFirstName: 'Ada', patientLastName: 'Byron', patientPhone: null },
      ...{ patientEmail: null, patientExternalId: null, paidAt: null, closedAt: null, closedBy: null, version: 1 },
      ...{ openAttemptId: null, createdAt: now, expiresAt: new Date(START + 30 * 86_400_000) },
    },
  };
}
