import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import {
  blockComments,
  identifiers,
  lineComments,
  type Prose,
  paragraphs,
  sentences,
  splitWords,
  wordCount,
} from './prose.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Limit of a sentence, in words. A longer one has to be read twice. */
const MAX_WORDS = 25;

/** Opening of a bare clause. A comment opens with a verb or a noun phrase, so that it can be read on its own. */
const CLAUSE = /^(what|whatever|whether|how|however|who|whom|whose|where|wherever|when|whenever|why|which)\b/i;

/** Reference to another comment, which the reader may not have seen. */
const SAME_BUT = /\bthe same(,| as \w+,) but\b/i;

/** Opening of a test's name that has no subject of its own, and needs the `describe` around it. */
const NO_SUBJECT = new RegExp(
  '^(is|are|was|were|has|have|does|do|did|can|cannot|could|may|must|should|will|never|not|and|or|but|accepts?|' +
    'adds?|answers?|asks?|changes?|counts?|creates?|deletes?|ends?|fails?|finds?|gets?|gives?|goes|ignores?|keeps?|leaves?|' +
    'lists|makes|needs?|reads?|refuses?|rejects?|reports?|returns?|runs?|says?|sends?|shows?|starts?|stays?|stops?|' +
    'succeeds|takes?|throws?|uses?|waits?|works?|writes?)$',
);

const GLOSSARY = 'docs/glossary.md';
const REPLACED_WORDS = '## Replaced words';

/** Files that keep removed words: the history of releases and of the schema, and the list itself. */
const KEEPS_REMOVED_WORDS = /^(CHANGELOG\.md|docs\/glossary\.md)$/;

/** Comments, and literals with the colon that shows a literal to be the name of a property. A literal with `_`, or of one small word, is a code. */
const COMMENTS_AND_LITERALS =
  /\/\*[\s\S]*?\*\/|\/\/.*|(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`):?/g;

const code = readAll('src/**/*.{ts,js,sql}', '{test,scripts,proofs,examples}/**/*.ts');
const pages = readAll('*.md', 'docs/**/*.md');
const others = readAll(
  ...['openapi.yaml', 'Makefile', 'scripts/paylinks', 'src/**/*.css', 'operations/**/*.{cfg,yaml,json,env,service}'],
  ...['examples/**/*.{go,java,php,py,rb}', 'proofs/**/*.{go,java,py,rs}'],
);

const texts = readAll(
  'src/patient-pages/texts/**/*.ts',
  'src/console/{identity,render,routing,screens}/**/*.ts',
  'src/web/blocks.ts',
);

interface File {
  path: string;
  text: string;
}

function readAll(...patterns: string[]): File[] {
  return globSync(patterns, { cwd: root }).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Words of the glossary's table that are refused everywhere, only in identifiers, or only in texts. */
function replacedWords(where: 'everywhere' | 'identifiers' | 'texts'): string[] {
  const [, section = ''] = readFileSync(join(root, GLOSSARY), 'utf8').split(REPLACED_WORDS);
  return [...section.matchAll(/^\| (.+?) \| .+? \| (\w+) \|$/gm)]
    .filter(([, , cell]) => cell === where)
    .flatMap(([, words = '']) => words.split(', '));
}

/** Words of what was removed, with the files that may keep them. */
function removedWords(): { words: string[]; keepers: string[] }[] {
  const [, section = ''] = /## Removed words([\s\S]*?)\n## /.exec(readFileSync(join(root, GLOSSARY), 'utf8')) ?? [];
  return [...section.matchAll(/^\| ([^|]+) \| [^|]+ \| ([^|]*) \|$/gm)]
    .slice(1)
    .map(([, words = '', keepers = '']) => ({
      words: words.split(', '),
      keepers: [...keepers.matchAll(/`([^`]+)`/g)].map(([, keeper = '']) => keeper),
    }));
}

/** Lists what `find` reports for each piece of prose, with file and line. */
function findings(find: (prose: string) => string[]): string[] {
  const all: [File, Prose[]][] = [
    ...code.map((file): [File, Prose[]] => [
      file,
      [...blockComments(file.path, file.text), ...lineComments(file.text)],
    ]),
    ...pages.map((file): [File, Prose[]] => [file, paragraphs(file.text)]),
  ];
  return all.flatMap(([{ path }, proses]) =>
    proses.flatMap(({ line, text }) => find(text).map((found) => `${path}:${line}: ${found}`)),
  );
}

