import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { checkout } from '../harness/processes.ts';

/** Variables of every shell. */
const OF_THE_SHELL = ['HOME', 'PATH', 'PWD', 'USER'];

/** The forms in which a program reads a variable of its environment. A group has the name. */
const READS = [
  /process\.env\.([A-Z]\w*)/g,
  /os\.environ(?:\.get\(|\[)["']([A-Z]\w*)/g,
  /os\.Getenv\("([A-Z]\w*)"/g,
  /\bgetenv\(["']([A-Z]\w*)/g,
  /\bENV(?:\.fetch\(|\[)["']([A-Z]\w*)/g,
];

/** A part of a guide: a fenced block, or the text between two. */
interface Part {
  /** Word behind the fence; null for text. */
  language: string | null;
  text: string;
}

function partsOf(guide: string): Part[] {
  return guide.split(/^(```\w*[^\n]*\n[\s\S]*?^```$)/gm).map((text) => {
    const fence = /^```(\w*)[^\n]*\n/.exec(text);
    return fence === null
      ? { language: null, text }
      : { language: fence[1] ?? '', text: text.slice(fence[0].length, -3) };
  });
}

/** Returns the variables that a snippet reads, in their order. */
function readIn({ language, text }: Part): string[] {
  if (language === null) return [];
  if (language === 'sh') return [...text.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name = '']) => name);
  const destructured = [...text.matchAll(/\{([^{}]+)\} = process\.env/g)].flatMap(([, names = '']) =>
    [...names.matchAll(/\b([A-Z][A-Z_]+)\b/g)].map(([, name = '']) => name),
  );
  return [...destructured, ...READS.flatMap((form) => [...text.matchAll(form)].map(([, name = '']) => name))];
}

/** Returns the variables that a snippet sets. A loop sets one, too. */
function setIn({ language, text }: Part): string[] {
  if (language !== 'sh') return [];
  return [...text.matchAll(/(?:^|[\s;&(])(?:for )?([A-Za-z_]\w*)(?:=| in )/gm)].map(([, name = '']) => name);
}

/** Returns the variables that a guide reads before it sets or explains them. */
function unexplained(guide: string): string[] {
  const known = new Set(OF_THE_SHELL);
  const missing = new Set<string>();
  for (const part of partsOf(guide)) {
    if (part.language === null) {
      for (const [, name = ''] of part.text.matchAll(/`([A-Z][A-Z_]+)`/g)) known.add(name);
      continue;
    }
    for (const name of setIn(part)) known.add(name);
    for (const name of readIn(part)) if (!known.has(name)) missing.add(name);
  }
  return [...missing];
}

describe('variables of the guides', () => {
  for (const file of globSync('docs/guides/*.md', { cwd: checkout }).toSorted()) {
    it(`every variable of the guide "${basename(file, '.md')}" is set or explained before a snippet reads it`, () => {
      expect(unexplained(readFileSync(join(checkout, file), 'utf8'))).to.deep.equal([]);
    });
  }

  it('a variable that a page sets only after its use, or in text about something else, is found', () => {
    const use = '```sh run\ncurl "$ADDRESS"\n```\n';
    expect(unexplained(use)).to.deep.equal(['ADDRESS']);
    expect(unexplained(`${use}\n\`\`\`sh\nexport ADDRESS=x\n\`\`\`\n`)).to.deep.equal(['ADDRESS']);
    expect(unexplained(`\`ADDRESS\` is yours.\n\n${use}`)).to.deep.equal([]);
    expect(unexplained('```sh\nfor word in a b; do echo "$word"; done\n```\n')).to.deep.equal([]);
    expect(unexplained('```ts file=a.ts\nconst { KEY: key } = process.env;\nprocess.env.PLACE\n```\n')).to.deep.equal([
      ...['KEY', 'PLACE'],
    ]);
  });
});
