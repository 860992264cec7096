import { MikroORM, type Options } from '@mikro-orm/postgresql';
import type { PoolConfig } from 'pg';
import type { Logger } from 'pino';
import type { ConnectionConfig } from './connection/connection.ts';
import { poolOptions } from './connection/pool.ts';

/** Passes the whole connection to the driver, because MikroORM reads only host and login. */
export function createOrmFor(
  connection: ConnectionConfig,
  log: Logger,
  pool: PoolConfig,
  entities: NonNullable<Options['entities']>,
): MikroORM {
  return new MikroORM({
    entities,
    dbName: connection.database,
    driverOptions: { ...poolOptions(connection), ...pool },
    // Otherwise a schema diff would drop the tables of the job queue and of the sandbox.
    schemaGenerator: { ignoreSchema: ['graphile_worker', 'sandbox'] },
    discovery: { warnWhenNoEntities: false },
    logger: (message) => log.debug(message),
    ensureDatabase: false,
  });
}
