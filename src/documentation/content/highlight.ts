import { escapeHtml } from './html.ts';

/** Words and comments of a language. */
interface Language {
  keywords: string;
  comment: string;
}

const SLASHES = String.raw`\/\/.*|\/\*[\s\S]*?\*\/`;
const HASH = String.raw`(?<![^\s])#.*`;

const LANGUAGES: Readonly<Record<string, Language>> = {
  sh: { keywords: 'for in do done if then else fi export until echo cat curl', comment: HASH },
  ts: {
    keywords:
      'import from export const let function async await return if else for of in new throw try catch while switch case default ' +
      'class interface type null undefined true false typeof',
    comment: SLASHES,
  },
  python: {
    keywords:
      'import from def class return if elif else for in not and or is raise try except with as while pass None True False lambda yield',
    comment: HASH,
  },
  go: {
    keywords:
      'package import func return if else for range var const type struct map switch case default defer go nil true false',
    comment: SLASHES,
  },
  java: {
    keywords:
      'import package public private static final class record void new return if else for while throw throws try catch var int ' +
      'byte boolean null true false switch case',
    comment: SLASHES,
  },
  php: {
    keywords: 'function return if else foreach as use new throw require echo true false null fn static',
    comment: `${SLASHES}|${HASH}`,
  },
  ruby: {
    keywords:
      'require require_relative def end do if unless else return class module nil true false begin rescue raise puts while',
    comment: HASH,
  },
  rust: {
    keywords: 'use fn let mut async await return if else match for in struct impl pub true false',
    comment: SLASHES,
  },
  toml: { keywords: 'true false', comment: HASH },
  json: { keywords: 'true false null', comment: '$^' },
};

/** Texts of all languages: in three quotation marks, in double, single and backward ones. */
const TEXT = String.raw`"""[\s\S]*?"""|"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\`[^\`]*\``;

/** Kinds of words, in the order of the groups of the pattern. Each is a class of the style sheet. */
const KINDS = ['comment', 'text', 'keyword', 'number'] as const;

/** Returns code as HTML in which comments, texts, keywords and numbers have classes. Code of other languages is escaped only. */
export function highlight(code: string, name: string): string {
  const language = LANGUAGES[name];
  if (language === undefined) return escapeHtml(code);
  const keywords = `\\b(?:${language.keywords.replaceAll(' ', '|')})\\b`;
  const pattern = new RegExp(`(${language.comment})|(${TEXT})|(${keywords})|(\\b\\d[\\w.]*)`, 'g');
  let html = '';
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const kind = KINDS[match.slice(1).findIndex((group) => group !== undefined)];
    html += `${escapeHtml(code.slice(end, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(end));
}
