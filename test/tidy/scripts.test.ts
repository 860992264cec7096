import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { checkout } from '../harness/processes.ts';

/** The imports of `scripts/` and `proofs/` by each file of the tests: the program that a path belongs to, such as `bench` or `service`. */
const imports = globSync('test/**/*.ts', { cwd: checkout }).flatMap((file) => {
  const text = readFileSync(join(checkout, file), 'utf8');
  const paths = [...text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, path = '']) => join(dirname(file), path));
  const programs = paths.filter((path) => /^(scripts|proofs)\//.test(path)).map((path) => path.split(/[/.]/)[1] ?? '');
  return [...new Set(programs)].map((program) => ({ file, program }));
});

describe('imports of scripts and proofs by tests', () => {
  it('helpers of tests import nothing of scripts/ and proofs/, because these share what lies in test/', () => {
    expect(imports.length).to.be.above(10);
    expect(imports.filter(({ file }) => !file.endsWith('.test.ts'))).to.deep.equal([]);
  });

  it('a test imports the one program of scripts/ or proofs/ that it tests', () => {
    const byFile = Object.groupBy(imports, ({ file }) => file);
    expect(Object.values(byFile).filter((programs = []) => programs.length > 1)).to.deep.equal([]);
  });
});
