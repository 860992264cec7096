import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import pg from 'pg';
import { PARAMETER_NAMES, settingsOf } from '../../src/database/connection/parameters.ts';
import { createEmptyDatabase } from '../harness/database.ts';
import { checkout } from '../harness/processes.ts';

/** Settings that PostgreSQL takes any text for, by the name that it keeps. */
const NAMES = ['own.first', 'own.second_one', 'lock_timeout'];

/** The ways to write a name: its case does not count, and a dash stands for an underscore. */
const spelling = (name: string) =>
  fc.constantFrom(name, name.toUpperCase(), name.replaceAll('_', '-'), name.replace('o', 'O'));

/** A value with the characters that mean something in `options`, or none of them a syntax knows. */
const text = fc.string({ unit: fc.constantFrom(...'aZ0-=. \t\v\n\\"\'é\u00a0\u2028😀'), maxLength: 6 });

/** Writes a word so that white space and backslashes belong to it. */
const escaped = (word: string) => word.replace(/[ \t\n\v\f\r\\]/g, '\\$&');

const assignment = fc
  .oneof(
    fc.tuple(fc.constantFrom(NAMES[0], NAMES[1]), text),
    fc.tuple(fc.constant(NAMES[2]), fc.constantFrom('0', '7', '2s', '1min')),
  )
  .chain(([name = '', value]) =>
    fc.tuple(fc.constantFrom('-c ', '-c', '-c\t\n', '--'), spelling(name), fc.constant(escaped(value))),
  )
  .map(([before, name, value]) => `${before}${name}=${value}`);

/** Switches that set nothing of ours, and a needless backslash. */
const other = fc.constantFrom('-d 1', '-e', '-S 128', '-\\c own.first=x');

const options = fc
  .array(fc.oneof({ weight: 4, arbitrary: assignment }, other), { maxLength: 5 })
  .chain((words) =>
    fc
      .array(fc.constantFrom(' ', '\t', '  ', ' \v\n'), { minLength: words.length, maxLength: words.length })
      .map((gaps) => words.map((word, at) => `${gaps[at]}${word}`).join('')),
  );

describe('the parameters of a database’s address', () => {
  let url: string;

  before(async () => {
    url = await createEmptyDatabase();
  });

  /** The settings of a session that connects with these options; null for one not set. */
  async function sessionSettings(given: string): Promise<Record<string, string | null>> {
    const client = new pg.Client({ connectionString: url, options: given });
    await client.connect();
    try {
      const { rows } = await client.query<{ name: string; value: string | null }>(
        'select name, current_setting(name, true) as value from unnest($1::text[]) as name',
        [NAMES],
      );
      return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
    } finally {
      await client.end();
    }
  }

  it('the parameters of a database’s address are read from options as the server reads them', async () => {
    await fc.assert(
      fc.asyncProperty(options, async (given) => {
        const read = settingsOf(given);
        const { lock_timeout: limit, ...own } = await sessionSettings(given);
        const ours = Object.fromEntries(NAMES.slice(0, 2).map((name) => [name, read[name] ?? null]));
        expect(ours).to.deep.equal(own);
        expect({ '0': '0', '7': '7ms', '2s': '2s', '1min': '1min' }[read.lock_timeout ?? '0']).to.equal(limit);
      }),
      { numRuns: 60 },
    );
  });

  it('the parameters of a database’s address are all described in the README, which describes no other', () => {
    const readme = readFileSync(join(checkout, 'README.md'), 'utf8');
    const [, section = ''] = readme.split(/^### The database's address$/m);
    const rows = [...(section.split(/^#/m)[0] ?? '').matchAll(/^\| (`[^|]*) \|/gm)];
    const described = rows.flatMap(([, names = '']) => names.split(', ').map((name) => name.replaceAll('`', '')));
    expect(described).to.have.members([...PARAMETER_NAMES]);
  });
});
