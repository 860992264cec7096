import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { useVisits } from './fixtures/browser.ts';
import { linkPage } from './fixtures/scripted-pages.ts';
import { usePages } from './fixtures/started-pages.ts';

const SCRIPT = /<script src="([^"]+)" integrity="([^"]+)" defer><\/script>/;
const STYLE = /<link rel="stylesheet" href="([^"]+)" integrity="([^"]+)">/;

describe('hosted pages of two releases side by side', () => {
  const started = usePages();
  const visits = useVisits();

  /** Records a file as the other release does at its start, and returns the values of its tag. */
  async function otherRelease(name: string, extension: string, type: string, text: string) {
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    const path = `pay-assets/${name}-${hash}.${extension}`;
    await started.service.query(
      'insert into page_assets (path, type, bytes) values ($1, $2, $3) on conflict (path) do nothing',
      [path, type, Buffer.from(text)],
    );
    return { path: `/${path}`, integrity: `sha384-${createHash('sha384').update(text).digest('base64')}` };
  }

  it('a release records its files before it serves', async () => {
    const html = await started.text(started.pages.put(linkPage()));
    const rows = await started.service.query<{ path: string }>('select path from page_assets');
    const recorded = rows.map((row) => `/${row.path}`);
    expect(recorded).to.include.members([SCRIPT.exec(html)?.[1], STYLE.exec(html)?.[1]]);
    expect(recorded).to.have.length(3);
  });

  it('a file of the other release is served with its own bytes and may be cached forever', async () => {
    const { path } = await otherRelease('page', 'js', 'text/javascript; charset=utf-8', '// of another release');
    for (const time of ['first', 'second']) {
      const response = await started.get(path);
      expect(response.status, time).to.equal(200);
      expect(response.headers.get('content-type')).to.equal('text/javascript; charset=utf-8');
      expect(response.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
      expect(await response.text()).to.equal('// of another release');
    }
  });

  it('a browser runs the script of the other release’s page, because its integrity matches', async () => {
    const text = `document.documentElement.dataset.ran = 'other release';`;
    const script = await otherRelease('page', 'js', 'text/javascript; charset=utf-8', text);
    const style = await otherRelease('page', 'css', 'text/css; charset=utf-8', 'body { margin: 7px }');
    const page = await visits.open(started.baseUrl, null);
    await page.context().route('**/pay/**', async (route) => {
      const response = await route.fetch();
      const body = (await response.text())
        .replace(SCRIPT, `<script src="${script.path}" integrity="${script.integrity}" defer></script>`)
        .replace(STYLE, `<link rel="stylesheet" href="${style.path}" integrity="${style.integrity}">`);
      await route.fulfill({ response, body });
    });
    await page.goto(started.pages.put(linkPage()));
    expect(await page.getAttribute('html', 'data-ran')).to.equal('other release');
    expect(await page.evaluate('getComputedStyle(document.body).marginTop')).to.equal('7px');
  });

  it('a name that no release has recorded, or can have, is answered with 404', async () => {
    for (const path of [
      'page-0123456789abcdef.js',
      'page-0123.js',
      'page.js',
      'other-0123456789abcdef.js',
      'page-0123456789abcdef.svg',
      '../x',
    ]) {
      const response = await started.get(`/pay-assets/${path}`);
      expect(response.status, path).to.equal(404);
      await response.arrayBuffer();
    }
  });
});
