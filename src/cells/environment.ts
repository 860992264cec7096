import { CELL_NAME } from '../base/slot.ts';

/* Settings per cell. The map of cells has no credentials: a variable with the cell's name behind it replaces the variable. */

/** Returns the variable that replaces another one in a cell: `DATABASE_URL__EAST_2` for `DATABASE_URL` and `east-2`. */
export function variableOf(name: string, cell: string): string {
  return `${name}__${suffixOf(cell)}`;
}

/**
 * Returns the environment of a cell. Variables with the cell's suffix replace those without, and CELL names it.
 *
 * @param cell a valid name; names that differ have suffixes that differ
 */
export function environmentOf(cell: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (!CELL_NAME.test(cell)) throw new Error('A cell has a name such as b or east-2.');
  const suffix = `__${suffixOf(cell)}`;
  const own = Object.entries(env).flatMap(([name, value]) =>
    name.endsWith(suffix) && name.length > suffix.length ? [[name.slice(0, -suffix.length), value] as const] : [],
  );
  return { ...env, ...Object.fromEntries(own), CELL: cell };
}

function suffixOf(cell: string): string {
  return cell.toUpperCase().replaceAll('-', '_');
}
