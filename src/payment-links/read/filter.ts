import type { CallerScope } from '../../base/scope.ts';
import type { ValueOf } from '../../database/query/kept-counts.ts';
import { activeSql, overdueSql } from '../model/overdue.ts';
import { LINK, type LinkStatus } from '../model/transitions.ts';

/** Filter of a list of links. An absent field means all links that the key sees. */
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

const STATUSES = Object.keys(LINK) as LinkStatus[];

/** Returns the filter and the key's visibility as conditions on `payment_links`, without times of creation if asked. */
export function conditionsOf(
  scope: CallerScope,
  filter: LinkFilter,
  value: ValueOf,
  { withCreation = true }: { withCreation?: boolean } = {},
): string {
  const { status } = filter;
  // The index for a selective filter has the status before the time of creation, so all statuses are named.
  const ofStatus =
    status === undefined ? isSelective(scope, filter) && [isAmong(STATUSES)] : hasStatus(scope, status, value);
  return [...others(scope, filter, value, withCreation), ...(ofStatus || [])].join(' and ');
}

/** Returns the conditions of overdue links, whatever status the filter asks for. */
export function overdueOf(scope: CallerScope, filter: LinkFilter, value: ValueOf): string {
  return [...others(scope, filter, value, false), ...isOverdue(scope, value)].join(' and ');
}

/**
 * Returns a query for id and time of creation of the links that match. Its pieces each read an index in the list's order,
 * so the database merges them. The first list page of a million links reads no more than its rows.
 *
 * @param after a condition that every piece has
 * @param limit most rows that are needed; plan hint LIMITED_PIECES: it is the limit of each piece
 */
export function orderedQueryOf(
  scope: CallerScope,
  filter: LinkFilter,
  value: ValueOf,
  { after, limit }: { after: string; limit: number },
): string {
  const { status } = filter;
  const common = [...others(scope, filter, value, true), after];
  const query = (...conditions: string[]) =>
    `select id, created_at from payment_links where ${[...common, ...conditions].join(' and ')}`;
  const rows = value(limit);
  const piece = (...conditions: string[]) =>
    `(${query(...conditions)} order by created_at desc, id desc limit ${rows}::bigint)`;
  if (status === undefined) {
    if (!isSelective(scope, filter)) return piece();
    return STATUSES.map((each) => piece(`status = '${each}'`)).join(' union all ');
  }
  if (status !== 'expired') return piece(...hasStatus(scope, status, value));
  // Plan hint FENCE: the few overdue links are found first, by their own index.
  return `${piece(`status = 'expired'`)} union all
    select id, created_at from (${query(...isOverdue(scope, value))} offset 0) as overdue`;
}

function others(
  { caller }: CallerScope,
  { externalReference, locationId, createdAfter, createdBefore, paidAfter }: LinkFilter,
  value: ValueOf,
  withCreation: boolean,
): string[] {
  const where = [`practice_id = ${value(caller.practiceId)}`, `test = ${value(caller.test)}`];
  if (caller.locationId !== null) where.push(`location_id = ${value(caller.locationId)}`);
  if (externalReference !== undefined) where.push(`external_reference = ${value(externalReference)}`);
  if (locationId !== undefined) where.push(`location_id = ${value(locationId)}`);
  if (withCreation && createdAfter !== undefined) where.push(`created_at >= ${value(createdAfter)}`);
  if (withCreation && createdBefore !== undefined) where.push(`created_at < ${value(createdBefore)}`);
  if (paidAfter !== undefined) where.push(`paid_at >= ${value(paidAfter)}`);
  return where;
}

/** Returns true if the indexes for the filter have the status before the time of creation. */
function isSelective({ caller }: CallerScope, { externalReference, locationId }: LinkFilter): boolean {
  return caller.locationId !== null || locationId !== undefined || externalReference !== undefined;
}

/** Returns the conditions of a visible status; overdue links count as expired. */
function hasStatus(scope: CallerScope, status: LinkStatus, value: ValueOf): string[] {
  const is = `status = '${status}'`;
  if (status === 'active') return activeSql(value(scope.clock.now()));
  if (status !== 'expired') return [is];
  return [isAmong(['active', 'expired']), `(${is} or (${isOverdue(scope, value).join(' and ')}))`];
}

function isOverdue({ clock }: CallerScope, value: ValueOf): string[] {
  return overdueSql(value(clock.now()));
}

function isAmong(statuses: readonly LinkStatus[]): string {
  return `status in (${statuses.map((status) => `'${status}'`).join(', ')})`;
}
