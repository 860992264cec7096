import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { checkout } from '../harness/processes.ts';

/** The style sheets are one file for browsers, so rules of one part of the console apply to all others. */
describe('the style sheets of the console', () => {
  it('each selector has its rule in one of the files, so no page changes the looks of another by chance', () => {
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
    const blocks = globSync(join(checkout, 'src/{console,pages}/browser/assets/*.css')).flatMap((path) => [
      ...readFileSync(path, 'utf8').matchAll(/@media[^{]*prefers-color-scheme[^{]*\{\s*([^{]*)\{([^}]*)\}\s*\}/g),
    ]);
    expect(blocks.map(([, selector = '']) => selector.trim())).to.deep.equal([':root', ':root']);
    const changes = blocks.flatMap(([, , rules = '']) => rules.split(';').map((rule) => rule.trim()));
    const others = changes.filter((rule) => !/^(--[\w-]+: #[0-9a-f]{3,6}|color-scheme: dark)?$/.test(rule));
    expect(others).to.deep.equal([]);
    const named = globSync(join(checkout, 'src/{console,pages}/browser/assets/*.css'))
      .map((path) => readFileSync(path, 'utf8').match(/prefers-color-scheme/g)?.length ?? 0)
      .reduce((sum, count) => sum + count);
    expect(named, 'no other rule depends on the scheme').to.equal(blocks.length);
  });
});

/** Returns the selectors of rules outside media queries. */
function selectorsOf(css: string): string[] {
  const rules = css.replace(/\/\*[\s\S]*?\*\//g, '').replace(/@media[^{]*\{(?:[^{}]*\{[^}]*\})*\s*\}/g, '');
  return [...rules.matchAll(/([^{}]+)\{/g)].flatMap(([, list = '']) => list.split(',').map((one) => one.trim()));
}
