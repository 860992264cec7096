import { report } from '../../platform/base/diagnostics.ts';
import { withinBudget } from '../../platform/base/time/time-budget.ts';
import { isLockTimeout } from '../../platform/database/query/errors.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { AccountLost, ProcessorUnavailable } from '../../processors/processor.ts';
import { getAccount, PaymentAttempt } from '../model/payment-attempt.entity.ts';
import type { AttemptState } from '../state/state.ts';
import { syncAccount } from './account.ts';
import { abandonAttempt, type PaymentScope, readAttempt, readOutcome } from './apply.ts';
import { cancelAttempt, repeatRefunds, type SettledPayment, syncAttempt, syncDisputes, syncPayment } from './sync.ts';

/* The recurring jobs that ask the processor about attempts and payments. What they find shows whether its notifications arrive. */

/** Results of both subjects if there was no answer, or if it could not be applied. */
const WITHOUT_ANSWER = ['unavailable', 'disconnected', 'error'] as const;

export const ANSWERS = {
  /** `abandoned`: the account is disconnected. `unchanged`: another process gave the attempt its outcome first. */
  attempt: ['accepted', 'failed', 'cancelled', 'abandoned', 'undecided', 'unchanged', ...WITHOUT_ANSWER],
  /** `repeated_refund`: one of ours whose answer was lost. `refund`: one that was made at the processor, or has ended there. */
  payment: [
    ...['settled', 'returned', 'refund', 'repeated_refund', 'dispute', 'bank_reversal', 'unchanged'],
    ...WITHOUT_ANSWER,
  ],
} as const;

type Answer<Subject extends keyof typeof ANSWERS> = (typeof ANSWERS)[Subject][number];

/** Time budget of one payment. A worker that stops finishes its present payment. */
export const RECONCILE_BUDGET = { totalMs: 15_000, callsMs: 12_000 };

/** Most attempts, and most payments, per run of a job. */
const BATCH = 50;

/** Time for a patient's step such as 3-D Secure before the attempt is cancelled. */
const ACTION_MS = 15 * 60_000;

/** Time before an attempt of a disconnected account is abandoned. The practice may connect the account again until then. */
const ABANDON_AFTER_MS = 24 * 3_600_000;

interface ClaimedItem {
  attemptId: string;
  practiceId: string;
}

/** Claims and reconciles one item after the other. If one meets a lock, the rest of its practice is left to a later run. */
async function reconcileBatch<Subject extends keyof typeof ANSWERS, Item extends ClaimedItem>(
  scope: PaymentScope,
  subject: Subject,
  shouldContinue: () => boolean,
  claim: (scope: PaymentScope, now: Date, exceptPractices: readonly string[]) => Promise<Item | null>,
  work: (item: Item, onAnswer: (answer: Answer<Subject>) => void) => Promise<void>,
): Promise<void> {
  const onAnswer = (answer: Answer<Subject>) => report('reconciliation', () => ({ subject, answer }));
  const now = scope.clock.now();
  const lockedPractices: string[] = [];
  for (let count = 0; count < BATCH && shouldContinue(); count++) {
    const item = await claim(scope, now, lockedPractices);
    if (item === null) return;
    try {
      await withinBudget(RECONCILE_BUDGET, () => work(item, onAnswer));
    } catch (err) {
      onAnswer(chooseErrorAnswer(err));
      if (isLockTimeout(err)) lockedPractices.push(item.practiceId);
      scope.log.warn({ attemptId: item.attemptId, err }, 'payment could not be reconciled; it is tried again');
    }
  }
}

function chooseErrorAnswer(error: unknown): (typeof WITHOUT_ANSWER)[number] {
  if (error instanceof AccountLost) return 'disconnected';
  return error instanceof ProcessorUnavailable ? 'unavailable' : 'error';
}

