import type { Scope } from '../../platform/base/scope.ts';
import { getPractice } from '../../practices/find.ts';
import { Practice } from '../../practices/practice.entity.ts';
import { AccountLost, type ListedPayment, type PaymentState, type Processor } from '../../processors/processor.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import type { LinkStatus } from '../model/transitions.ts';
import { findAccount } from './payable.ts';

/** A payment that the processor has and the database lacks; null values for an account that could not be read. */
interface MissingPayment {
  practiceId: string;
  accountId: string;
  reference: string | null;
  state: PaymentState | null;
  amountCents: number | null;
  paymentLinkId: string | null;
  /** Null if the database lacks the link as well. */
  linkStatus: LinkStatus | null;
  /** Next step for the operator. */
  next: string;
}

/**
 * Finds the payments that began since a moment and whose attempts the database lacks: after a restore, the payments of the lost time.
 * @param practiceId null for all practices
 * @throws ProcessorUnavailable; for one practice also ApiError `not_found`
 */
export async function findMissingPayments(
  scope: Scope,
  processor: Processor,
  since: Date,
  practiceId: string | null,
): Promise<MissingPayment[]> {
  const { em } = scope;
  const practices =
    practiceId === null
      ? await em.findAll(Practice, { orderBy: { id: 'asc' } })
      : [await getPractice(scope, practiceId)];
  const payments: MissingPayment[] = [];
  for (const practice of practices) {
    const account = findAccount(processor, practice);
    if (account === null) continue;
    const owner = { practiceId: practice.id, accountId: account.id };
    try {
      for await (const page of processor.listPayments(account, since)) {
        payments.push(...(await findMissing(em, page)).map((payment) => ({ ...owner, ...payment })));
      }
    } catch (error) {
      if (!(error instanceof AccountLost)) throw error;
      const noPayment = { reference: null, state: null, amountCents: null, paymentLinkId: null, linkStatus: null };
      payments.push({
        ...owner,
        ...noPayment,
        next: 'The practice disconnected this account: ask it for its payments.',
      });
    }
  }
  return payments;
}

async function findMissing(
  em: Scope['em'],
  page: readonly ListedPayment[],
): Promise<Omit<MissingPayment, 'practiceId' | 'accountId'>[]> {
  const ourPayments = page.flatMap((payment) => {
    const { attemptId, state } = payment;
    return attemptId === null || state === 'failed' || state === 'cancelled' ? [] : [{ ...payment, attemptId }];
  });
  const attempts = await em
    .fork()
    .find(PaymentAttempt, { id: { $in: ourPayments.map(({ attemptId }) => attemptId) } }, { fields: ['id'] });
  const knownIds = new Set(attempts.map(({ id }) => id));
  const lostPayments = ourPayments.filter(({ attemptId }) => !knownIds.has(attemptId));
  const linkIds = lostPayments.flatMap(({ paymentLinkId }) => paymentLinkId ?? []);
  const links = await em.fork().find(PaymentLink, { id: { $in: linkIds } }, { fields: ['id', 'status'] });
  const statuses = new Map(links.map(({ id, status }) => [id, status]));
  return lostPayments.map(({ reference, state, amountCents, paymentLinkId }) => {
    const linkStatus = statuses.get(paymentLinkId ?? '') ?? null;
    return { reference, state, amountCents, paymentLinkId, linkStatus, next: nextStep(state, linkStatus) };
  });
}

function nextStep(state: PaymentState, linkStatus: LinkStatus | null): string {
  if (state !== 'succeeded' && state !== 'processing') return 'It is not final: cancel it at the processor.';
  if (linkStatus !== 'active') return 'The practice refunds it at the processor, or notes it in its books.';
  return 'The link can be paid again: cancel the link and keep the money, or refund the payment at the processor.';
}
