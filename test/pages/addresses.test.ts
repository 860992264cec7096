import { expect } from 'chai';
import { linkPage } from './fixtures/scripted-pages.ts';
import { usePages } from './fixtures/started-pages.ts';

/** Signs that texts put behind an address, as programs that find addresses send them. */
const SIGNS = [
  ...['.', ',', ')', '/', ';', ':', '!', '>', ']', '}', "'", '"', '*', '~', '|', '...', ').', '/.', '//'],
  ...['?', '…', '’', '”', '»', '。', '）', '¡', '\u200b', ' ', '\r\n', '.”'].map(encodeURIComponent),
  ...['%2E', '%2c', '%29', '%2F', '%3b', '%3A', '%21', '%3E', '%5D', '%22', '%27', '%', '%.', '%E2%80'],
  ...['%22%3Ehere', '&amp;', '%20Thanks', '%3Flang=es', ',and', '/).'],
];

describe('addresses of hosted pages in texts', () => {
  const started = usePages({ PUBLIC_URL: 'https://pay.example.com/base/' });
  const OLD = [
    'aZ3_-0kQ9vLmX2TbR7yWc5uHs8eJd1fg',
    'aZ3_-0kQ9vLmX2TbR7yWc5uHs8eJd1f-',
    '0zaZ3_-0kQ9vLmX2TbR7yWc5uHs8eJd1f_',
  ];
  const NEW = 'aZ3x0kQ9vLmX2TbR7yWc5uHs8eJd1fgB';

  for (const token of [NEW, ...OLD]) {
    it(`the page of ${token} is found behind any sign that a text adds, and keeps its language`, async () => {
      const path = started.pages.put(linkPage({ token }));
      expect((await started.get(path)).status).to.equal(200);
      for (const sign of SIGNS) {
        const { status, headers } = await started.get(`${path}${sign}?lang=es`, { redirect: 'manual' });
        expect([status, headers.get('location')], sign).to.deep.equal([302, `/base${path}?lang=es`]);
        expect(headers.get('cache-control'), sign).to.equal('no-store');
      }
    });
  }

  it('a token in underscores, hyphens or both leads to its page', async () => {
    const path = started.pages.put(linkPage({ token: NEW }));
    for (const sign of ['_', '-', '__', '-_', '_.', '-)']) {
      const { status, headers } = await started.get(`${path}${sign}`, { redirect: 'manual' });
      expect([status, headers.get('location')], sign).to.deep.equal([302, `/base${path}`]);
    }
  });

  it('an unknown token is a plain 404, with a sign and without', async () => {
    for (const sign of ['', '_', ...SIGNS]) {
      const { status, headers } = await started.get(`/pay/${'x'.repeat(32)}${sign}`, { redirect: 'manual' });
      expect([status, headers.get('location')], sign).to.deep.equal([404, null]);
    }
  });

  it('letters, digits and unknown forms behind a token lead nowhere', async () => {
    const path = started.pages.put(linkPage({ token: NEW }));
    for (const more of ['a', '0', '-a', '/receipt.', '/other', '/submit/']) {
      expect((await started.get(`${path}${more}`, { redirect: 'manual' })).status, more).to.equal(404);
    }
  });

  it('a sign behind the language of an address leaves the language', async () => {
    const path = started.pages.put(linkPage({ token: NEW }));
    for (const sign of ['.', ')', ',', '”', '>']) {
      const page = await started.get(`${path}?lang=es${encodeURIComponent(sign)}`);
      expect(page.headers.get('content-language'), sign).to.equal('es');
    }
  });
});
