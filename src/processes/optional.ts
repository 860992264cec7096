import type { MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { readCommit, VERSION } from '../base/log/version.ts';
import type { Scope } from '../base/scope.ts';
import type { Cell, CellMap } from '../cells/map.ts';
import type { Readiness } from '../database/readiness.ts';
import { type Config, ConfigError } from './config.ts';

/** The map of cells, and the cell of this process. */
export interface OwnCell {
  map: CellMap;
  own: Cell;
}

/**
 * Reads the map of cells and finds the cell of this process. Returns null without a map; then its code is not even loaded.
 *
 * @throws ConfigError with every fault of the map, or if it lacks the cell
 */
export async function cellsOf({ cellsFile, cell }: Pick<Config, 'cellsFile' | 'cell'>): Promise<OwnCell | null> {
  if (cellsFile === null) return null;
  const { InvalidCellMap, readCellMap } = await import('../cells/map.ts');
  try {
    const map = readCellMap(cellsFile);
    const own = cell === null ? map.cells[0] : map.cells.find(({ name }) => name === cell);
    if (own === undefined) throw new ConfigError([`CELL: the map ${cellsFile} has no cell of this name`]);
    return { map, own };
  } catch (error) {
    if (error instanceof InvalidCellMap) throw new ConfigError(error.faults.map((fault) => `${cellsFile}: ${fault}`));
    throw error;
  }
}

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
  const { startMetrics } = await import('../metrics/start.ts');
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

/** Records traces of a process, if they have a collector. Without one, nothing of OpenTelemetry is even loaded. */
export async function tracesOf(
  component: 'api' | 'worker',
  { traces }: Pick<Config, 'traces'>,
  log: Logger,
): Promise<{ close(): Promise<void> } | null> {
  if (traces === null) return null;
  const { startTraces } = await import('../traces/start.ts');
  return startTraces({ component, version: VERSION, commit: readCommit(), log, ...traces });
}
