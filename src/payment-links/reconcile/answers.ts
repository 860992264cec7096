import { report } from '../../base/diagnostics.ts';
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

/** Subject of a answer. */
export type Subject = keyof typeof ANSWERS;

/** Answer about a subject. */
export type Answer<Of extends Subject = Subject> = (typeof ANSWERS)[Of][number];

/** Reports a answer for the metrics. Call it after the commit. */
export function reportAnswer<Of extends Subject>(subject: Of, answer: Answer<Of>): void {
  report('reconciliation', () => ({ subject, answer }));
}

/** Returns the answer of a reconciliation that ended with this error. */
export function answerOfError(error: unknown): (typeof WITHOUT_ANSWER)[number] {
  if (error instanceof AccountLost) return 'disconnected';
  return error instanceof ProcessorUnavailable ? 'unavailable' : 'error';
}
