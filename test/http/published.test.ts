import { expect } from 'chai';
import { parse } from 'yaml';
import { document } from '../../src/contract/document.ts';
import { buildSite } from '../../src/documentation/site.ts';
import { useService } from '../harness/fixtures.ts';

const PATHS = ['/openapi.yaml', '/openapi.json', '/openapi-3.0.yaml', '/openapi-3.0.json'];

describe('The published contract', () => {
  const service = useService({ env: { PUBLIC_URL: 'https://pay.harbor.example:8443' } });

  async function fetched(path: string, method = 'GET'): Promise<Response> {
    return fetch(`${service.baseUrl}${path}`, { method });
  }

  for (const path of PATHS) {
    it(`${path} names the public address as its only server, otherwise says what the file says, and may be read by pages of others`, async () => {
      const reply = await fetched(path);
      expect(reply.status).to.equal(200);
      expect(reply.headers.get('content-type'))
        .to.match(/^application\/(json|yaml)/)
        .and.include(path.slice(-4));
      for (const { headers } of [reply, await fetched(path, 'HEAD')]) {
        expect(headers.get('access-control-allow-origin')).to.equal('*');
      }
      const served = parse(await reply.text());
      expect(served.servers).to.have.length(1);
      expect(served.servers[0].url).to.equal('https://pay.harbor.example:8443');
      expect(served.servers[0]).not.to.have.property('variables');
      expect(served.info['x-revision']).to.equal(Object(document.info)['x-revision']);
      expect(Object.keys(served.paths)).to.deep.equal(Object.keys(document.paths ?? {}));
      expect(served.openapi).to.equal(path.includes('3.0') ? '3.0.3' : '3.1.0');
    });
  }

  it('the published contract is the same in YAML and in JSON', async () => {
    const [yaml, json, olderYaml, olderJson] = await Promise.all(
      PATHS.map(async (path) => (await fetched(path)).text()),
    );
    expect(parse(yaml ?? '')).to.deep.equal(JSON.parse(json ?? ''));
    expect(parse(olderYaml ?? '')).to.deep.equal(JSON.parse(olderJson ?? ''));
  });

  it('the published texts have the public address literally, whatever its characters', () => {
    const urls = [
      'https://pay.example.com/eu',
      'https://pay.example.com.mx',
      'https://a.example/$&$$',
      'https://a.example/"\\b\\',
    ];
    for (const url of urls) {
      const { files } = buildSite(url);
      const read = (path: string) => `${files.get(path)?.bytes()}`;
      for (const path of PATHS) expect(parse(read(path)).servers[0].url, path).to.equal(url);
      expect(JSON.parse(read('/docs/postman.json')).variable[0]).to.deep.equal({ key: 'baseUrl', value: url });
      expect(read('/docs/quickstart.md')).to.include(`export PAYLINKS_BASE_URL=${url}\n`);
    }
  });

  it('no other response may be read by pages of other origins', async () => {
    for (const path of ['/healthz', '/api/v1/locations']) {
      expect((await fetched(path)).headers.get('access-control-allow-origin'), path).to.equal(null);
    }
  });
});
