import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { ASSETS as CONSOLE } from '../../src/console/browser/assets.ts';
import { buildSite } from '../../src/documentation/site.ts';
import { ASSETS as PAGES } from '../../src/patient-pages/browser/assets.ts';
import { checkout } from '../harness/processes.ts';

/** All style sheets. The first has colors and common parts, with which the others begin when they are served. */
const SHEETS = ['web', 'patient-pages/browser', 'console/browser', 'documentation']
  .flatMap((folder) => globSync(join(checkout, `src/${folder}/assets/*.css`)))
  .toSorted((one, other) => Number(basename(other) === 'base.css') - Number(basename(one) === 'base.css'))
  .map((path) => ({ name: basename(path), text: readFileSync(path, 'utf8') }));

describe('style sheets', () => {
  it('the dark scheme changes colors and nothing else, so browsers check the rest of a page in one scheme', () => {
    const blocks = SHEETS.flatMap(({ text }) => [
      ...text.matchAll(/@media[^{]*prefers-color-scheme[^{]*\{\s*([^{]*)\{([^}]*)\}\s*\}/g),
    ]);
    expect(blocks.map(([, selector = '']) => selector.trim())).to.deep.equal([':root']);
    const changes = blocks.flatMap(([, , rules = '']) => rules.split(';').map((rule) => rule.trim()));
    const others = changes.filter((rule) => !/^(--[\w-]+: #[0-9a-f]{3,6}|color-scheme: dark)?$/.test(rule));
    expect(others).to.deep.equal([]);
    const named = SHEETS.map(({ text }) => text.match(/prefers-color-scheme/g)?.length ?? 0).reduce(
      (sum, count) => sum + count,
    );
    expect(named, 'no other rule depends on the scheme').to.equal(blocks.length);
  });

  it('each colour of a style sheet is defined in the common sheet or in the sheet itself', () => {
    const definedIn = (text: string) => [...text.matchAll(/(--[\w-]+):/g)].map(([, name]) => name);
    const [base, ...others] = SHEETS;
    expect(base?.name).to.equal('base.css');
    const undefinedIn = others.flatMap(({ name, text }) => {
      const known = definedIn(`${base?.text}${text}`);
      const used = [...text.matchAll(/var\((--[\w-]+)/g)].map(([, variable]) => variable);
      return used.filter((variable) => !known.includes(variable)).map((variable) => `${name}: ${variable}`);
    });
    expect(undefinedIn).to.deep.equal([]);
    const defining = others.filter(({ text }) => definedIn(text).length > 0).map(({ name }) => name);
    expect(defining).to.deep.equal(['page.css']);
  });

  it('the style sheets that are served begin with the common one', () => {
    const base = SHEETS[0]?.text ?? '';
    const { files } = buildSite('https://pay.example');
    const documentation = files.get('/docs/assets/docs.css')?.bytes();
    for (const served of [PAGES.style.bytes, CONSOLE.style.bytes(), documentation]) {
      expect(served?.toString().startsWith(base)).to.equal(true);
    }
  });
});
