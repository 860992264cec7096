import { ConfigError } from '../base/errors.ts';
import type { Cell, CellMap } from '../cells/map.ts';
import type { Config } from './config.ts';

export interface OwnCell {
  map: CellMap;
  own: Cell;
}

/**
 * Reads the map of cells and finds the cell of this process. Returns null without a map; then its code is not even loaded.
 *
 * @throws ConfigError with every fault of the map, or if it lacks the cell
 */
export async function readOwnCell({ cellsFile, cell }: Pick<Config, 'cellsFile' | 'cell'>): Promise<OwnCell | null> {
  if (cellsFile === null) return null;
  const { readCellMap } = await import('../cells/map.ts');
  const map = readCellMap(cellsFile);
  const own = cell === null ? map.cells[0] : map.cells.find(({ name }) => name === cell);
  if (own === undefined) throw new ConfigError([`CELL: the map ${cellsFile} has no cell of this name`]);
  return { map, own };
}
