import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { COMMANDS } from '../../packages/paylinks-dev/source/program.ts';
import { Machine } from '../consumer/consumer.ts';
import { checkout } from '../harness/processes.ts';

/** Placeholders of a command line. */
const PLACEHOLDERS = /\b(COMMAND|TYPE)\b/;

/** Returns the words behind `paylinks-dev` of every command line in a guide, in snippets and in the text. */
function commandLines(guide: string): string[] {
  return [...guide.matchAll(/paylinks-dev ([a-z][^`\n|>]*|COMMAND[^`\n]*)/g)]
    .filter(([, words = '']) => !PLACEHOLDERS.test(words) && !words.includes(' and '))
    .map(([, words = '']) => words.trim());
}

/** Returns the first fault of a command line by the command's own help; null if it has none. */
async function faultOf(line: string, machine: Machine): Promise<string | null> {
  const command = COMMANDS.find(({ name }) => line === name || line.startsWith(`${name} `));
  if (command === undefined) return 'no such command';
  const { output } = await machine.run([...command.name.split(' '), '--help']);
  const options = [...line.matchAll(/(?<=\s)--[\w-]+/g)].map(([option]) => option);
  return options.find((option) => !output.includes(`  ${option} `)) ?? null;
}

describe('commands of the guides', () => {
  const machine = new Machine();
  after(() => machine.remove());

  const guides = globSync('docs/guides/*.md', { cwd: checkout });
  const lines = guides.flatMap((file) => commandLines(readFileSync(join(checkout, file), 'utf8')));

  it('every command line of paylinks-dev has a command and options that its help names', async () => {
    expect(lines.length).to.be.above(20);
    for (const line of lines) expect(await faultOf(line, machine), `paylinks-dev ${line}`).to.equal(null);
  });

  it('a command or an option that does not exist is found', async () => {
    expect(await faultOf('forward --to x', machine)).to.equal('no such command');
    expect(await faultOf('listen --forward http://localhost:4000', machine)).to.equal('--forward');
    expect(await faultOf('endpoints list --page 2', machine)).to.equal(null);
  });

  it('every command of paylinks-dev is in its guide', () => {
    const guide = readFileSync(join(checkout, 'docs/guides/command.md'), 'utf8');
    for (const { name } of COMMANDS) {
      for (const word of name.split(' ')) expect(guide, name).to.match(new RegExp(`\\b${word}\\b`));
    }
  });
});
