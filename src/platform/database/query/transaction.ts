import { type EntityManager, IsolationLevel, type TransactionOptions } from '@mikro-orm/postgresql';
import type { Scope } from '../../base/scope.ts';
import { sqlState } from '../../base/sql-state.ts';
import { DatabaseUnavailable } from './errors.ts';

/**
 * Runs `work` with a scope inside a transaction. A scope of one practice first waits for its limiter, because a
 * transaction that waits for a lock keeps its connection. A right to confirm is checked again.
 *
 * @throws DatabaseUnavailable if the transaction could not begin or commit, or if the limiter had no free place in time
 */
export function inTransaction<S extends Scope, T>(scope: S, work: (scope: S) => Promise<T>): Promise<T> {
  return withPlace(scope, (scope) =>
    transact(scope, async (scope) => {
      await scope.confirmRight?.(scope.em);
      return work(scope);
    }),
  );
}

/** Runs `work` in a place of the limiter of its practice. @throws DatabaseUnavailable if no place was free in time */
export async function withPlace<S extends Scope, T>(scope: S, work: (scope: S) => Promise<T>): Promise<T> {
  const { transactionsOf } = scope;
  if (transactionsOf === undefined) return work(scope);
  const { practiceId, limiter } = transactionsOf;
  // Nested work uses the place that the outer one already has.
  return limiter.run(practiceId, () => work({ ...scope, transactionsOf: undefined }));
}

/** Runs reads of one moment. Nothing waits for a row lock, so it needs no place of the limiter. */
export function inSnapshot<S extends Scope, T>(scope: S, read: (scope: S) => Promise<T>): Promise<T> {
  return transact(scope, read, { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true });
}

const stepsAfterCommit = new WeakMap<EntityManager, (() => void)[]>();

/** Runs the step once the transaction has committed; at once without one. It must not throw: the commit is done. */
export function afterCommit({ em }: Pick<Scope, 'em'>, step: () => void): void {
  const steps = stepsAfterCommit.get(em);
  if (steps === undefined) step();
  else steps.push(step);
}

async function transact<S extends Scope, T>(
  scope: S,
  work: (scope: S) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  let working = false;
  const steps: (() => void)[] = [];
  let result: T;
  try {
    result = await scope.em.transactional(async (em) => {
      working = true;
      stepsAfterCommit.set(em, steps);
      const returned = await work({ ...scope, em });
      // After this flush, only the commit can still fail.
      await em.flush();
      working = false;
      return returned;
    }, options);
  } catch (error) {
    throw working || sqlState(error) !== null ? error : new DatabaseUnavailable(error);
  }
  // A savepoint of an outer transaction commits with it.
  for (const step of steps) afterCommit(scope, step);
  return result;
}
