import type { Invariant, Violation } from '../../base/invariant.ts';
import { fresh, type Scope } from '../../base/scope.ts';
import { findPracticeIds } from '../../database/query/rule-invariant.ts';
import { sql } from '../../database/query/sql.ts';

/*
 * Totals of payments that the database keeps (`payment_totals`), by hour, location, method and status. A trigger appends
 * each change of a payment; the worker adds the changes. So sums of a month, and numbers of a practice, cost the same
 * however many payments there are.
 */

/** Changes added to the totals per statement. */
const FOLD_BATCH = 5_000;

/** Payments that one statement counts again. */
const CHECKED_ROWS = 20_000;

/** SQL: true if the totals of the practice `$1` are complete. Otherwise its payments are read one by one. */
export const TOTALS_ARE_KEPT = 'not exists (select from uncounted_payment_totals where practice_id = $1)';

/**
 * Adds changes of payments to the totals.
 *
 * @returns true if there may be more changes
 */
export async function foldPaymentTotals(scope: Scope): Promise<boolean> {
  const [row] = await sql<{ folded: number }>(scope.em, 'select fold_payment_totals($1) as folded', [FOLD_BATCH]);
  return (row?.folded ?? 0) >= FOLD_BATCH;
}

/**
 * Counts the payments of one practice that is older than the totals. Writers do not wait.
 *
 * @returns true if there may be more practices
 */
export async function countPaymentTotals(scope: Scope): Promise<boolean> {
  const [row] = await sql<{ practice_id: string }>(
    scope.em,
    'select practice_id from uncounted_payment_totals order by practice_id limit 1',
  );
  if (row === undefined) return false;
  for (const test of [false, true]) await countWrong(() => fresh(scope), row.practice_id, test, true);
  await sql(scope.em, 'delete from uncounted_payment_totals where practice_id = $1', [row.practice_id]);
  return true;
}

/** Compares the totals with the payments. Writers do not wait, also for a repair. */
export const PAYMENT_TOTALS: Invariant = { name: 'payment_totals', find: findWrongTotals };

async function* findWrongTotals(
  newScope: () => Scope,
  { practiceId }: { practiceId: string | null },
): AsyncGenerator<Violation> {
  for (const id of await findPracticeIds(newScope(), practiceId)) {
    const [kept] = await sql<{ is_kept: boolean }>(newScope().em, `select ${TOTALS_ARE_KEPT} as is_kept`, [id]);
    // Nobody reads the totals of such a practice, and a worker will make them.
    if (kept?.is_kept !== true) continue;
    for (const test of [false, true]) {
      const wrong = await countWrong(newScope, id, test, false);
      if (wrong === 0) continue;
      const problem = `${wrong} totals of ${test ? 'test' : 'live'} payments differ from the payments`;
      // Some hours at a time are counted in a transaction of their own, so that folding waits for these alone.
      const run = async (scope: Scope) => (await countWrong(() => scope, id, test, true)) > 0;
      yield { practiceId: id, problem, remedy: { does: 'add these payments up again', run } };
    }
  }
}

async function countWrong(newScope: () => Scope, practiceId: string, test: boolean, repair: boolean): Promise<number> {
  let wrong = 0;
  let from: string | null = '-infinity';
  while (from !== null) {
    const [row]: { wrong: number; next_hour: string | null }[] = await sql(
      newScope().em,
      'select wrong, next_hour::text from check_payment_hours($1, $2, $3, $4, $5)',
      [practiceId, test, from, CHECKED_ROWS, repair],
    );
    if (row === undefined) throw new Error('check_payment_hours returned no row');
    wrong += row.wrong;
    from = row.next_hour;
  }
  const [sums] = await sql<{ wrong: number }>(newScope().em, 'select check_payment_sums($1, $2, $3) as wrong', [
    practiceId,
    test,
    repair,
  ]);
  return wrong + (sums?.wrong ?? 0);
}
