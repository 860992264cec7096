import type { MikroORM } from '@mikro-orm/postgresql';
import type { Scope } from './base/scope.ts';
import type { OwnCell } from './cells-of.ts';
import type { Config } from './config.ts';
import type { Readiness } from './database/readiness.ts';

/**
 * Serves the metrics of a process, if it has a port for them. Without one the code is not even loaded.
 *
 * @throws Node's error if it cannot listen on the port, e.g. EADDRINUSE
 */
export async function metricsOf(
  component: 'api' | 'worker',
  { metricsPort: port, host, cell }: Pick<Config, 'metricsPort' | 'host' | 'cell'>,
  cells: OwnCell | null,
  { orm, newScope, readiness }: { orm: MikroORM; newScope: () => Scope; readiness: Readiness },
): Promise<{ port: number; close(): Promise<void> } | null> {
  if (port === null) return null;
  const { startMetrics } = await import('./metrics/start.ts');
  return startMetrics({
    component,
    orm,
    newScope,
    readiness,
    cell: cell ?? cells?.own.name ?? null,
    port,
    host,
  });
}
