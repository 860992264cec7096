import { fresh, type Scope } from '../../base/scope.ts';
import type { PracticeLimiter } from '../../limits/practice-limiter.ts';
import { Location } from '../../practices/location.entity.ts';
import { Practice } from '../../practices/practice.entity.ts';
import {
  type ClientAction,
  type MethodType,
  type Processor,
  ProcessorUnavailable,
} from '../../processors/processor.ts';
import { isSandbox } from '../../processors/sandbox.ts';
import { type LoadedParts, loadPartsOf } from '../link/views.ts';
import { statusAt } from '../model/overdue.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import type { Refund } from '../model/refund.entity.ts';
import { accountOf, inDoubt, isInDoubt, methodsOf, payabilityOf, throttledUntil } from '../payment/payable.ts';
import { isSubmitting } from '../payment/submission-mark.ts';
import { cancelAttempt, syncAttempt } from '../reconcile/reconcile.ts';
import { simulateOnPage } from '../simulate/simulate.ts';
import type { LinkPage, PageService, PageState, SubmitResult } from './port.ts';
import { resultOf, submitPayment } from './submit.ts';

/**
 * Creates the service of the hosted pages, for one request. Each call loads its data again.
 *
 * @param transactions limiter of the practice's concurrent transactions; without it there is no limit
 */
export function createPageService(scope: Scope, processor: Processor, transactions?: PracticeLimiter): PageService {
  const withLimiter = async (token: string): Promise<Scope> => {
    if (transactions === undefined) return scope;
    const link = await fresh(scope).em.findOne(PaymentLink, { token }, { fields: ['practiceId'] });
    return link === null ? scope : { ...scope, transactionsOf: { practiceId: link.practiceId, limiter: transactions } };
  };
  return {
    find: (token) => findPage(fresh(scope), processor, token),
    submit: async (token, submission) => submitPayment(await withLimiter(token), processor, token, submission),
    resume: async (token) => resume(await withLimiter(token), processor, token),
    cancelAttempt: async (token) => cancelAction(await withLimiter(token), processor, token),
    async actInSandbox(token, approve) {
      const attempt = await openAttempt(scope, token);
      if (attempt?.processorReference && isSandbox(processor)) {
        await processor.bank.act(attempt.processorReference, approve);
      }
      return resume(await withLimiter(token), processor, token);
    },
    async simulate(token, outcome) {
      await simulateOnPage(fresh(await withLimiter(token)), token, outcome);
    },
  };
}

/**
 * Asks the processor about the open attempt, or about an abandoned one in doubt. An uncharged attempt that no process
 * is submitting is cancelled at the processor. The processor then refuses a confirmation that arrives later, and the
 * link can safely be paid again.
 */
async function resume(scope: Scope, processor: Processor, token: string): Promise<SubmitResult> {
  const attempt = (await openAttempt(scope, token)) ?? (await attemptInDoubt(scope, token));
  if (attempt === null) return 'not_payable';
  try {
    const snapshot = await syncAttempt(scope, processor, attempt);
    // The patient may still take the action of an open attempt, but not of an abandoned one.
    const isStaleAction = snapshot?.state === 'requires_action' && attempt.closedAt !== null;
    const isUncharged = attempt.processorReference === null || snapshot?.state === 'created';
    if ((isUncharged || isStaleAction) && !(await isSubmitting(scope, attempt.id)))
      await cancelAttempt(scope, processor, attempt);
  } catch (err) {
    if (!(err instanceof ProcessorUnavailable)) throw err;
    scope.log.warn({ err, attemptId: attempt.id }, 'the processor does not answer; the attempt stays open');
  }
  return resultOf(scope, attempt.id);
}

/** Cancels an attempt that waits for the patient's action. A patient cannot stop a charge that has been requested. */
async function cancelAction(scope: Scope, processor: Processor, token: string): Promise<SubmitResult> {
  const attempt = await openAttempt(scope, token);
  if (attempt?.status !== 'requires_action') return resume(scope, processor, token);
  try {
    await cancelAttempt(scope, processor, attempt);
  } catch (err) {
    if (!(err instanceof ProcessorUnavailable)) throw err;
    scope.log.warn({ err, attemptId: attempt.id }, 'the processor does not answer; the attempt stays open');
    return 'try_later';
  }
  return resultOf(scope, attempt.id);
}

async function openAttempt(scope: Scope, token: string): Promise<PaymentAttempt | null> {
  const { em } = fresh(scope);
  const link = await em.findOne(PaymentLink, { token });
  return link?.openAttemptId ? em.findOne(PaymentAttempt, { id: link.openAttemptId }) : null;
}

async function attemptInDoubt(scope: Scope, token: string): Promise<PaymentAttempt | null> {
  const { em } = fresh(scope);
  const link = await em.findOne(PaymentLink, { token });
  return link === null ? null : em.findOne(PaymentAttempt, inDoubt(link));
}

