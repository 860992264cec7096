import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { validate } from 'dockerfile-utils';
import { checkout } from '../harness/processes.ts';

describe('the image', () => {
  it('the Dockerfile has no error and no warning', () => {
    const text = readFileSync(join(checkout, 'operations/container/Dockerfile'), 'utf8');
    const problemsOf = (dockerfile: string) => validate(dockerfile).map(({ message }) => message);
    expect(problemsOf(text)).to.deep.equal([]);
    expect(problemsOf(text.replace('--from=build', '--form=build'))).to.deep.equal(['Unknown flag: form']);
  });
});
