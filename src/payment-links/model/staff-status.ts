import type { Actor } from '../../platform/base/scope.ts';
import type { Bind } from '../../platform/database/query/sql.ts';
import { ownRowsSql, rowsAtLocationsSql } from '../../platform/database/query/visible-rows.ts';

/** Status of a link as staff speak of it. Under way: a payment is being made, or a debit has not settled. Returned: the bank returned the debit. */
export const STAFF_STATUSES = ['waiting', 'under_way', 'paid', 'returned', 'expired', 'cancelled'] as const;

export type StaffStatus = (typeof STAFF_STATUSES)[number];

/** Part of the links and payments that a person of a practice sees. */
export interface Viewer {
  practiceId: string;
  test: boolean;
  /** Null: all locations of the practice. */
  locationIds: readonly string[] | null;
}

/** A person of the practice, and the links that the person sees. */
export interface Staff {
  actor: Actor;
  viewer: Viewer;
}

/** Conditions of the rows `l` that the viewer sees: links, or what repeats of them. `$1` to `$3` are practice, mode and locations. */
export const SEEN_LINK = rowsAtLocationsSql('l', '$1', '$2', '$3');

/** Returns the values of `$1` to `$3` of `SEEN_LINK`. */
export function viewerValues({ practiceId, test, locationIds }: Viewer) {
  return [practiceId, test, locationIds] as const;
}

/** Returns the condition of practice and mode on `l`. */
export function ownCondition({ practiceId, test }: Viewer, bind: Bind): string {
  return ownRowsSql('l', bind(practiceId), bind(test));
}

/** Returns the viewer for one of its locations. The viewer of a location that it does not see finds nothing. */
export function atLocation(viewer: Viewer, locationId: string): Viewer {
  const { locationIds } = viewer;
  return { ...viewer, locationIds: locationIds === null || locationIds.includes(locationId) ? [locationId] : [] };
}

/** Returns true if the viewer sees the link. */
export function staffSees(
  { practiceId, test, locationIds }: Viewer,
  link: { practiceId: string; test: boolean; locationId: string },
): boolean {
  const isOwn = link.practiceId === practiceId && link.test === test;
  return isOwn && (locationIds === null || locationIds.includes(link.locationId));
}

/** Returns the status for staff at the time `now` as SQL, of `l`, a link, and `t`, its latest transaction if it is paid. */
export function staffStatusSql(now: string): string {
  return `case
    when l.status = 'cancelled' then 'cancelled'
    when l.status = 'active' and l.open_attempt_id is not null then 'under_way'
    when l.status = 'active' and l.expires_at > ${now} then 'waiting'
    when l.status in ('active', 'expired') then 'expired'
    when t.status = 'pending' then 'under_way'
    when t.status = 'failed' then 'returned'
    else 'paid' end`;
}
