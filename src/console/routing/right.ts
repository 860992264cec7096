import { isDeepStrictEqual } from 'node:util';
import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { RightLost } from '../model/refusals.ts';
import type { Role } from '../model/roles.ts';
import type { SessionMembership } from '../sign-in/sessions.ts';

/**
 * Returns the check that a scope of a person runs at the start of each transaction. It locks the membership, so that it stays
 * as it is until the commit. A request that waited while the membership changed, or ended, changes nothing.
 */
export function confirmMembership({
  membershipId,
  role,
  locationIds,
}: SessionMembership): NonNullable<Scope['confirmRight']> {
  return async (em) => {
    const [locked] = await sql<{ role: Role; all_locations: boolean }>(
      em,
      'select role, all_locations from memberships where id = $1 and locked_at is null for share',
      [membershipId],
    );
    // A separate statement, because only it sees what was committed while the first one waited for the lock.
    const limits = await sql<{ id: string }>(
      em,
      'select location_id as id from membership_locations where membership_id = $1 order by 1',
      [membershipId],
    );
    const present = locked?.all_locations === true ? null : limits.map(({ id }) => id);
    if (locked?.role !== role || !isDeepStrictEqual(present, locationIds)) throw new RightLost();
  };
}
