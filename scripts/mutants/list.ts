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
  /** Reason why no test can notice the fault; such a mutant is listed, and not run. */
  equivalent?: string | undefined;
}

/**
 * Reads mutants from text. Blank lines separate the files of the service, and the first line of each names the file. Lines
 * with `#` are comments. A mutant is a sentence, and lines that begin with a sign:
 *
 * - `-` the text, which stands in the file once
 * - `+` its replacement; none for a text that is deleted
 * - `?` the test, with a part of its title after a colon
 * - `=` why no test can notice the fault
 */
export function parseMutants(text: string): Mutant[] {
  const sections = text
    .trimEnd()
    .split('\n\n')
    .filter((section) => !section.startsWith('#'));
  return sections.flatMap((section) => {
    const [file = '', ...lines] = section.split('\n');
    // A sentence begins a mutant; the lines after it begin with a sign.
    const starts = lines.flatMap((line, at) => (/^[-+?=] /.test(line) ? [] : [at]));
    return starts.map((from, index) => mutantOf(file, lines.slice(from, starts[index + 1])));
  });
}

function mutantOf(file: string, [name = '', ...lines]: readonly string[]): Mutant {
  const after = (sign: string) => lines.filter((line) => line.startsWith(`${sign} `)).map((line) => line.slice(2));
  const [test = '', title] = after('?')
    .join()
    .split(/: (.*)/);
  const equivalent = after('=').join(' ') || undefined;
  return { name, file, text: after('-').join('\n'), instead: after('+').join('\n'), test, title, equivalent };
}

/** All mutants, in the order of the files that describe them. */
export const MUTANTS: readonly Mutant[] = globSync('scripts/mutants/*.txt', { cwd: checkout })
  .toSorted()
  .flatMap((file) => parseMutants(readFileSync(join(checkout, file), 'utf8')));
