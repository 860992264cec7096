import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { getPractice } from '../../practices/find.ts';
import { Practice } from '../../practices/practice.entity.ts';
import { AccountLost, type ListedPayment, type PaymentState, type Processor } from '../../processors/processor.ts';
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
        payments.push(...(await findMissing(scope, page)).map((payment) => ({ ...owner, ...payment })));
      }
    } catch (error) {
      if (!(error instanceof AccountLost)) throw error;
      const noPayment = { reference: null, state: null, amountCents: null, paymentLinkId: null, linkStatus: null };
      const next = 'The practice disconnected this account: ask it for its payments.';
      payments.push({ ...owner, ...noPayment, next });
    }
  }
  return payments;
}

/** In the order of the processor's list. */
const FIND_MISSING = `
  select p.reference, p.state, p.amount_cents as "amountCents", p.link_id as "paymentLinkId", l.status as "linkStatus"
  from rows from (json_to_recordset($1) as (
      reference text, state text, "amountCents" integer, "paymentLinkId" text, "attemptId" text
    )) with ordinality as p (reference, state, amount_cents, link_id, attempt_id, place)
    left join payment_links l on l.id = p.link_id
  where not exists (select from payment_attempts a where a.id = p.attempt_id)
  order by p.place`;

type MissingRow = Pick<ListedPayment, 'reference' | 'state' | 'amountCents' | 'paymentLinkId'> &
  Pick<MissingPayment, 'linkStatus'>;

async function findMissing({ em }: Scope, page: readonly ListedPayment[]) {
  const ourPayments = page.filter(
    ({ attemptId, state }) => attemptId !== null && state !== 'failed' && state !== 'cancelled',
  );
  const rows = await sql<MissingRow>(em, FIND_MISSING, [JSON.stringify(ourPayments)]);
  return rows.map((row) => ({ ...row, next: nextStep(row.state, row.linkStatus) }));
}

function nextStep(state: PaymentState, linkStatus: LinkStatus | null): string {
  if (state !== 'succeeded' && state !== 'processing') return 'It is not final: cancel it at the processor.';
  if (linkStatus !== 'active') return 'The practice refunds it at the processor, or notes it in its books.';
  return 'The link can be paid again: cancel the link and keep the money, or refund the payment at the processor.';
}
