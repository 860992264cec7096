import type { Scope } from '../../base/scope.ts';
import type { Bind } from '../../database/query/sql.ts';
import type { StaffStatus, Viewer } from '../model/staff-status.ts';

/** Filter of a list. Null means all. */
export interface StaffFilter {
  status: StaffStatus | null;
  /** Limits waiting links to those that expire before; null for all. */
  expiresBefore: Date | null;
  /** Ids of the links that a search found. */
  found: readonly string[] | null;
  locationId: string | null;
  /** First and last day of creation, such as `2030-06-15`. */
  from: string | null;
  until: string | null;
  /** Zone of the days. */
  timeZone: string;
  /** Cursor of a page that was shown before; null for the first one. */
  before: string | null;
}

/** A list, while its statement is written. */
export interface StaffQuery {
  scope: Scope;
  viewer: Viewer;
  filter: StaffFilter;
  bind: Bind;
  /** Most rows of each piece that is read in the list's order, as SQL. */
  limit: string;
}

/** Returns the conditions of the days of creation on `p` or `l`. */
export function createdConditions(name: string, { filter: { from, until, timeZone }, bind }: StaffQuery): string[] {
  const day = (text: string) => `${bind(text)}::date`;
  const at = (time: string) => `(${time})::timestamp at time zone ${bind(timeZone)}`;
  return [
    ...(from === null ? [] : [`${name}.created_at >= ${at(day(from))}`]),
    ...(until === null ? [] : [`${name}.created_at < ${at(`${day(until)} + 1`)}`]),
  ];
}

/** Returns the conditions behind others. */
export function andAll(...conditions: readonly string[]): string {
  return conditions.map((condition) => `and ${condition}`).join(' ');
}
