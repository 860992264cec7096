import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { createWriteBehind, type WriteBehind } from '../../platform/database/query/write-behind.ts';

export interface Opening {
  paymentLinkId: string;
  at: Date;
}

/** Counts openings of hosted pages. A page neither waits for the count nor fails with it. */
export function createOpenings(newScope: () => Scope): WriteBehind<Opening> {
  return createWriteBehind(newScope, 'the count of opened pages', write);
}

/** The order of the links keeps two processes from a deadlock. */
const WRITE = `
  insert into page_openings as o (payment_link_id, practice_id, first_opened_at, last_opened_at, open_count)
  select l.id, l.practice_id, min(n.at), max(n.at), count(*)
  from json_to_recordset($1) as n ("paymentLinkId" text, at timestamptz) join payment_links l on l.id = n."paymentLinkId",
    set_config('synchronous_commit', 'off', true)
  group by l.id order by l.id
  on conflict (payment_link_id) do update set first_opened_at = least(o.first_opened_at, excluded.first_opened_at),
    last_opened_at = greatest(o.last_opened_at, excluded.last_opened_at), open_count = o.open_count + excluded.open_count`;

/** Statements for openings, and for the log of API requests, do not wait for synchronous standbys. */
async function write({ em }: Scope, openings: readonly Opening[]): Promise<void> {
  await sql(em, WRITE, [JSON.stringify(openings)]);
}
