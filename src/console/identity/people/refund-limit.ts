import { REFUNDED } from '../../../payment-links/payments/create-refund.ts';
import { firstIdAt } from '../../../platform/base/ids.ts';
import type { Scope } from '../../../platform/base/scope.ts';
import { sql } from '../../../platform/database/query/sql.ts';
import type { Session } from '../sign-in/sessions.ts';

/** A person's refunds of an hour above this sum need a fresh sign-in. Most copayments are below 500 dollars. */
const FRESH_SIGN_IN_CENTS = 50_000;

const HOUR_MS = 60 * 60_000;

/** Returns true if this amount and the person's refunds of the last hour, in all practices, need a fresh sign-in. */
export async function isLargeRefund({ em, clock }: Scope, session: Session, amountCents: number): Promise<boolean> {
  const since = firstIdAt('auditEntry', new Date(clock.now().getTime() - HOUR_MS));
  const [row] = await sql<{ cents: number }>(
    em,
    `select coalesce(sum(r.amount_cents), 0)::float8 as cents
     from audit_log a join refunds r on r.id = a.after ->> 'refundId' and r.practice_id = a.practice_id
     where a.practice_id = any ($1) and a.actor_id = $2 and a.id > $3 and a.action = $4 and r.status <> 'failed'`,
    [session.memberships.map(({ practiceId }) => practiceId), session.personId, since, REFUNDED],
  );
  return (row?.cents ?? 0) + amountCents > FRESH_SIGN_IN_CENTS;
}
