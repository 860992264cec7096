import type { Scope } from '../base/scope.ts';
import { sql } from '../database/query/sql.ts';

/** Page views of one address per minute. All patients behind one router, such as in a waiting room, share an address. */
const VIEWS_PER_MINUTE = 600;

/** Forms of one address per minute. More than this suggests card testing. */
const SUBMITS_PER_MINUTE = 60;

/**
 * Counts the request in the rate window of the address.
 *
 * @returns null when admitted, else the whole seconds until the window has room, at least 1
 */
export async function admitPage(scope: Scope, address: string, kind: 'view' | 'submit'): Promise<number | null> {
  const limit = kind === 'view' ? VIEWS_PER_MINUTE : SUBMITS_PER_MINUTE;
  const subject = `${kind === 'view' ? 'page-get' : 'page'}:${address}/${limit}`;
  const [row] = await sql<{ granted: boolean; reset_seconds: number }>(
    scope.em,
    'select granted, reset_seconds from take_rate_slot($1, $2, $3)',
    [subject, limit, scope.clock.shared()],
    { keepPlan: true },
  );
  if (row === undefined) throw new Error('take_rate_slot returned no row');
  return row.granted ? null : row.reset_seconds;
}
