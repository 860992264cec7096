import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Request, Response } from 'playwright-core';
import { sharedBrowser, type Visit, visit } from './fixtures/browser.ts';
import { linkPage, STATES, tokenOf } from './fixtures/scripted-pages.ts';
import { usePages } from './fixtures/started-pages.ts';

const LIST = readFileSync(new URL('../../docs/page-scripts-and-headers.md', import.meta.url), 'utf8');

/** The rows of the table below a heading, as the text between its bars. */
function table(heading: string): string[][] {
  const [, section = ''] = LIST.split(`## ${heading}\n`);
  const rows = section.split('\n## ')[0]?.match(/^\|.*\|$/gm) ?? [];
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

const headersOf = (heading: string) => new Map(table(heading).map(([name = '', value = '']) => [name, value]));
const everyPage = headersOf('Headers of every page');
const stripePage = new Map([...everyPage, ...headersOf('Headers that differ on pages of Stripe')]);
const walletPage = new Map([...stripePage, ...headersOf('Headers that differ on forms of Stripe with wallets')]);
const progressPage = new Map([...everyPage, ...headersOf('Headers that differ on a page in progress')]);
const scripts = table('Scripts').map(([pages = '', address = '', integrity = '']) => ({ pages, address, integrity }));

describe('the committed list of scripts and headers', () => {
  const started = usePages();

  const asked: Request[] = [];
  let visited: Visit;
  before(async () => {
    visited = await visit(await sharedBrowser(), started.baseUrl);
    visited.context.on('request', (request) => asked.push(request));
    // A browser whose requests are intercepted keeps no file, so each page asks for all of its own.
    await visited.context.route('https://js.stripe.com/**', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: '' }),
    );
  });
  after(() => visited.close());

  /** Scripts and headers that a browser received with a page. */
  const look = async (path: string): Promise<{ headers: Record<string, string>; scripts: string[] }> => {
    asked.length = 0;
    const response = (await visited.page.goto(path)) as Response;
    const found = {
      headers: await response.allHeaders(),
      scripts: asked.filter((request) => request.resourceType() === 'script').map((request) => request.url()),
    };
    const tags = await visited.page.$$eval('script, link[rel=stylesheet]', (all) =>
      all.filter((one) => !one.hasAttribute('integrity')).map((one) => one.getAttribute('src')),
    );
    // Every script of ours has an integrity attribute.
    expect(tags.filter((src) => src === null || src.startsWith('/'))).to.deep.equal([]);
    return found;
  };

  it('every line of the list gives a reason', () => {
    expect(scripts).to.have.length(2);
    for (const row of table('Scripts')) expect(row[3], row[1]).to.not.equal('');
    for (const [name = '', , reason = ''] of table('Headers of every page')) {
      if (name !== 'content-type') expect(reason, name).to.not.equal('');
    }
  });

  it('pages of every state load what the list names, and only pages of Stripe load more', async () => {
    const progress = started.pages.put(linkPage({ state: 'in_progress' }));
    const paths = [...STATES.map((state) => started.pages.put(linkPage({ state }))), `/pay/${tokenOf('nobody')}`];
    for (const path of paths) {
      const got = await look(path);
      expectHeaders(got.headers, path === progress ? progressPage : everyPage, path);
      expectScripts(got.scripts, ['all']);
    }
  });

  it('pages of Stripe, with wallets or without, load what the list names', async () => {
    const client = { collects: 'script', publishableKey: 'pk_live_1', accountId: 'acct_1' } as const;
    const action = { kind: 'script', clientSecret: 'pi_1_secret_2' } as const;
    for (const [page, headers] of [
      [linkPage({ client }), stripePage],
      [linkPage({ client, state: 'requires_action', clientAction: action }), stripePage],
      [linkPage({ client, offersWallets: true }), walletPage],
    ] as const) {
      const got = await look(started.pages.put(page));
      expectHeaders(got.headers, headers, `${page.state}, wallets: ${page.offersWallets}`);
      expectScripts(got.scripts, ['all', 'Stripe']);
    }
  });

  function expectHeaders(got: Record<string, string>, list: ReadonlyMap<string, string>, what: string): void {
    expect(Object.keys(got).sort(), what).to.deep.equal([...list.keys()].sort());
    for (const [name, value] of list) if (value !== '*') expect(got[name], `${what}: ${name}`).to.equal(value);
  }

  function expectScripts(got: string[], kinds: string[]): void {
    const listed = scripts.filter(({ pages }) => kinds.includes(pages)).map(({ address }) => address);
    const seen = got.map((url) => url.replace(started.baseUrl, '').replace(/page-[0-9a-f]{16}\.js$/, 'page-*.js'));
    expect(seen.sort()).to.deep.equal(listed.sort());
  }
});
