import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Keyring } from './secrets.ts';
import type { Clock } from './time/clock.ts';

/** Limits concurrent work in this process, in all and by name, such as a practice. So one practice leaves connections to the others. */
export interface Limiter {
  /**
   * Runs the work when there is a place. The work of one name begins in the order of the calls. Names that wait get places
   * in turn.
   *
   * @throws DatabaseUnavailable when no place becomes free in time
   */
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** The person, key or operator who acts, as the audit log names them. */
export type Actor =
  | { kind: 'person'; id: string; address: string | null }
  | { kind: 'api_key'; id: string; address: string | null }
  | { kind: 'operator' };

/** Dependencies of one request, command or job: the first parameter of every service function. */
export interface Scope {
  /** A separate fork of the entity manager, with its own identity map and transaction. */
  em: EntityManager;
  clock: Clock;
  log: Logger;
  keyring: Keyring;
  /** Base URL of hosted pages, without trailing slash. */
  publicUrl: string;
  /** Base URL of the console, without trailing slash. It may have a host of its own. */
  consoleUrl: string;
  /** The practice whose rows this scope's transactions lock, with their limiter; unset without a limit. */
  transactionsOf?: { practiceId: string; limiter: Limiter } | undefined;
  /** Checks at the start of each transaction that the actor still has the right, and locks the rows that grant it; unset for no check. */
  confirmRight?: ((em: EntityManager) => Promise<void>) | undefined;
  /** The actor of the audit entries that services add with their changes; unset if the caller adds them, or nobody acts. */
  actor?: Actor | undefined;
}

/** Returns the scope with an empty identity map, to read rows again that another transaction may have changed. */
export function fresh<S extends Scope>(scope: S): S {
  return { ...scope, em: scope.em.fork() };
}

/** Returns the scope for the consequences of an act, such as the processor's answer. They do not depend on the actor's right. */
export function asService<S extends Scope>(scope: S): S {
  return { ...scope, confirmRight: undefined };
}

/** Fields that decide what a key or a person of the console may see. */
export interface Access {
  practiceId: string;
  /** Mode: test keys and pages see test resources only, live ones live resources only. */
  test: boolean;
  /** The location to which the key is pinned; null for all locations of the practice. */
  locationId: string | null;
}

/** The scope of services that keys and people of the console use alike. */
export interface AccessScope extends Scope {
  caller: Access;
}

/** Returns the name of the mode of a key, a link or an endpoint. */
export function modeName({ test }: { test: boolean }): 'test' | 'live' {
  return test ? 'test' : 'live';
}

/** The authenticated caller of the API. */
export interface Caller extends Access {
  apiKeyId: string;
  scopes: readonly string[];
}

/** The scope of an authenticated request. */
export interface CallerScope extends AccessScope {
  caller: Caller;
  /** Limits the concurrent reads of each practice, for an operation that waits; unset for all others. */
  reads?: Limiter | undefined;
  /** Returns true when an operation must not wait any longer: its client is gone, or the process ends. */
  isAbandoned?: (() => boolean) | undefined;
}
