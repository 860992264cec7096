/** A piece of prose in a file, with the line on which it starts. */
export interface Prose {
  line: number;
  text: string;
}

/** Comments of several lines, and doc comments. A glob such as `docs/**` follows a letter, so it is none. */
const BLOCK_COMMENT = /(?<![^\s({,[|<])\/\*(?!\*?\/)[\s\S]*?\*\//g;

/** Comment lines of SQL that follow each other. */
const SQL_COMMENT = /^[ \t]*--.*(?:\n[ \t]*--.*)*/gm;

/** Line comments of TypeScript that follow each other. */
const LINE_COMMENT = /^[ \t]*\/\/ .*(?:\n[ \t]*\/\/ .*)*/gm;

/** Comments, strings and templates: everything in which a word is not an identifier. */
const NOT_CODE = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** Returns the comments of a file that stand before what they explain, without their markers. */
export function blockComments(path: string, text: string): Prose[] {
  if (path.endsWith('.sql')) return blocks(text, SQL_COMMENT, /^[ \t]*-- ?/gm);
  return blocks(text, BLOCK_COMMENT, /^\s*\/?\*+ ?\/?|\*\/$/gm);
}

/** Returns the blocks of line comments of a TypeScript file, without their markers. */
export function lineComments(text: string): Prose[] {
  return blocks(text, LINE_COMMENT, /^[ \t]*\/\/ ?/gm);
}

function blocks(text: string, pattern: RegExp, marker: RegExp): Prose[] {
  return [...text.matchAll(pattern)].map((match) => ({
    line: lineAt(text, match.index),
    text: match[0].replaceAll(marker, '').trim(),
  }));
}

/** Returns the paragraphs and list items of a Markdown page. Leaves out code blocks, tables and headings. */
export function paragraphs(text: string): Prose[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```|^[ \t]*\|.*$|^#.*$|<!--[\s\S]*?-->/gm, blankLines);
  return [...prose.matchAll(/\S.*(?:\n(?![ \t]*(?:[-*]|\d+\.) )[ \t]*\S.*)*/g)].map((match) => ({
    line: lineAt(prose, match.index),
    text: match[0].replace(/^(?:[-*]|\d+\.) +/, ''),
  }));
}

function blankLines(text: string): string {
  return text.replaceAll(/[^\n]/g, '');
}

/** Beginning of a line that starts a new entry: a doc tag, a list item, a defined word, or a label with a colon. */
const ENTRY = /\n(?=\s*(?:@\w+|[-*]|\d+\.) |\s*[\w, ]+ {2,}\S|[A-Z][\w, ]{0,30}:\s)|\n\s*\n/;

/** Splits prose into sentences. Each entry of a list starts a new one. */
export function sentences(prose: string): string[] {
  return prose
    .split(ENTRY)
    .flatMap((part) => part.replaceAll(/\s+/g, ' ').split(/(?<=[.!?]["”)`*]*) (?=["“(`*]*[\p{Lu}\d`])/u))
    .map((sentence) => sentence.trim());
}

/** Counts the words of a sentence. A link counts as its text, quoted code as one word, a dash as none. */
export function wordCount(sentence: string): number {
  const plain = sentence.replaceAll(/\]\([^)]*\)/g, ']').replaceAll(/`[^`]*`/g, 'code');
  return plain.split(' ').filter((word) => /[\p{L}\d]/u.test(word)).length;
}

/** Returns the identifiers of a TypeScript file. */
export function identifiers(text: string): string[] {
  return [...new Set(text.replaceAll(NOT_CODE, ' ').match(/[A-Za-z_$][\w$]*/g) ?? [])];
}

/** Puts blanks between the words of identifiers, such as `leaseEndsAt` and `LEASE_MS`. */
export function splitWords(text: string): string {
  return text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
}
