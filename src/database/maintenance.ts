import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { migratingConnection } from './connection/service-connection.ts';
import { ormOver } from './orm.ts';

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