describe('The language of code and documentation', () => {
  it('the project uses no word that the glossary lists as replaced', () => {
    const words = replacedWords('everywhere');
    expect(words).to.have.length.above(40);
    const pattern = new RegExp(`\\b(${words.join('|')})\\b`, 'i');
    const offences = [...code, ...pages, ...others].flatMap(({ path, text }) => {
      const [own = ''] = path === GLOSSARY ? text.split(REPLACED_WORDS) : [text];
      return [path, ...own.split('\n')].flatMap((line, number) => {
        const found = splitWords(line).match(pattern);
        return found === null ? [] : [`${path}:${number}: ${found[0]}`];
      });
    });
    expect(offences).to.deep.equal([]);
  });

  it('the project names nothing that the glossary lists as removed, but in files where the word means something else', () => {
    const rows = removedWords();
    expect(rows).to.have.length.above(1);
    const scanned = [...code, ...pages, ...others].filter(({ path }) => !KEEPS_REMOVED_WORDS.test(path));
    const offences = rows.flatMap(({ words, keepers }) => {
      const kept = new Set(globSync(keepers, { cwd: root }));
      const pattern = new RegExp(`(?<![\\p{L}\\d])(?:${words.join('|')})(?![\\p{L}\\d])`, 'iu');
      return scanned
        .filter(({ path }) => !kept.has(path))
        .flatMap(({ path, text }) =>
          [path, ...text.split('\n')].flatMap((line, number) => {
            const found = pattern.exec(line) ?? pattern.exec(splitWords(line));
            return found === null ? [] : [`${path}:${number}: ${found[0]}`];
          }),
        );
    });
    expect(offences).to.deep.equal([]);
  });

  it('the texts and guides use one English word for a thing, that of the contract and of American spelling', () => {
    const pattern = new RegExp(`\\b(${replacedWords('texts').join('|')})\\b`, 'gi');
    const said = texts.map(({ path, text }) => ({
      path,
      text: (text.match(COMMENTS_AND_LITERALS) ?? [])
        .filter((found) => !/^[`']?\/|:$|\w_\w|^'[a-z]+'$/.test(found))
        .join('\n'),
    }));
    // Names of the contract are code, and stand in the description of a picture.
    const guides = readAll('docs/guides/*.md').map(({ path, text }) => ({
      path,
      text: text.replaceAll(/```[\s\S]*?```|`[^`]*`|!\[[^\]]*\]/g, ''),
    }));
    expect([said.length, guides.length].every((count) => count > 10)).to.equal(true);
    const offences = [...said, ...guides].flatMap(({ path, text }) =>
      (text.match(pattern) ?? []).map((found) => `${path}: ${found}`),
    );
    expect(offences).to.deep.equal([]);
  });

  it('the Spanish texts use no term that the glossary replaces by another one', () => {
    const [, section = ''] = /## Spanish([\s\S]*?)\n## /.exec(readFileSync(join(root, GLOSSARY), 'utf8')) ?? [];
    const terms = [...section.matchAll(/^\| [^|]+ \| [^|]+ \| ([^|-]+) \|$/gm)]
      .flatMap(([, cell = '']) => cell.split(', '))
      .filter((term) => term !== 'not');
    expect(terms).to.have.length.above(15);
    const offences = texts.flatMap(({ path, text }) =>
      terms
        .filter((term) => new RegExp(`(?<!\\p{L})${term}(?!\\p{L})`, 'iu').test(text))
        .map((term) => `${path}: ${term}`),
    );
    expect(offences).to.deep.equal([]);
  });

  it('the project names nothing with a word that the glossary allows in prose only', () => {
    const words = replacedWords('identifiers');
    expect(words).to.have.length.above(5);
    const offences = code
      .filter(({ path }) => path.endsWith('.ts'))
      .flatMap(({ path, text }) =>
        identifiers(text)
          .filter((name) => !/eventLoopTurn/i.test(name))
          .filter((name) =>
            splitWords(name)
              .toLowerCase()
              .split(' ')
              .some((word) => words.includes(word)),
          )
          .map((name) => `${path}: ${name}`),
      );
    expect(offences).to.deep.equal([]);
  });

  it('the project opens no comment above a declaration with a bare "What", "Whether" or "How"', () => {
    const offences = code.flatMap(({ path, text }) =>
      blockComments(path, text)
        .filter((comment) => CLAUSE.test(comment.text))
        .map((comment) => `${path}:${comment.line}: ${comment.text.slice(0, 60)}`),
    );
    expect(offences).to.deep.equal([]);
  });

  it('the project explains nothing as "the same, but" something else', () => {
    expect(findings((prose) => (SAME_BUT.test(prose) ? [prose.slice(0, 60)] : []))).to.deep.equal([]);
  });

  it(`the project has at most ${MAX_WORDS} words in a sentence of comments and documentation`, () => {
    const tooLong = findings((prose) =>
      sentences(prose)
        .filter((sentence) => wordCount(sentence) > MAX_WORDS)
        .map((sentence) => `${wordCount(sentence)} words: ${sentence.slice(0, 80)}`),
    );
    expect(tooLong).to.deep.equal([]);
  });

  it('the project has a subject in the name of every test, so that it can be read without its describe', () => {
    const offences = code
      .filter(({ path }) => path.endsWith('.test.ts'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/^\s*it\(\s*(['`"])(.*)/gm)]
          .filter(([, , name = '']) => NO_SUBJECT.test(name.split(/[\s:,]/)[0] ?? ''))
          .map(([, , name = '']) => `${path}: ${name.slice(0, 60)}`),
      );
    expect(offences).to.deep.equal([]);
  });
});
