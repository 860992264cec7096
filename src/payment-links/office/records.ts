import { ApiError } from '../../platform/base/errors.ts';
import { isId } from '../../platform/base/ids.ts';
import { dollarsFromCents } from '../../platform/base/money.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { Location } from '../../practices/location.entity.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';

/* Records that office staff look up for a patient or a bank. They contain patients' data and are never logged. */

/** Returns the authorisation of the attempt that paid the link, else of the latest. @throws ApiError `not_found` if none is kept */
export async function findAuthorisation(scope: Scope, linkId: string) {
  const attempts = await scope.em.find(
    PaymentAttempt,
    { paymentLinkId: linkId, authorisationText: { $ne: null } },
    { orderBy: { createdAt: 'desc', id: 'desc' } },
  );
  // A refused payment is accepted as well, and has no transaction.
  const payment = await scope.em.findOne(
    Transaction,
    { paymentLinkId: linkId, attemptId: { $in: attempts.map(({ id }) => id) } },
    { orderBy: { createdAt: 'desc', id: 'desc' } },
  );
  const attempt = attempts.find(({ id }) => id === payment?.attemptId) ?? attempts[0];
  if (attempt === undefined || attempt.authorisationText === null) {
    const message = isId('paymentLink', linkId)
      ? 'No authorisation is kept for this link: it was not paid by bank debit, or more than two years ago.'
      : 'This is not the id of a payment link.';
    throw new ApiError('not_found', { message });
  }
  return {
    id: attempt.id,
    object: 'authorisation',
    paymentLinkId: attempt.paymentLinkId,
    authorisedAt: attempt.createdAt.toISOString(),
    /** Language in which it was given: en or es. */
    language: attempt.locale,
    address: attempt.address,
    /** Dollars. */
    amount: dollarsFromCents(attempt.amountCents),
    currency: attempt.currency,
    status: attempt.status,
    /** The exact text that stood above the button. */
    text: attempt.authorisationText,
  };
}

/**
 * Returns the payments with a number from a receipt, the latest first. Numbers are random, so another practice or year may have the same.
 * @param number nine digits; blanks and hyphens between them are ignored
 * @param practiceId null for all practices
 */
export async function findPayments(scope: Scope, number: string, practiceId: string | null) {
  const paymentNumber = number.replaceAll(/[\s-]/g, '');
  const transactions = await scope.em.find(
    Transaction,
    { paymentNumber, ...(practiceId === null ? {} : { practiceId }) },
    { orderBy: { createdAt: 'desc' } },
  );
  const links = await scope.em.find(PaymentLink, { id: { $in: transactions.map((one) => one.paymentLinkId) } });
  const locations = await scope.em.find(Location, { id: { $in: links.map((link) => link.locationId) } });
  return transactions.flatMap((transaction) => {
    const link = links.find(({ id }) => id === transaction.paymentLinkId);
    if (link === undefined) return [];
    return {
      id: link.id,
      practiceId: link.practiceId,
      location: locations.find(({ id }) => id === link.locationId)?.name ?? '',
      number: paymentNumber,
      test: link.test,
      status: transaction.status,
      /** Dollars. */
      amount: dollarsFromCents(transaction.amountCents),
      paidAt: link.paidAt?.toISOString() ?? null,
    };
  });
}
