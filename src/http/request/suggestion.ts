/** Shortest beginning of a name that suggests the whole name. */
const MIN_PREFIX_LENGTH = 3;

/**
 * Returns the known name that a caller probably meant: the caller's is its beginning, or few letters differ. Case, `_` and `-` do not
 * count. Null if no known name is similar. Known names may be dotted: `email` suggests `patient.email`.
 */
export function suggestName(name: string, knownNames: readonly string[]): string | null {
  const letters = readLetters(name);
  // Longer names are never meant, and would make the distance expensive.
  if (letters.length > 2 * Math.max(...knownNames.map((name) => name.length))) return null;
  const candidates = knownNames.map((name) => ({
    name,
    distance: distanceTo(letters, readLetters(name.split('.').at(-1) ?? '')),
  }));
  const best = candidates.reduce((left, right) => (right.distance < left.distance ? right : left));
  return best.distance <= Math.max(1, Math.floor(letters.length / 3)) ? best.name : null;
}

function readLetters(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

function distanceTo(letters: string, name: string): number {
  if (letters.length >= MIN_PREFIX_LENGTH && name.startsWith(letters)) return letters.length === name.length ? 0 : 0.5;
  return editDistance(letters, name);
}

/** Returns the number of characters to insert, delete, replace or swap with their neighbor (optimal string alignment). */
function editDistance(left: string, right: string): number {
  let [beforeLast, last] = [[] as number[], Array.from({ length: right.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= left.length; row++) {
    const next = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = at(last, column - 1) + (left[row - 1] === right[column - 1] ? 0 : 1);
      const isSwap = row > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const swapped = isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(replaced, swapped, at(last, column) + 1, at(next, column - 1) + 1));
    }
    [beforeLast, last] = [last, next];
  }
  return at(last, right.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
