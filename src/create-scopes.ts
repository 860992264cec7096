import type { MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Scope } from './base/scope.ts';
import type { Clock } from './base/time/clock.ts';
import type { Config } from './config.ts';

/** Returns the function that makes the scopes of a process: a new one for each request, job or command. */
export function createScopes(
  orm: MikroORM,
  { keyring, publicUrl, consoleUrl }: Pick<Config, 'keyring' | 'publicUrl' | 'consoleUrl'>,
  log: Logger,
  clock: Clock,
): () => Scope {
  return () => ({ em: orm.em.fork(), clock, log, keyring, publicUrl, consoleUrl });
}
