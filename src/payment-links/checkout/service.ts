import { fresh, type Limiter, type Scope } from '../../platform/base/scope.ts';
import type { WriteBehind } from '../../platform/database/query/write-behind.ts';
import { type Processor, ProcessorUnavailable } from '../../processors/processor.ts';
import { isSandbox } from '../../processors/sandbox.ts';
import { simulateOnPage } from '../api/simulate.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import type { PaymentDependencies } from '../payments/apply.ts';
import { inDoubtFilter } from '../payments/payable.ts';
import { isSubmitting } from '../payments/submission-mark.ts';
import { cancelAttempt, syncAttempt } from '../payments/sync.ts';
import type { Links } from '../store/change.ts';
import type { Opening } from './openings.ts';
import { makePage } from './page.ts';
import type { PageService, SubmitResult } from './port.ts';
import { type PageData, readPage } from './read-page.ts';
import { requestReceipt } from './receipt.ts';
import { readResult, submitPayment } from './submit.ts';

/**
 * Creates the service of the hosted pages, for one request. A submission is checked by the page that was found, and
 * refused if the link has changed since. Each other call loads its data again.
 *
 * @param options.transactions limiter of concurrent transactions, for the practices of pages that were found; absent: no limit
 * @param options.openings counts openings of pages; without it nobody does
 */
export function createPageService(
  scope: Scope,
  processor: Processor,
  links: Links,
  { transactions, openings }: { transactions?: Limiter; openings?: WriteBehind<Opening> } = {},
): PageService {
  const dependencies = { processor, ...links };
  /** Data of the pages that were found, by token. A link never moves to another practice. */
  const pagesByToken = new Map<string, PageData>();
  const withLimiter = (token: string): Scope => {
    const practiceId = pagesByToken.get(token)?.practice.id;
    if (transactions === undefined || practiceId === undefined) return scope;
    return { ...scope, transactionsOf: { practiceId, limiter: transactions } };
  };
  return {
    async find(token) {
      const data = await readPage(scope, token);
      if (data === null) return null;
      pagesByToken.set(token, data);
      return makePage(scope, processor, data);
    },
    countOpening({ linkId }) {
      openings?.add({ paymentLinkId: linkId, at: scope.clock.now() });
    },
    submit: (token, submission) =>
      submitPayment(withLimiter(token), dependencies, token, submission, pagesByToken.get(token)),
    resume: (token) => resume(withLimiter(token), dependencies, token),
    cancelAttempt: (token) => cancelAction(withLimiter(token), dependencies, token),
    async answerInSandbox(token, approve) {
      const attempt = await findUnfinishedAttempt(scope, token);
      if (attempt?.processorReference && isSandbox(processor)) {
        await processor.bank.answerAction(attempt.processorReference, approve);
      }
      return resume(withLimiter(token), dependencies, token);
    },
    async simulate(token, outcome) {
      await simulateOnPage(fresh(withLimiter(token)), token, outcome);
    },
    requestReceipt: (token, order) => requestReceipt(withLimiter(token), token, order),
  };
}

/**
 * Asks the processor about the open attempt, or about an abandoned one in doubt. An uncharged attempt that no process
 * is submitting is cancelled at the processor. The processor then refuses a confirmation that arrives later, and the
 * link can safely be paid again.
 */
async function resume(scope: Scope, dependencies: PaymentDependencies, token: string): Promise<SubmitResult> {
  const attempt = await findUnfinishedAttempt(scope, token);
  if (attempt === null) return 'not_payable';
  await ifAnswered(scope, attempt, async () => {
    const { snapshot } = await syncAttempt(scope, dependencies, attempt);
    // The patient may still take the action of an open attempt, but not of an abandoned one.
    const isStaleAction = snapshot?.state === 'requires_action' && attempt.closedAt !== null;
    const isUncharged = attempt.processorReference === null || snapshot?.state === 'created';
    if ((isUncharged || isStaleAction) && !(await isSubmitting(scope, attempt.id)))
      await cancelAttempt(scope, dependencies, attempt);
  });
  return readResult(scope, attempt.id, dependencies.store);
}

/** Cancels an attempt that waits for the patient's action. A patient cannot stop a charge that has been requested. */
async function cancelAction(scope: Scope, dependencies: PaymentDependencies, token: string): Promise<SubmitResult> {
  const attempt = await findUnfinishedAttempt(scope, token);
  if (attempt?.status !== 'requires_action') return resume(scope, dependencies, token);
  const isAnswered = await ifAnswered(scope, attempt, () => cancelAttempt(scope, dependencies, attempt));
  return isAnswered ? readResult(scope, attempt.id, dependencies.store) : 'try_later';
}

/** Does the work about an attempt. Returns false if the processor does not answer. */
async function ifAnswered({ log }: Scope, { id }: PaymentAttempt, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (err) {
    if (!(err instanceof ProcessorUnavailable)) throw err;
    log.warn({ err, attemptId: id }, 'the processor does not answer; the attempt stays open');
    return false;
  }
}

/** Returns the link's open attempt, or else an abandoned one in doubt. */
async function findUnfinishedAttempt(scope: Scope, token: string): Promise<PaymentAttempt | null> {
  const { em } = fresh(scope);
  const link = await em.findOne(PaymentLink, { token });
  if (link === null) return null;
  return em.findOne(PaymentAttempt, link.openAttemptId === null ? inDoubtFilter(link) : { id: link.openAttemptId });
}
