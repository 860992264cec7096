import { globSync } from 'node:fs';
import { get, type IncomingHttpHeaders } from 'node:http';
import { basename } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { document, operations } from '../../src/contract/document.ts';
import { renderMarkdown } from '../../src/documentation/content/markdown.ts';
import { referencePages } from '../../src/documentation/content/reference/pages.ts';
import { buildSite } from '../../src/documentation/site.ts';
import { ERRORS } from '../../src/platform/base/errors.ts';
import { useService } from '../harness/fixtures.ts';
import { checkout } from '../harness/processes.ts';
import type { Item } from './collection.ts';

const PUBLIC_URL = 'https://pay.harbor.example';

/** Every page and file that the documentation must have. */
const EXPECTED = [
  ...globSync('docs/guides/*.md', { cwd: checkout }).map((file) => basename(file, '.md')),
  ...Object.keys(ERRORS).map((code) => `errors/${code}`),
  'reference',
  ...operations.map(({ operationId }) => `reference/${operationId}`),
  ...Object.keys(document.webhooks ?? {}).map((type) => `reference/${type}`),
].flatMap((name) => [name === 'index' ? '/docs' : `/docs/${name}`, `/docs/${name}.md`]);

/** Addresses of `href` and `src` in HTML, as a browser reads them. */
function linksOf(html: string): string[] {
  return [...html.matchAll(/ (?:href|src|data-index)="([^"]*)"/g)].map(([, target = '']) =>
    target.replaceAll('&amp;', '&'),
  );
}

/** An answer as it was sent, without the decompression and the own headers of `fetch`. */
interface RawReply {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

function raw(url: string, headers: Record<string, string>): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) });
    }).on('error', reject);
  });
}

