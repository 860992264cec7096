/** A command that could not do its work. The message names the fact, and `hint` the next step. Exit status 1. */
export class Failure extends Error {
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null) {
    super(message);
    this.name = 'Failure';
    this.hint = hint;
  }
}

/** A command line that is wrong. Exit status 2. */
export class UsageError extends Failure {
  constructor(message: string, hint: string | null = null) {
    super(message, hint);
    this.name = 'UsageError';
  }
}

/** Returns the known name that is most similar to the text; null if none is similar. */
export function similarName(text: string, known: readonly string[]): string | null {
  const byDistance = known
    .map((name) => ({ name, distance: Math.min(distance(text, name), distance(text, afterDot(name))) }))
    .toSorted((a, b) => a.distance - b.distance);
  const [best] = byDistance;
  return best !== undefined && best.distance <= Math.max(2, text.length / 4) ? best.name : null;
}

function afterDot(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...b].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
