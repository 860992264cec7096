import { InvalidArgumentError } from 'commander';
import { createLogger } from '../../base/log/log.ts';
import { CELL_NAME } from '../../base/slot.ts';
import { environmentOf, variableOf } from '../../cells/environment.ts';
import type { CellMap } from '../../cells/map.ts';
import { readConfig } from '../../processes/config.ts';
import { type OwnCell, readOwnCell } from '../../processes/own-cell.ts';

/* The cell on which a command acts. Without a map of cells nothing here changes the environment. */

/** Chooses the environment of a command's cell. @throws Error that names the missing setting */
export type CellChoice = (named: string | undefined, env: NodeJS.ProcessEnv) => Promise<NodeJS.ProcessEnv>;

/** Chooses the cell of `--cell`, or else that of CELL, or else the first one. */
export const namedCell: CellChoice = async (named, env) => {
  const cells = await ownCellIn(env);
  if (cells === null) {
    if (named !== undefined)
      throw new InvalidArgumentError('--cell needs the map of cells. Set PAYLINKS_CELLS to its path.');
    // An invalid name is a fault of the configuration, which lists it with all others.
    return CELL_NAME.test(env.CELL ?? '') ? environmentOf(env.CELL ?? '', env) : env;
  }
  return settingsOf(named ?? cells.own.name, cells.own.name, cells.map, env);
};

/**
 * Chooses the cell of `--cell`, or else the one with the fewest practices for its weight. A cell without slots for new ones, or with the
 * weight 0, gets none.
 */
export const leastFullCell: CellChoice = async (named, env) => {
  const cells = await ownCellIn(env);
  if (cells === null) return namedCell(named, env);
  const { slotsForNew } = await import('../../cells/map.ts');
  if (named !== undefined) {
    const cell = cells.map.cells.find(({ name }) => name === named);
    if (cell?.weight === 0) throw new Error(`Cell ${named} gets no new practices: its weight in the map is 0.`);
    return namedCell(named, env);
  }
  const candidates = cells.map.cells.filter((cell) => slotsForNew(cell).length > 0);
  const filled: { env: NodeJS.ProcessEnv; load: number }[] = [];
  for (const { name, weight } of candidates) {
    const own = settingsOf(name, cells.own.name, cells.map, env);
    filled.push({ env: own, load: (await practicesIn(name, own)) / weight });
  }
  const [emptiest] = filled.toSorted((a, b) => a.load - b.load);
  if (emptiest === undefined) throw new Error('No cell has slots for new practices.');
  return emptiest.env;
};

function ownCellIn({ PAYLINKS_CELLS, CELL }: NodeJS.ProcessEnv): Promise<OwnCell | null> {
  return readOwnCell({ cellsFile: PAYLINKS_CELLS?.trim() || null, cell: CELL?.trim() || null });
}

/** Returns the environment of a cell. Settings without a suffix belong to the own cell only. */
function settingsOf(name: string, own: string, map: CellMap, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (!map.cells.some((cell) => cell.name === name)) {
    throw new InvalidArgumentError(
      `The map has no cell "${name}"; its cells are ${map.cells.map((cell) => cell.name).join(', ')}.`,
    );
  }
  const variable = variableOf('DATABASE_URL', name);
  if (name !== own && !env[variable]?.trim()) {
    throw new Error(`The settings of cell ${name} are missing. Set ${variable}.`);
  }
  return environmentOf(name, env);
}

async function practicesIn(cell: string, env: NodeJS.ProcessEnv): Promise<number> {
  const { databaseUrl } = readConfig(env);
  if (databaseUrl === null) throw new Error(`Cell ${cell} has no database. Set DATABASE_URL.`);
  const [{ createOrm }, { Practice }] = await Promise.all([
    import('../../processes/shared.ts'),
    import('../../practices/practice.entity.ts'),
  ]);
  const orm = createOrm(databaseUrl, createLogger('silent'), 1);
  try {
    return await orm.em.fork().count(Practice);
  } catch (cause) {
    throw new Error(`Cell ${cell} is out of reach. Choose another one by --cell.`, { cause });
  } finally {
    await orm.close();
  }
}
