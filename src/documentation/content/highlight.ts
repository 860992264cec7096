import { escapeHtml } from '../../web/html.ts';

const SLASHES = String.raw`\/\/.*|\/\*[\s\S]*?\*\/`;
const HASH = String.raw`(?<![^\s])#.*`;

/** Comments of each language whose snippets have colors. JSON has none, so its pattern matches nothing. */
const COMMENTS: Readonly<Record<string, string>> = {
  sh: HASH,
  python: HASH,
  ruby: HASH,
  toml: HASH,
  json: '$^',
  ts: SLASHES,
  go: SLASHES,
  java: SLASHES,
  rust: SLASHES,
  php: `${SLASHES}|${HASH}`,
};

/** Keywords of all languages. Snippets rarely use one as another word. */
const KEYWORDS =
  'and as async await begin boolean byte case catch class const continue curl def default defer do done echo elif else end except export ' +
  'extends False fi final finally fn for foreach from func function go if implements import in interface is lambda let map match module mut ' +
  'new nil None not null of or package pass private pub public puts raise range record require require_relative rescue return static ' +
  'struct switch then throw throws True true try type typeof undefined unless until use var void while with yield false';

/** Texts of all languages: in three quotation marks, in double, single and backward ones. */
const TEXT = String.raw`"""[\s\S]*?"""|"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\`[^\`]*\``;

/** Kinds of words, in the order of the groups of the pattern. Each is a class of the style sheet. */
const KINDS = ['comment', 'text', 'keyword', 'number'] as const;

/** Returns code as HTML in which comments, texts, keywords and numbers have classes. Code of other languages is escaped only. */
export function highlight(code: string, name: string): string {
  const comment = COMMENTS[name];
  if (comment === undefined) return escapeHtml(code);
  const keywords = `\\b(?:${KEYWORDS.replaceAll(' ', '|')})\\b`;
  const pattern = new RegExp(`(${comment})|(${TEXT})|(${keywords})|(\\b\\d[\\w.]*)`, 'g');
  let html = '';
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const kind = KINDS[match.slice(1).findIndex((group) => group !== undefined)];
    html += `${escapeHtml(code.slice(end, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(end));
}
