import type { Scope } from '../../base/scope.ts';
import { sqlState } from '../../base/sql-state.ts';
import { DatabaseUnavailable } from './errors.ts';

/**
 * The same scope inside a transaction: committed when `work` resolves, rolled back when it throws. A transaction may wait
 * for a lock and keep its connection meanwhile, so a scope of one practice waits for one of the practice's places first.
 *
 * @throws DatabaseUnavailable when the transaction could not be begun or committed, or its turn did not come
 */
export async function inTransaction<S extends Scope, T>(scope: S, work: (scope: S) => Promise<T>): Promise<T> {
  const { transactionsOf } = scope;
  if (transactionsOf === undefined) return transact(scope, work);
  const { practiceId, limiter } = transactionsOf;
  // A transaction within it has its place already.
  return limiter.run(practiceId, () => transact({ ...scope, transactionsOf: undefined }, work));
}

async function transact<S extends Scope, T>(scope: S, work: (scope: S) => Promise<T>): Promise<T> {
  let working = false;
  try {
    return await scope.em.transactional(async (em) => {
      working = true;
      const result = await work({ ...scope, em });
      // Flushed here, so that what fails afterwards can only be the commit.
      await em.flush();
      working = false;
      return result;
    });
  } catch (error) {
    throw working || sqlState(error) !== null ? error : new DatabaseUnavailable(error);
  }
}
