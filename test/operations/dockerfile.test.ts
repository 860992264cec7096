import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { validate } from 'dockerfile-utils';
import { checkout } from '../harness/processes.ts';

const text = readFileSync(join(checkout, 'operations/container/Dockerfile'), 'utf8');
const problemsOf = (dockerfile: string) => validate(dockerfile).map(({ message }) => message);

describe('the image', () => {
  it('the Dockerfile has no error and no warning', () => {
    expect(problemsOf(text)).to.deep.equal([]);
  });

  for (const [mistake, from, to, message] of [
    ['an unknown instruction', 'EXPOSE', 'EXPOSES', 'Unknown instruction: EXPOSES'],
    ['an unknown option', '--from=build', '--form=build', 'Unknown flag: form'],
    ['an interval without a unit', '--interval=10s', '--interval=10', 'missing unit in duration 10'],
    ['a copy without a destination', ' /opt/paylinks /opt/paylinks', ' /opt/paylinks', 'COPY requires at least two'],
    ['a port that is no number', 'EXPOSE 3000', 'EXPOSE http', 'Invalid containerPort: http'],
    ['an image without its name', /^FROM node.*/m, 'FROM', 'Instruction has no arguments'],
    ['two commands', /$/, '\nCMD ["worker"]\n', 'There can only be one CMD'],
  ] as const) {
    it(`a Dockerfile is refused with ${mistake}`, () => {
      expect(problemsOf(text.replace(from, to)).join('\n')).to.include(message);
    });
  }
});
