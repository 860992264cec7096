import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Keyring } from './secrets.ts';
import type { Clock } from './time/clock.ts';

/** Limits concurrent work in this process, in all and by name, such as a practice. */
export interface Limiter {
  /** Names that wait get places in turn. @throws DatabaseUnavailable when no place becomes free in time */
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export type Actor =
  | { kind: 'person'; id: string; address: string | null }
  | { kind: 'api_key'; id: string; address: string | null }
  | { kind: 'operator' };

/** First parameter of every service function. */
export interface Scope {
  em: EntityManager;
  clock: Clock;
  log: Logger;
  keyring: Keyring;
  publicUrl: string;
  /** Without trailing slash, as the URL above. The console may have another host. */
  consoleUrl: string;
  /** Practice whose rows the transactions lock; unset without a limit. */
  transactionsOf?: { practiceId: string; limiter: Limiter } | undefined;
  /** Checks at the start of each transaction that the actor still has the right, and locks the rows that grant it. */
  confirmRight?: ((em: EntityManager) => Promise<void>) | undefined;
  /** Actor of audit entries; unset if the caller adds them, or nobody acts. */
  actor?: Actor | undefined;
}

/** Returns the scope with an empty entity manager, so that it reads rows again that another transaction may have changed. */
export function fresh<S extends Scope>(scope: S): S {
  return { ...scope, em: scope.em.fork() };
}

/** Returns the scope without the actor's right, on which the consequences of an act do not depend. */
export function asService<S extends Scope>(scope: S): S {
  return { ...scope, confirmRight: undefined };
}

export interface Access {
  practiceId: string;
  /** Test keys and pages see test resources only, live ones live resources only. */
  test: boolean;
  /** Null for a key that is not pinned. */
  locationId: string | null;
}

export interface AccessScope extends Scope {
  caller: Access;
}

export function modeName({ test }: { test: boolean }): 'test' | 'live' {
  return test ? 'test' : 'live';
}

export interface Caller extends Access {
  apiKeyId: string;
  scopes: readonly string[];
}

export interface CallerScope extends AccessScope {
  caller: Caller;
  /** For an operation that waits; unset for all others. */
  reads?: Limiter | undefined;
  /** True when its client is gone, or the process ends. */
  isAbandoned?: (() => boolean) | undefined;
}
