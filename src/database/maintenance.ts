import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Scope } from '../base/scope.ts';
import { migratingConnection } from './connection/service-connection.ts';
import { ormOver } from './orm.ts';

/** Runs work with a scope on a connection without time limits. */
export type WithoutTimeLimits = (work: (scope: Scope) => Promise<void>) => Promise<void>;

/** Runs work on a connection of its own without time limits, for statements that read or change a whole table. */
export async function withoutTimeLimits<T>(
  databaseUrl: string,
  log: Logger,
  work: (em: EntityManager) => Promise<T>,
): Promise<T> {
  const orm = ormOver(migratingConnection(databaseUrl), log, { max: 1 }, []);
  try {
    return await work(orm.em.fork());
  } finally {
    await orm.close();
  }
}
