import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Keyring } from './secrets.ts';
import type { Clock } from './time/clock.ts';

/** Bounds the number of transactions of one practice at once. */
export interface TransactionLimiter {
  run<T>(practiceId: string, work: () => Promise<T>): Promise<T>;
}

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
  transactionsOf?: { practiceId: string; limiter: TransactionLimiter } | undefined;
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
