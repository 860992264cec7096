import type { CallerScope } from '../base/scope.ts';
import type { SqlValue } from '../base/sql.ts';
import type { LinkStatus } from './transitions.ts';

/** What a list may be narrowed to; absent means everything the key sees. */
export interface LinkFilter {
  status?: LinkStatus;
  externalReference?: string;
  locationId?: string;
  /** At or after. */
  createdAfter?: Date;
  /** Before. */
  createdBefore?: Date;
  /** At or after. */
  paidAfter?: Date;
}

/** The filter, and what the key sees, as conditions on `payment_links` with their values. */
export function conditionsOf(
  { caller, clock }: CallerScope,
  filter: LinkFilter,
): { where: string; values: readonly SqlValue[] } {
  const values: SqlValue[] = [];
  const value = (of: SqlValue) => `$${values.push(of)}`;
  const where = [`practice_id = ${value(caller.practiceId)}`, `test = ${value(caller.test)}`];
  if (caller.locationId !== null) where.push(`location_id = ${value(caller.locationId)}`);
  const { status, externalReference, locationId, createdAfter, createdBefore, paidAfter } = filter;
  if (status !== undefined) where.push(hasStatus(status, value, clock.now()));
  if (externalReference !== undefined) where.push(`external_reference = ${value(externalReference)}`);
  if (locationId !== undefined) where.push(`location_id = ${value(locationId)}`);
  if (createdAfter !== undefined) where.push(`created_at >= ${value(createdAfter)}`);
  if (createdBefore !== undefined) where.push(`created_at < ${value(createdBefore)}`);
  if (paidAfter !== undefined) where.push(`paid_at >= ${value(paidAfter)}`);
  return { where: where.join(' and '), values };
}

/** An overdue active link counts as expired before anybody has written it down, unless a payment is under way. */
function hasStatus(status: LinkStatus, value: (of: SqlValue) => string, now: Date): string {
  const is = `status = ${value(status)}`;
  if (status === 'active') return `${is} and (expires_at > ${value(now)} or open_attempt_id is not null)`;
  if (status !== 'expired') return is;
  return `(${is} or (status = 'active' and open_attempt_id is null and expires_at <= ${value(now)}))`;
}
