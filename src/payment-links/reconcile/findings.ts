import { report } from '../../base/diagnostics.ts';
import { AccountLost, ProcessorUnavailable } from '../../processors/processor.ts';

/*
 * Reconciliation findings: what recurring jobs found when they asked the processor. The processor should have sent a notification
 * of most changes before. So findings show whether its notifications arrive.
 */

/** Findings of both subjects: there was no answer, or it could not be applied. */
const WITHOUT_ANSWER = ['unavailable', 'disconnected', 'error'] as const;

/** Findings by their subject, about which a job asked the processor. */
export const FINDINGS = {
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

/** Subject of a finding. */
export type Subject = keyof typeof FINDINGS;

/** Finding about a subject. */
export type Finding<Of extends Subject = Subject> = (typeof FINDINGS)[Of][number];

/** Reports a finding for the metrics. Call it after the commit. */
export function reportFinding<Of extends Subject>(subject: Of, finding: Finding<Of>): void {
  report('reconciliation', () => ({ subject, finding }));
}

/** Returns the finding of a reconciliation that ended with this error. */
export function findingOfError(error: unknown): (typeof WITHOUT_ANSWER)[number] {
  if (error instanceof AccountLost) return 'disconnected';
  return error instanceof ProcessorUnavailable ? 'unavailable' : 'error';
}
