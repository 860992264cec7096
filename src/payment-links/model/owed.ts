import { SEEN_LINK } from './staff-status.ts';
import { latestTransactionSql } from './transaction.entity.ts';

/*
 * The amounts that patients owe: of links that wait for their payment, of expired links, and of payments that banks took back. Links that
 * another one replaced, or that were settled elsewhere, are left out. Lists, sums and acts use this one statement.
 */

export const OWED_PARTS = ['waiting', 'returned', 'expired'] as const;

export type OwedPart = (typeof OWED_PARTS)[number];

/** Ends of owed amounts by people. */
const RESOLVED = 'select payment_link_id from link_resolutions where practice_id = $1';

const BEING_PAID = `select payment_link_id from payment_attempts where practice_id = $1 and status in ('open', 'requires_action')`;

/** Returns the condition that a query of links does not name the link `l`. It reads no row of the link, so that indexes answer alone. */
const notIn = (links: string) => `not exists (select from (${links}) as e where e.payment_link_id = l.id)`;

/**
 * Returns the owed amounts as SQL, one row per link. `$1` to `$3` are those of `SEEN_LINK`.
 * @param now the time as SQL, such as `$4`
 * @param only a further condition on `l`, such as `l.id = $5`
 */
export function owedSql(now: string, only = 'true'): string {
  return `
    select case when l.status = 'active' and l.expires_at > ${now} then 'waiting' else 'expired' end as part, l.id, l.location_id,
      l.amount_cents, l.created_at as since
    from payment_links l
    where l.status in ('active', 'expired') and ${SEEN_LINK} and ${notIn(`${RESOLVED} union all ${BEING_PAID}`)} and ${only}
    union all ${returnedSql(only)}`;
}

/** Returns the amounts that banks took back. Plan hint FENCE: the few amounts read their links one by one, and a join all paid links. */
export function returnedSql(only = 'true'): string {
  return `
    select 'returned' as part, l.id, l.location_id, r.amount_cents, r.since
    from (
      select payment_link_id, id as transaction_id, amount_cents, coalesce(returned_at, created_at) as since
      from transactions where practice_id = $1 and status = 'failed'
      union all
      select payment_link_id, transaction_id, sum(amount_cents)::integer, max(created_at)
      from bank_reversals where practice_id = $1 group by payment_link_id, transaction_id
    ) r cross join lateral (
      select l.id, l.location_id from payment_links l
      where l.id = r.payment_link_id and l.status = 'paid' and r.transaction_id = (${latestTransactionSql('t.id')})
        and ${SEEN_LINK} and ${notIn(RESOLVED)} and ${only} offset 0
    ) l`;
}