describe('documentation', () => {
  const service = useService({ env: { PUBLIC_URL } });

  const fetched = (path: string, init: RequestInit = {}) =>
    fetch(`${service.baseUrl}${path}`, { redirect: 'manual', ...init });

  const textOf = async (path: string) => {
    const reply = await fetched(path);
    expect(reply.status, path).to.equal(200);
    return reply.text();
  };

  /** Texts of all documents to which links lead from `/docs`, by path. */
  const texts = new Map<string, string>();

  before(async () => {
    const waiting = ['/docs'];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (texts.has(path)) continue;
      const reply = await fetched(path);
      expect(reply.status, path).to.equal(200);
      const text = await reply.text();
      texts.set(path, text);
      if (reply.headers.get('content-type')?.startsWith('text/html') !== true) continue;
      for (const link of linksOf(text))
        waiting.push(new URL(link, `${PUBLIC_URL}${path}`).href.replace(PUBLIC_URL, '').replace(/#.*/, ''));
    }
  });

  it('every link of every page leads to a page or file of the service, and to a part that it has', async () => {
    const faults: string[] = [];
    for (const [path, text] of texts) {
      if (!text.startsWith('<!doctype html>')) continue;
      for (const link of linksOf(text)) {
        const { origin, pathname, hash } = new URL(link, `${PUBLIC_URL}${path}`);
        if (origin !== PUBLIC_URL) faults.push(`${path} leads away: ${link}`);
        else if (hash !== '' && texts.get(pathname)?.includes(` id="${hash.slice(1)}"`) !== true)
          faults.push(`${path} → ${link}`);
      }
    }
    expect(faults).to.deep.equal([]);
  });

  it('every guide, error code, operation and event has a page, a Markdown text and a link to it', () => {
    expect(EXPECTED.filter((path) => !texts.has(path))).to.deep.equal([]);
  });

  it('every link of the Markdown texts leads to a document of the service', async () => {
    const sources = [...EXPECTED.filter((path) => path.endsWith('.md')), '/llms.txt'];
    for (const path of sources) {
      const text = await textOf(path);
      for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        const { href, origin } = new URL(target, `${PUBLIC_URL}${path}`);
        expect(origin, `${path} → ${target}`).to.equal(PUBLIC_URL);
        await textOf(href.replace(PUBLIC_URL, '').replace(/#.*/, ''));
      }
    }
  });

  it('the list for language models names every page', async () => {
    const text = await textOf('/llms.txt');
    const missing = EXPECTED.filter((path) => path.endsWith('.md')).filter(
      (path) => !text.includes(`(${PUBLIC_URL}${path})`),
    );
    expect(missing).to.deep.equal([]);
    const listed = text.slice(text.indexOf('## Guides')).split('\n');
    // Each line ends with a whole sentence.
    expect(listed.filter((line) => !/^(## .+|- \[.+?\]\(\S+\): .+\.|)$/.test(line))).to.deep.equal([]);
  });

  it('snippets and links have the address of the service instead of the example', async () => {
    for (const [path, text] of texts) {
      if (path.startsWith('/docs') && !path.endsWith('.json')) expect(text, path).not.to.include('pay.example.com');
    }
    expect(await textOf('/docs/quickstart.md')).to.include(`export PAYLINKS_BASE_URL=${PUBLIC_URL}\n`);
  });

  it('the address of the service leads to the documentation', async () => {
    for (const [path, target] of [
      ['/', '/docs'],
      ['/docs/', '/docs'],
      ['/api-guide.md', '/docs/index.md'],
      ['/docs.md', '/docs/index.md'],
    ] as const) {
      const reply = await fetched(path);
      expect([reply.status, reply.headers.get('location')]).to.deep.equal([302, target]);
    }
  });

  it('all links begin with the path of the public address', () => {
    const site = buildSite('https://harbor.example/pay');
    for (const file of site.files.values()) {
      if (!file.type.startsWith('text/html')) continue;
      const outside = linksOf(file.bytes().toString()).filter(
        (link) => !link.startsWith('/pay/') && !link.startsWith('#'),
      );
      expect(outside).to.deep.equal([]);
    }
  });

  it('the addresses of senders are on a page and in a file, as the operator set them', () => {
    const made = (path: string, networks: string[]) =>
      String(buildSite('https://pay.example', networks).files.get(path)?.bytes());
    const networks = ['203.0.113.7/32', '2001:db8::/64'];
    expect(JSON.parse(made('/docs/senders.json', networks))).to.deep.equal({ networks });
    for (const network of networks) expect(made('/docs/senders', networks)).to.include(`<code>${network}</code>`);
    expect(JSON.parse(made('/docs/senders.json', []))).to.deep.equal({ networks: [] });
    expect(made('/docs/senders', [])).to.include('no fixed addresses');
  });

  describe('error pages', () => {
    it('an error page has the status of the catalogue and names every operation that documents the code', async () => {
      for (const [code, { status }] of Object.entries(ERRORS)) {
        const text = await textOf(`/docs/errors/${code}.md`);
        expect(text).to.include(`# ${code}\n\nStatus ${status}. `);
        expect(JSON.parse(/```json\n([\s\S]*?)```/.exec(text)?.[1] ?? '').error.code).to.equal(code);
      }
      const inactive = await textOf('/docs/errors/link_not_active.md');
      const named = [...inactive.matchAll(/docs\/reference\/(\w+)/g)].map(([, id]) => id);
      expect(named).to.have.members(['updatePaymentLink', 'cancelPaymentLink', 'simulatePaymentLink']);
    });

    it('the page about errors lists all codes with their status', async () => {
      const text = await textOf('/docs/errors.md');
      const rows = [...text.matchAll(/^\| (\d{3}) \| \[`(\w+)`\]/gm)].map(([, status, code]) => `${status} ${code}`);
      expect(rows).to.deep.equal(Object.entries(ERRORS).map(([code, { status }]) => `${status} ${code}`));
    });
  });

  describe('answers', () => {
    it('pages allow scripts and styles of their own origin only, and contain none', async () => {
      for (const [path, text] of texts) {
        if (!text.startsWith('<!doctype html>')) continue;
        const policy = (await fetched(path)).headers.get('content-security-policy') ?? '';
        expect(policy, path).to.include("default-src 'none'; script-src 'self'; ").and.not.include('unsafe');
        expect(text, path).not.to.match(/<style|<script(?![^>]* src=)| style=| on\w+="/);
        expect(policy, path).to.include("style-src 'self';");
      }
    });

    it('the texts of the contract may be read by every origin, and pages by none', async () => {
      for (const path of ['/openapi.yaml', '/openapi.json', '/openapi-3.0.yaml', '/openapi-3.0.json']) {
        const { headers } = await fetched(path);
        expect(headers.get('access-control-allow-origin'), path).to.equal('*');
        expect(headers.get('access-control-allow-methods'), path).to.equal('GET');
      }
      for (const path of ['/docs', '/docs/quickstart.md', '/docs/search.json']) {
        expect((await fetched(path)).headers.get('access-control-allow-origin'), path).to.equal(null);
      }
    });

    it('a browser may keep a file for a while, and asks with its tag afterwards', async () => {
      for (const path of ['/docs', '/docs/quickstart.md', '/openapi.yaml', '/docs/search.json']) {
        const first = await raw(`${service.baseUrl}${path}`, {});
        expect(first.headers['cache-control']).to.equal('public, max-age=300');
        const etag = `${first.headers.etag}`;
        const again = await raw(`${service.baseUrl}${path}`, { 'If-None-Match': etag });
        expect([again.status, again.bytes.length, again.headers.etag]).to.deep.equal([304, 0, etag]);
      }
    });

    it('a file whose address names its hash is kept for a year, and one with another hash is not', async () => {
      const [, path = ''] = /<script src="([^"]+)"/.exec(await textOf('/docs')) ?? [];
      expect(path).to.match(/\?v=[0-9a-f]{16}$/);
      const kept = await fetched(path);
      expect(kept.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
      const other = await fetched(path.replace(/.{16}$/, '0123456789abcdef'));
      expect([other.status, other.headers.get('cache-control')]).to.deep.equal([200, 'public, max-age=300']);
    });

    it('files are compressed as the client accepts, with a tag of their own', async () => {
      const url = `${service.baseUrl}/docs/webhooks`;
      const [plain, gzipped, brotli] = await Promise.all(
        ['identity', 'gzip', 'gzip, br'].map((accepted) => raw(url, { 'Accept-Encoding': accepted })),
      );
      expect(gunzipSync(gzipped?.bytes ?? '')).to.deep.equal(plain?.bytes);
      expect(brotliDecompressSync(brotli?.bytes ?? '')).to.deep.equal(plain?.bytes);
      expect(brotli?.bytes.length).to.be.below((plain?.bytes.length ?? 0) / 2);
      expect(new Set([plain, gzipped, brotli].map((reply) => reply?.headers.etag))).to.have.property('size', 3);
      for (const reply of [plain, gzipped, brotli]) expect(reply?.headers.vary).to.equal('Accept-Encoding');
    });

    it('HEAD has the headers of GET, and no method changes anything', async () => {
      const head = await fetched('/docs', { method: 'HEAD', headers: { 'accept-encoding': 'identity' } });
      const whole = await raw(`${service.baseUrl}/docs`, { 'Accept-Encoding': 'identity' });
      expect(head.headers.get('content-length')).to.equal(`${whole.bytes.length}`);
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const reply = await fetched('/docs', { method });
        expect([reply.status, reply.headers.get('allow')], method).to.deep.equal([405, 'GET, HEAD']);
      }
    });

    it('an unknown page is a page with status 404, and an unknown path elsewhere an error of the API', async () => {
      const page = await fetched('/docs/no-such-page');
      expect([page.status, page.headers.get('content-type')]).to.deep.equal([404, 'text/html; charset=utf-8']);
      const other = await fetched('/doc');
      expect([other.status, Object(await other.json()).error.code]).to.deep.equal([404, 'not_found']);
    });
  });

  it('the changelog has each release with its day and its changes for users of the API', async () => {
    const page = await textOf('/docs/changelog.md');
    expect(page).to.match(/^## 2026-11-22: version 1\.0\.0\n\n### Added$/m);
    expect(page).to.include('`KnownWebhookEvent`').and.not.include('paylinks migrate');
    // Integrators read nothing about the settings, the processes and the proxy of operators.
    expect(page).not.to.match(/\b[A-Z]{3,}_[A-Z_]+\b|HAProxy|\bworkers?\b|operations\.md/);
    expect(await textOf('/docs/changelog')).to.match(
      /<nav class="contents"[^>]*>(.|\n)*href="#2026-11-22-version-1-0-0"/,
    );
  });

  it('the reference says which parts are deprecated, and until when', () => {
    const contract = structuredClone(document);
    const marks = { deprecated: true, 'x-deprecated-since': '2027-01-15', 'x-sunset': '2028-02-01' };
    const path = contract.paths?.['/api/v1/payment-links'];
    Object.assign(Object(path).get, marks);
    Object.assign(Object(path).get.parameters[0], marks);
    const [page] = referencePages(contract).filter(({ name }) => name === 'listPaymentLinks');
    const text = page?.make() ?? '';
    expect(text).to.include(
      '- **[Deprecated since 2027-01-15, ends 2028-02-01](https://pay.example.com/docs/versioning#deprecation)**',
    );
    expect(text).to.match(/^- `status` \*.*deprecated since 2027-01-15, ends 2028-02-01\*/m);
  });

  it('the Postman collection has the address of the service, and variables that its requests fill', async () => {
    const { variable, item } = JSON.parse(await textOf('/docs/postman.json'));
    expect(variable[0]).to.deep.equal({ key: 'baseUrl', value: PUBLIC_URL });
    const keys = variable.map(({ key }: { key: string }) => key);
    expect(keys).to.include.members(['apiKey', 'locationId', 'linkId', 'endpointId', 'deliveryId']);
    const requests: Item[] = item.flatMap((folder: { item: Item[] }) => folder.item);
    const create = requests.find(({ name }) => name === 'Create a payment link');
    expect(create?.request.header).to.deep.include({ key: 'Idempotency-Key', value: '{{$guid}}', disabled: false });
    expect(create?.response.map(({ code }) => code)).to.include.members([201, 404, 409, 422]);
  });
});

describe('the Markdown renderer', () => {
  const render = (text: string) => renderMarkdown(`# Title\n\n${text}\n`, (href) => href).html;

  it('the Markdown renderer shows raw HTML as text', () => {
    for (const html of ['<script>alert(1)</script>', 'a <b onclick="x">b</b>', '<img src=x onerror=y>', '<!-- c -->']) {
      expect(render(html)).not.to.match(/<(script|b|img|!--)/);
    }
    expect(render('<script>alert(1)</script>')).to.include('&lt;script&gt;');
  });

  it('the Markdown renderer escapes code, its language and addresses', () => {
    expect(render('```"><i>\n<i>\n```')).not.to.include('<i>');
    expect(render('[a](x"onclick="y)')).not.to.match(/<a[^>]* onclick/);
  });

  it('the Markdown renderer gives equal headings different ids', () => {
    expect(render('## Errors\n\n## Errors\n\n## Errors!')).to.match(
      /id="errors"[\s\S]*id="errors-2"[\s\S]*id="errors-3"/,
    );
  });
});
