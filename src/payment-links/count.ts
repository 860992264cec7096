import { isLockTimeout } from '../base/database-errors.ts';
import type { CallerScope, Scope } from '../base/scope.ts';
import { type SqlValue, sql } from '../base/sql.ts';
import { conditionsOf, type LinkFilter } from './filter.ts';

/*
 * Exact totals of lists. The database keeps counts per practice, mode, location, status and day of creation, and of the
 * day of payment (`link_counts`, kept by triggers); only the parts of days at the edges of a range, and what is overdue
 * but not written down yet, are counted link by link. So a total costs the same at a million links as at ten thousand.
 */

const DAY_MS = 86_400_000;

/** Changes folded into the counts per statement; what is not folded yet is added up by every list. */
const FOLD_BATCH = 5_000;

/** A filter that the kept counts answer. */
interface Kept {
  /** A status, or null for all; 'paid_on' counts by the day of payment. */
  what: 'active' | 'paid' | 'expired' | 'cancelled' | 'paid_on' | null;
  /** The column whose day is counted by. */
  column: 'created_at' | 'paid_at';
  from: Date | null;
  to: Date | null;
}

/** How many links the key sees that match. */
export async function countVisibleLinks(scope: CallerScope, filter: LinkFilter): Promise<number> {
  const kept = keptOf(filter);
  const { text, values } = kept === null ? countEach(scope, filter) : countKept(scope, filter, kept);
  const [row] = await sql<{ total: number }>(scope.em, `select (${text})::integer as total`, values);
  if (row === undefined) throw new Error('a select without FROM returns a row');
  return row.total;
}

/**
 * Folds changes into the counts. If somebody has locked counts, each practice's changes are folded by a statement of their
 * own, and those that meet the lock again are left to a later turn.
 *
 * @returns whether there may be more.
 */
export async function foldLinkCounts(scope: Scope): Promise<boolean> {
  try {
    return (await fold(scope, null)) === FOLD_BATCH;
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
  }
  const practices = await sql<{ id: string }>(scope.em, 'select distinct practice_id as id from link_count_changes');
  for (const { id } of practices) {
    try {
      await fold(scope, id);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      scope.log.info({ practiceId: id }, 'counts of links are folded later: somebody has locked them');
    }
  }
  return false;
}

/** Folds changes of one practice, or of all; returns how many. */
async function fold(scope: Scope, practiceId: string | null): Promise<number> {
  const text = 'select fold_link_counts($1, $2) as folded';
  const [row] = await sql<{ folded: number }>(scope.em, text, [FOLD_BATCH, practiceId]);
  return row?.folded ?? 0;
}

/** Null when links must be looked at: few, for a reference of the caller's is an index; or an uncommon combination. */
function keptOf({ status, externalReference, createdAfter, createdBefore, paidAfter }: LinkFilter): Kept | null {
  if (externalReference !== undefined) return null;
  const from = createdAfter ?? null;
  const to = createdBefore ?? null;
  if (paidAfter === undefined) return { what: status ?? null, column: 'created_at', from, to };
  const isPlain = from === null && to === null && (status === undefined || status === 'paid');
  return isPlain ? { what: 'paid_on', column: 'paid_at', from: paidAfter, to: null } : null;
}

function countEach(scope: CallerScope, filter: LinkFilter) {
  const { where, values } = conditionsOf(scope, filter);
  return { text: `(select count(*) from payment_links where ${where})`, values };
}

function countKept({ caller, clock }: CallerScope, { locationId }: LinkFilter, { what, column, from, to }: Kept) {
  const values: SqlValue[] = [];
  const value = (of: SqlValue) => `$${values.push(of)}`;
  const own = [`practice_id = ${value(caller.practiceId)}`, `test = ${value(caller.test)}`];
  if (caller.locationId !== null) own.push(`location_id = ${value(caller.locationId)}`);
  if (locationId !== undefined) own.push(`location_id = ${value(locationId)}`);
  const links = (...conditions: string[]) =>
    `(select count(*) from payment_links where ${[...own, ...conditions].join(' and ')})`;
  const { days, edges } = rangeOf(from, to);
  const terms: string[] = [];
  if (days !== null) {
    // What is paid counts among the statuses as well.
    const counted = [...own, what === null ? `what <> 'paid_on'` : `what = ${value(what)}`];
    if (days.first !== null) counted.push(`day >= ${value(days.first)}::date`);
    if (days.end !== null) counted.push(`day < ${value(days.end)}::date`);
    const which = from === null && to === null ? `day = 'infinity'` : `day < 'infinity'`;
    terms.push(
      `(select coalesce(sum(links), 0) from link_counts where ${[...counted, which].join(' and ')})`,
      `(select coalesce(sum(change), 0) from link_count_changes where ${counted.join(' and ')})`,
    );
  }
  for (const [start, end] of edges) {
    const isOfStatus = what === null || what === 'paid_on' ? [] : [`status = ${value(what)}`];
    terms.push(links(...isOfStatus, `${column} >= ${value(start)}`, `${column} < ${value(end)}`));
  }
  if (what === 'active' || what === 'expired') {
    const overdue = [`status = 'active'`, 'open_attempt_id is null', `expires_at <= ${value(clock.now())}`];
    if (from !== null) overdue.push(`created_at >= ${value(from)}`);
    if (to !== null) overdue.push(`created_at < ${value(to)}`);
    return { text: `${terms.join(' + ')} ${what === 'active' ? '-' : '+'} ${links(...overdue)}`, values };
  }
  return { text: terms.join(' + '), values };
}

/** The whole days (of UTC, as ISO dates) within a range, if any, and what is left of it at either edge. */
function rangeOf(from: Date | null, to: Date | null) {
  const first = from === null ? null : new Date(Math.ceil(from.getTime() / DAY_MS) * DAY_MS);
  const end = to === null ? null : new Date(Math.floor(to.getTime() / DAY_MS) * DAY_MS);
  if (from !== null && to !== null && first !== null && end !== null && first >= end) {
    return { days: null, edges: [[from, to]] as const };
  }
  const edges: [Date, Date][] = [];
  if (from !== null && first !== null && from < first) edges.push([from, first]);
  if (to !== null && end !== null && end < to) edges.push([end, to]);
  return { days: { first: isoDate(first), end: isoDate(end) }, edges };
}

/** Beyond the years that ISO dates can say there are no links. */
function isoDate(date: Date | null): string | null {
  if (date === null) return null;
  const year = date.getUTCFullYear();
  if (year < 1) return '-infinity';
  return year > 9999 ? 'infinity' : date.toISOString().slice(0, 10);
}
