import { fresh, type Limiter, type Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { createWriteBehind, type WriteBehind } from '../../platform/database/query/write-behind.ts';
import { type Processor, ProcessorUnavailable } from '../../processors/processor.ts';
import { isSandbox } from '../../processors/sandbox.ts';
import { simulateOnPage } from '../api/simulate.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import type { PaymentScope } from '../payments/apply.ts';
import { inDoubtFilter } from '../payments/payable.ts';
import { isSubmitting } from '../payments/submission-mark.ts';
import { cancelAttempt, syncAttempt } from '../payments/sync.ts';
import type { Links } from '../store/change.ts';
import { makePage, type PageData, readPage } from './page.ts';
import type { PageService, SubmitResult } from './port.ts';
import { requestReceipt } from './receipt.ts';
import { readResult, submitPayment } from './submit.ts';

/** Creates the service of the hosted pages, for one request. A submission is refused if the link has changed since its page was found. */
export function createPageService(
  scope: Scope,
  processor: Processor,
  links: Links,
  { transactions, openings }: { transactions?: Limiter; openings?: WriteBehind<Opening> } = {},
): PageService {
  /** Pages that were found, by token. */
  const pagesByToken = new Map<string, PageData>();
  const makeScope = (token: string): PaymentScope => {
    const practiceId = pagesByToken.get(token)?.practice.id;
    const transactionsOf = transactions && practiceId && { practiceId, limiter: transactions };
    return { ...scope, processor, ...links, ...(transactionsOf && { transactionsOf }) };
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
    submit: (token, submission) => submitPayment(makeScope(token), token, submission, pagesByToken.get(token)),
    resume: (token) => resume(makeScope(token), token),
    cancelAttempt: (token) => cancelAction(makeScope(token), token),
    async answerInSandbox(token, approve) {
      const attempt = await findUnfinishedAttempt(scope, token);
      if (attempt?.processorReference && isSandbox(processor)) {
        await processor.bank.answerAction(attempt.processorReference, approve);
      }
      return resume(makeScope(token), token);
    },
    simulate: (token, outcome) => simulateOnPage(fresh(makeScope(token)), token, outcome),
    requestReceipt: (token, order) => requestReceipt(makeScope(token), token, order),
  };
}

/** Asks the processor about an unfinished attempt. Cancels an uncharged one that no process is submitting. */
async function resume(scope: PaymentScope, token: string): Promise<SubmitResult> {
  const attempt = await findUnfinishedAttempt(scope, token);
  if (attempt === null) return 'not_payable';
  await ifAnswered(scope, attempt, async () => {
    const { snapshot } = await syncAttempt(scope, attempt);
    // The patient may still take the action of an open attempt, but not of an abandoned one.
    const isStaleAction = snapshot?.state === 'requires_action' && attempt.closedAt !== null;
    const isUncharged = attempt.processorReference === null || snapshot?.state === 'created';
    if ((isUncharged || isStaleAction) && !(await isSubmitting(scope, attempt.id))) await cancelAttempt(scope, attempt);
  });
  return readResult(scope, attempt.id);
}

/** Cancels an attempt that waits for the patient's action. A patient cannot stop a charge that has been requested. */
async function cancelAction(scope: PaymentScope, token: string): Promise<SubmitResult> {
  const attempt = await findUnfinishedAttempt(scope, token);
  if (attempt?.status !== 'requires_action') return resume(scope, token);
  const isAnswered = await ifAnswered(scope, attempt, () => cancelAttempt(scope, attempt));
  return isAnswered ? readResult(scope, attempt.id) : 'try_later';
}

/** Returns false if the processor does not answer. */
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

interface Opening {
  paymentLinkId: string;
  at: Date;
}

/** Counts openings of hosted pages. A page neither waits for the count nor fails with it. */
export function createOpenings(newScope: () => Scope): WriteBehind<Opening> {
  return createWriteBehind(newScope, 'the count of opened pages', writeOpenings);
}

/** Does not wait for synchronous standbys. The order of the links keeps two processes from a deadlock. */
const WRITE_OPENINGS = `
  insert into page_openings as o (payment_link_id, practice_id, first_opened_at, last_opened_at, open_count)
  select l.id, l.practice_id, min(n.at), max(n.at), count(*)
  from json_to_recordset($1) as n ("paymentLinkId" text, at timestamptz) join payment_links l on l.id = n."paymentLinkId",
    set_config('synchronous_commit', 'off', true)
  group by l.id order by l.id
  on conflict (payment_link_id) do update set first_opened_at = least(o.first_opened_at, excluded.first_opened_at),
    last_opened_at = greatest(o.last_opened_at, excluded.last_opened_at), open_count = o.open_count + excluded.open_count`;

async function writeOpenings({ em }: Scope, openings: readonly Opening[]): Promise<void> {
  await sql(em, WRITE_OPENINGS, [JSON.stringify(openings)]);
}