async function findPage(scope: Scope, processor: Processor, token: string): Promise<LinkPage | null> {
  const link = await scope.em.findOne(PaymentLink, { token });
  if (link === null) return null;
  const practice = await scope.em.findOneOrFail(Practice, { id: link.practiceId });
  const location = await scope.em.findOneOrFail(Location, { id: link.locationId });
  const parts = await loadPartsOf(scope, link);
  const latest = await latestAttempt(scope, link);
  const isOpen = latest !== null && latest.id === link.openAttemptId;
  const state = await stateOf(scope, processor, { link, practice, parts, waits: latest?.status === 'requires_action' });
  const account = accountOf(processor, practice);
  return {
    state,
    linkId: link.id,
    token,
    test: link.test,
    practice: { name: practice.name },
    location: { name: location.name, city: location.city, state: location.state, timeZone: location.timeZone },
    phone: location.phone ?? practice.phone,
    description: link.description,
    amountCents: link.amountCents,
    expiresAt: link.expiresAt,
    paidAt: link.paidAt,
    payment: paymentOf(parts),
    authorisation: await authorisationOf(scope, parts),
    throttledUntil: state === 'throttled' ? await throttledUntil(scope, link) : null,
    lastFailure: state === 'payable' ? recentFailure(latest, scope.clock.now()) : null,
    methods: state === 'payable' && !link.test ? methodsOf(practice) : [],
    client: link.test || account === null ? { processor: 'sandbox' } : processor.clientConfig(account),
    clientAction: state === 'requires_action' && isOpen ? await actionOf(processor, latest) : null,
  };
}

/** Time for which the page shows a decline. */
const FAILURE_SHOWN_MS = 30 * 60_000;

function recentFailure(latest: PaymentAttempt | null, now: Date): string | null {
  if (latest === null || latest.closedAt === null) return null;
  return now.getTime() - latest.closedAt.getTime() < FAILURE_SHOWN_MS ? latest.failureReason : null;
}

/** Returns the latest attempt; that is the open one, if there is one. */
async function latestAttempt(scope: Scope, { id }: PaymentLink): Promise<PaymentAttempt | null> {
  const orderBy = { createdAt: 'desc' as const, id: 'desc' as const };
  return scope.em.findOne(PaymentAttempt, { paymentLinkId: id }, { orderBy });
}

async function stateOf(
  scope: Scope,
  processor: Processor,
  { link, practice, parts, waits }: { link: PaymentLink; practice: Practice; parts: LoadedParts; waits: boolean },
): Promise<PageState> {
  const status = statusAt(link, scope.clock.now());
  if (status === 'paid') return paidState(parts);
  // All other states promise that no money was taken.
  if (await isInDoubt(scope, link)) return 'in_progress';
  if (status !== 'active') return status;
  // No money moves on a test link, so the practice's account does not matter.
  if (link.test) return 'payable';
  const payability = await payabilityOf(scope, processor, link, practice);
  if (payability === 'under_way') return waits ? 'requires_action' : 'in_progress';
  return payability === 'closed' ? 'expired' : payability;
}

function paidState({ transaction, refunds }: LoadedParts): PageState {
  if (transaction === null) throw new Error('a paid link has no transaction');
  if (refunds.some(isReversal)) return 'bank_reversed';
  const states = { pending: 'bank_pending', succeeded: 'paid', failed: 'bank_failed', refunded: 'refunded' } as const;
  return states[transaction.status];
}

function paymentOf({ transaction, refunds }: LoadedParts): LinkPage['payment'] {
  if (transaction === null) return null;
  const sum = (which: (refund: Refund) => boolean) =>
    refunds.filter(which).reduce((cents, { amountCents }) => cents + amountCents, 0);
  return {
    // The column contains values of MethodType only.
    methodType: transaction.paymentMethodType as MethodType,
    brand: transaction.paymentMethodBrand,
    last4: transaction.paymentMethodLast4,
    processedAt: transaction.processedAt,
    refundedCents: sum((refund) => refund.status === 'succeeded' && !isReversal(refund)),
    refundingCents: sum(({ status }) => status === 'pending'),
    reversedCents: sum(isReversal),
    number: transaction.paymentNumber,
    statementDescriptor: transaction.statementDescriptor,
  };
}

/** Returns the authorisation of the debit, which is stored with the attempt that made the payment. */
async function authorisationOf(scope: Scope, { transaction }: LoadedParts): Promise<LinkPage['authorisation']> {
  if (transaction === null || transaction.attemptId === null) return null;
  const attempt = await scope.em.findOneOrFail(PaymentAttempt, { id: transaction.attemptId });
  const { authorisationText: text, locale, createdAt: at } = attempt;
  return text === null || locale === null ? null : { text, locale, at };
}

/** Returns true for a bank reversal: the patient's bank took the money back. */
function isReversal({ status, bankReversalId }: Refund): boolean {
  return status === 'succeeded' && bankReversalId !== null;
}

/** Asks the processor for the action that the payment requires. The action is never stored. */
async function actionOf(processor: Processor, attempt: PaymentAttempt): Promise<ClientAction | null> {
  if (attempt.processorReference === null || attempt.processor !== processor.name) return null;
  try {
    const account = { id: attempt.processorAccountId };
    return (await processor.retrieve(account, attempt.processorReference))?.clientAction ?? null;
  } catch (error) {
    if (error instanceof ProcessorUnavailable) return null;
    throw error;
  }
}
