import { SEEN_LINK } from './staff-status.ts';

/*
 * The amounts that patients owe: of links that wait for their payment, of expired ones, and those that banks took back. Links that
 * another one replaced, or that were settled elsewhere, are left out. Lists, sums and acts use this one statement.
 */

/** Part of the owed amounts. */
export type OwedPart = 'waiting' | 'returned' | 'expired';

/** True for the link `l` while no person has ended its owed amount. */
const UNRESOLVED = `not exists (select from link_resolutions e
  where e.practice_id = l.practice_id and e.payment_link_id = l.id)`;

/** True for the link `l` without an open attempt. It reads no row of the link, so that indexes answer alone. */
const NO_ATTEMPT = `not exists (select from payment_attempts a
  where a.practice_id = $1 and a.status in ('open', 'requires_action') and a.payment_link_id = l.id)`;

/**
 * Returns the owed amounts as SQL, one row per link: `part`, `id`, `location_id`, `amount_cents` and `since`. `$1` to `$3` are those of
 * `SEEN_LINK`.
 *
 * @param now the time as SQL, such as `$4`
 * @param only a further condition on `l`, such as `l.id = $5`
 */
export function owedSql(now: string, only = 'true'): string {
  const seen = `${SEEN_LINK} and ${UNRESOLVED} and ${only}`;
  return `
    select case when l.expires_at > ${now} then 'waiting' else 'expired' end as part, l.id, l.location_id, l.amount_cents,
      l.created_at as since
    from payment_links l where l.status = 'active' and ${NO_ATTEMPT} and ${seen}
    union all
    select 'expired', l.id, l.location_id, l.amount_cents, l.created_at from payment_links l where l.status = 'expired' and ${seen}
    union all
    select 'returned', l.id, l.location_id, t.amount_cents, coalesce(t.returned_at, t.created_at)
    from transactions t join payment_links l on l.id = t.payment_link_id
    where t.practice_id = $1 and t.status = 'failed' and l.status = 'paid' and ${seen}
      and not exists (select from transactions n where n.payment_link_id = l.id and (n.created_at, n.id) > (t.created_at, t.id))
    union all
    select 'returned', l.id, l.location_id, sum(r.amount_cents)::integer, max(r.created_at)
    from bank_reversals r join payment_links l on l.id = r.payment_link_id
    where r.practice_id = $1 and ${seen} and not exists (select from transactions t
      where t.practice_id = $1 and t.payment_link_id = l.id and t.status = 'failed') group by l.id, l.location_id`;
}
