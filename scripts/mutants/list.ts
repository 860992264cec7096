import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout, type Mutation } from './mutation.ts';

/** A fault that a plausible mistake would make, and the test that must notice it. */
export interface Mutant extends Mutation {
  /** The fault as a sentence. */
  name: string;
  /** Path of the test file. */
  test: string;
  /** Part of the title of the tests to run; without it, the whole file runs. */
  title?: string | undefined;
}

/**
 * Reads mutants from text. Blank lines separate the files of the service, and the first line of each names the file. Lines
 * with `#` are comments. A mutant is a sentence, and lines that begin with a sign:
 *
 * - `-` the text, which stands in the file once
 * - `+` its replacement; none for a text that is deleted
 * - `?` the test, with a part of its title after a colon; none if it is that of the mutant before
 */
function parseMutants(text: string): Mutant[] {
  const mutants: Mutant[] = [];
  const sections = text.trimEnd().split('\n\n');
  for (const section of sections.filter((section) => !section.startsWith('#'))) {
    const [file = '', ...lines] = section.split('\n');
    // A sentence begins a mutant; the lines after it begin with a sign.
    const starts = lines.flatMap((line, at) => (/^[-+?] /.test(line) ? [] : [at]));
    for (const [index, from] of starts.entries()) {
      mutants.push(mutantOf(file, lines.slice(from, starts[index + 1]), mutants.at(-1)));
    }
  }
  return mutants;
}

function mutantOf(file: string, [name = '', ...lines]: readonly string[], before: Mutant | undefined): Mutant {
  const after = (sign: string) => lines.filter((line) => line.startsWith(`${sign} `)).map((line) => line.slice(2));
  const named = after('?')[0]?.split(/: (.*)/) ?? [before?.test, before?.title];
  const [test = '', title] = named;
  return { name, file, text: after('-').join('\n'), instead: after('+').join('\n'), test, title };
}

/** Reads mutants from the files that fit a pattern, in the order of their names. */
export function readMutants(pattern: string): Mutant[] {
  const files = globSync(pattern, { cwd: checkout }).toSorted();
  return files.flatMap((file) => parseMutants(readFileSync(join(checkout, file), 'utf8')));
}

/** The mutants of `make mutants`. */
export const MUTANTS: readonly Mutant[] = readMutants('scripts/mutants/*.txt');

/**
 * Returns the mutants that `ONLY` names: those whose name or file contains one of its words, separated by commas. All without it.
 *
 * @throws Error if there is none
 */
export function chooseMutants<M extends Pick<Mutant, 'name' | 'file'>>(mutants: readonly M[], only = ''): M[] {
  const words = only.toLowerCase().split(',');
  const chosen = mutants.filter(({ name, file }) =>
    words.some((word) => `${name} ${file}`.toLowerCase().includes(word)),
  );
  if (chosen.length === 0) throw new Error(`ONLY=${only}: the name or file of no mutant contains this`);
  return chosen;
}
