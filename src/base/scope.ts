import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import { DatabaseUnavailable, sqlState } from './database-errors.ts';
import type { PracticeLimiter } from './practice-limiter.ts';
import type { Keyring } from './secrets.ts';

/** What one request, command or job works with. Services take it first and keep nothing else between calls. */
export interface Scope {
  /** A fork of its own: identity map and transaction belong to this scope alone. */
  em: EntityManager;
  clock: Clock;
  log: Logger;
  keyring: Keyring;
  /** What addresses of hosted pages begin with; no trailing slash. */
  publicUrl: string;
  /** The practice whose rows this scope's transactions lock, and what bounds their number; unset where nothing does. */
  transactionsOf?: { practiceId: string; limiter: PracticeLimiter } | undefined;
}

/** The same scope with nothing loaded: for what reads afresh after somebody else may have written. */
export function fresh<S extends Scope>(scope: S): S {
  return { ...scope, em: scope.em.fork() };
}

/** Who is calling, once the key is accepted: the whole of what the caller may see. */
export interface Caller {
  apiKeyId: string;
  practiceId: string;
  /** Mode of the key: test keys see test resources only, live keys live ones only. */
  test: boolean;
  scopes: readonly string[];
  /** The location the key is pinned to; null for all of the practice. */
  locationId: string | null;
}

/** The scope of an authenticated request. */
export interface CallerScope extends Scope {
  caller: Caller;
}

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
