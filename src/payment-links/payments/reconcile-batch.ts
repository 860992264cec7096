import { report } from '../../platform/base/diagnostics.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { withinBudget } from '../../platform/base/time/time-budget.ts';
import { isLockTimeout } from '../../platform/database/query/errors.ts';
import { AccountLost, ProcessorUnavailable } from '../../processors/processor.ts';

/*
 * Answers of reconciliation: what a recurring job learned by one question to the processor. The processor should have sent a
 * notification of most changes before. So answers show whether its notifications arrive.
 */

/** Results of both subjects if there was no answer, or if it could not be applied. */
const WITHOUT_ANSWER = ['unavailable', 'disconnected', 'error'] as const;

/** Answers by their subject, about which a job asked the processor. */
export const ANSWERS = {
  /**
   * An attempt without an outcome, which gets one of the first three, is abandoned because its account is disconnected, or
   * stays undecided. `unchanged`: another process gave it its outcome first.
   */
  attempt: ['accepted', 'failed', 'cancelled', 'abandoned', 'undecided', 'unchanged', ...WITHOUT_ANSWER],
  /**
   * A payment that may still change. `repeated_refund`: one of ours whose answer was lost. `refund`: one that was made at the
   * processor, or has ended there.
   */
  payment: [
    'settled',
    'returned',
    'refund',
    'repeated_refund',
    'dispute',
    'bank_reversal',
    'unchanged',
    ...WITHOUT_ANSWER,
  ],
} as const;

type Subject = keyof typeof ANSWERS;

export type Answer<Of extends Subject = Subject> = (typeof ANSWERS)[Of][number];

/** Reports an answer for the metrics. Call it after the commit. */
function reportAnswer<Of extends Subject>(subject: Of, answer: Answer<Of>): void {
  report('reconciliation', () => ({ subject, answer }));
}

/** Returns the answer of a reconciliation that ended with this error. */
function chooseErrorAnswer(error: unknown): (typeof WITHOUT_ANSWER)[number] {
  if (error instanceof AccountLost) return 'disconnected';
  return error instanceof ProcessorUnavailable ? 'unavailable' : 'error';
}

/** Time budget of one payment. A worker that stops finishes its present payment. */
export const RECONCILE_BUDGET = { totalMs: 15_000, callsMs: 12_000 };

/** Most attempts, and most payments, per run of a job. The next run takes the next ones. */
const BATCH = 50;

/** Attempt or payment that a run has claimed. */
export interface Claimed {
  attemptId: string;
  practiceId: string;
}

/** Parts of a job that reconciles what is due. */
interface ReconcileOptions<Of extends Subject, Item extends Claimed> {
  subject: Of;
  /** Called before each item; false ends the run. */
  shouldContinue: () => boolean;
  /** Claims an item of none of these practices; null if none is due. */
  claim: (except: readonly string[]) => Promise<Item | null>;
  /** Reconciles an item. Calls `onAnswer` after each commit. */
  work: (claimed: Item, onAnswer: (answer: Answer<Of>) => void) => Promise<void>;
}

/**
 * Claims and reconciles one item after the other until none is due, the batch is full, or `shouldContinue` returns false. A failure
 * does not affect the others; the failed one is due again later. If one meets a lock, the rest of its practice is left
 * to a later run, because each would wait for the lock.
 */
export async function reconcileBatch<Of extends Subject, Item extends Claimed>(
  { log }: Scope,
  { subject, shouldContinue, claim, work }: ReconcileOptions<Of, Item>,
): Promise<void> {
  const onAnswer = (answer: Answer<Of>) => reportAnswer(subject, answer);
  const locked: string[] = [];
  for (let count = 0; count < BATCH && shouldContinue(); count++) {
    const claimed = await claim(locked);
    if (claimed === null) return;
    try {
      await withinBudget(RECONCILE_BUDGET, () => work(claimed, onAnswer));
    } catch (err) {
      reportAnswer(subject, chooseErrorAnswer(err));
      if (isLockTimeout(err)) locked.push(claimed.practiceId);
      log.warn({ attemptId: claimed.attemptId, err }, 'payment could not be reconciled; it is tried again');
    }
  }
}