/** Asks once about all due payment attempts. Abandons attempts whose account has been disconnected for a day. Any number of workers may run it. */
export async function reconcileAttempts(
  newScope: () => PaymentScope,
  shouldContinue: () => boolean = () => true,
): Promise<void> {
  const scope = newScope();
  await reconcileBatch(scope, 'attempt', shouldContinue, claimAttempt, async ({ attemptId }, onAnswer) => {
    const attempt = await newScope().em.findOneOrFail(PaymentAttempt, { id: attemptId });
    const ageMs = scope.clock.now().getTime() - attempt.createdAt.getTime();
    try {
      onAnswer(await finishAttempt(newScope(), attempt, ageMs));
    } catch (error) {
      if (!(error instanceof AccountLost)) throw error;
      await syncAccount(newScope(), scope.processor, getAccount(attempt));
      if (ageMs < ABANDON_AFTER_MS) throw error;
      onAnswer((await abandonAttempt(newScope(), attemptId)) ? 'abandoned' : 'disconnected');
    }
  });
}

/** Asks about an attempt, and cancels it unless it is final or the patient may still take the action. */
export async function finishAttempt(
  scope: PaymentScope,
  attempt: AttemptState,
  ageMs: number,
): Promise<Answer<'attempt'>> {
  const { snapshot, outcomeChange } = await syncAttempt(scope, attempt);
  const isUnderWay = snapshot === null || snapshot.state === 'created' || snapshot.state === 'requires_action';
  const mayWait = snapshot?.state === 'requires_action' && ageMs < ACTION_MS;
  const outcome = isUnderWay && !mayWait ? await cancelAttempt(scope, attempt) : outcomeChange;
  if (outcome !== null) return outcome;
  // A notification or the patient's return may have closed the attempt since the claim.
  return readOutcome(await readAttempt(scope, attempt.id)) === null ? 'undecided' : 'unchanged';
}

/** Claims the attempt that has been due longest. It is due again after its present age, within an hour. A claim raises no version. */
async function claimAttempt(scope: PaymentScope, now: Date, except: readonly string[]): Promise<ClaimedItem | null> {
  const [item] = await sql<ClaimedItem>(
    scope.em,
    `update payment_attempts set reconcile_at = $1::timestamptz
       + least(greatest($1::timestamptz - created_at, interval '1 minute'), interval '1 hour')
     where id = (select id from payment_attempts where reconcile_at <= $1 and processor = $2
       and practice_id <> all ($3) order by reconcile_at limit 1 for update skip locked)
     returning id as "attemptId", practice_id as "practiceId"`,
    [now, scope.processor.name, except],
  );
  return item ?? null;
}

/** Asks once about all due payments that may still change: settlement, fee, refunds, disputes. */
export async function reconcileTransactions(
  newScope: () => PaymentScope,
  shouldContinue: () => boolean = () => true,
): Promise<void> {
  await reconcileBatch(newScope(), 'payment', shouldContinue, claimPayment, async (payment, onAnswer) => {
    let isUnchanged = true;
    await finishPayment(newScope(), payment, (answer) => {
      isUnchanged = false;
      onAnswer(answer);
    });
    if (isUnchanged) onAnswer('unchanged');
  });
}

/** Asks about a payment: our refunds without an answer, the payment itself, its refunds and disputes. Calls `onChange` after each commit. */
export async function finishPayment(
  scope: PaymentScope,
  payment: SettledPayment,
  onChange: (answer: Answer<'payment'>) => void,
): Promise<void> {
  await repeatRefunds(scope, payment, () => onChange('repeated_refund'));
  await syncPayment(scope, payment.account, payment.reference, onChange);
  await syncDisputes(scope, payment, onChange);
}

/** Claims the payment that has been due longest. If its check fails, it is due again in an hour. A claim raises no version. */
async function claimPayment(
  scope: PaymentScope,
  now: Date,
  except: readonly string[],
): Promise<(SettledPayment & ClaimedItem) | null> {
  const [item] = await sql<SettledPayment & ClaimedItem>(
    scope.em,
    `with claimed as (
       update transactions set reconcile_at = $1::timestamptz + interval '1 hour'
       where id = (select t.id from transactions t join payment_attempts a on a.id = t.attempt_id
         where t.reconcile_at <= $1 and a.processor = $2 and a.processor_reference is not null
         and t.practice_id <> all ($3) order by t.reconcile_at limit 1 for update of t skip locked)
       returning attempt_id
     )
     select a.id as "attemptId", a.practice_id as "practiceId", a.processor_reference as reference,
       json_build_object('id', a.processor_account_id) as account
     from claimed join payment_attempts a on a.id = claimed.attempt_id`,
    [now, scope.processor.name, except],
  );
  return item ?? null;
}
