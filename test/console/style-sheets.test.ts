import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { ASSETS as CONSOLE } from '../../src/console/browser/assets.ts';
import { buildSite } from '../../src/documentation/site.ts';
import { ASSETS as PAGES } from '../../src/pages/browser/assets.ts';
import { checkout } from '../harness/processes.ts';

/** All style sheets. The first is the palette, with which the others begin when they are served. */
const SHEETS = ['pages/browser', 'console/browser', 'documentation']
  .flatMap((folder) => globSync(join(checkout, `src/${folder}/assets/*.css`)))
  .toSorted((one, other) => Number(basename(other) === 'palette.css') - Number(basename(one) === 'palette.css'))
  .map((path) => ({ name: basename(path), text: readFileSync(path, 'utf8') }));

describe('style sheets', () => {
  // They are one file for browsers, so rules of one part of the console apply to all others.
  it('each selector of the console has its rule in one of its files, so no page changes the looks of another by chance', () => {
    const files = new Map<string, Set<string>>();
    for (const path of globSync(join(checkout, 'src/console/browser/assets/*.css'))) {
      for (const selector of selectorsOf(readFileSync(path, 'utf8'))) {
        files.set(selector, (files.get(selector) ?? new Set()).add(basename(path)));
      }
    }
    expect(files.has('.facts'), 'selectors are found').to.equal(true);
    const shared = [...files].filter(([, names]) => names.size > 1);
    expect(shared.map(([selector, names]) => `${selector}: ${[...names].join(', ')}`)).to.deep.equal([]);
  });

  it('the dark scheme changes colors and nothing else, so browsers check the rest of a page in one scheme', () => {
    // The documentation adapts a library in a rule of its own.
    const sheets = SHEETS.filter(({ name }) => name !== 'docs.css');
    const blocks = sheets.flatMap(({ text }) => [
      ...text.matchAll(/@media[^{]*prefers-color-scheme[^{]*\{\s*([^{]*)\{([^}]*)\}\s*\}/g),
    ]);
    expect(blocks.map(([, selector = '']) => selector.trim())).to.deep.equal([':root', ':root']);
    const changes = blocks.flatMap(([, , rules = '']) => rules.split(';').map((rule) => rule.trim()));
    const others = changes.filter((rule) => !/^(--[\w-]+: #[0-9a-f]{3,6}|color-scheme: dark)?$/.test(rule));
    expect(others).to.deep.equal([]);
    const named = sheets
      .map(({ text }) => text.match(/prefers-color-scheme/g)?.length ?? 0)
      .reduce((sum, count) => sum + count);
    expect(named, 'no other rule depends on the scheme').to.equal(blocks.length);
  });

  it('each colour of a style sheet is defined in the palette or in the sheet itself', () => {
    const definedIn = (text: string) => [...text.matchAll(/(--[\w-]+):/g)].map(([, name]) => name);
    const [palette, ...others] = SHEETS;
    expect(palette?.name).to.equal('palette.css');
    const undefinedIn = others.flatMap(({ name, text }) => {
      const known = definedIn(`${palette?.text}${text}`);
      const used = [...text.matchAll(/var\((--[\w-]+)/g)].map(([, variable]) => variable);
      return used.filter((variable) => !known.includes(variable)).map((variable) => `${name}: ${variable}`);
    });
    expect(undefinedIn).to.deep.equal([]);
    expect(others.filter(({ text }) => definedIn(text).length > 0).map(({ name }) => name)).to.deep.equal(['page.css']);
  });

  it('the style sheets that are served begin with the palette', () => {
    const palette = SHEETS[0]?.text ?? '';
    const { files } = buildSite('https://pay.example');
    const documentation = files.get('/docs/assets/docs.css')?.bytes();
    for (const served of [PAGES.style.bytes, CONSOLE.style.bytes(), documentation]) {
      expect(served?.toString().startsWith(palette)).to.equal(true);
    }
  });
});

/** Returns the selectors of rules outside media queries. */
function selectorsOf(css: string): string[] {
  const rules = css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/:is\(([^()]*)\)/g, '$1')
    .replace(/@media[^{]*\{(?:[^{}]*\{[^}]*\})*\s*\}/g, '');
  return [...rules.matchAll(/([^{}]+)\{/g)].flatMap(([, list = '']) => list.split(',').map((one) => one.trim()));
}
