import { expect } from 'chai';
import { request } from 'undici';
import { Client } from '../harness/client.ts';
import { query } from '../harness/database.ts';
import { mapOf, type RunningEdge, startEdge } from '../harness/edge.ts';
import { until } from '../harness/processes.ts';
import { createLink, idempotent, linkBody, type TestPractice, TestService } from '../harness/service.ts';

const LINKS = '/api/v1/payment-links';
const HOSTS = { a: 'a.pay.example.com', b: 'b.pay.example.com' } as const;

type Name = keyof typeof HOSTS;

/** A cell with a practice. Notifications, consoles, slots and webhooks have tests of their own. */
interface TestCell {
  service: TestService;
  practice: TestPractice;
}

const pathOf = ({ url }: { url: string }) => new URL(url).pathname;

async function startCell(slots: number[]): Promise<TestCell> {
  const service = await TestService.start({ env: { TRUST_PROXY_HOPS: '1' } });
  return { service, practice: await service.practice({ slots }) };
}

describe('two cells behind an edge', () => {
  let cells: Record<Name, TestCell>;
  let edge: RunningEdge;

  before(async function () {
    const [a, b] = await Promise.all([startCell([17, 400]), startCell([512, 1023])]);
    cells = { a, b };
    const map = mapOf(
      { name: 'a', addresses: [addressOf(a)], hosts: [HOSTS.a], slots: [[0, 511]] },
      { name: 'b', addresses: [addressOf(b)], hosts: [HOSTS.b], slots: [[512, 1023]] },
    );
    const started = await startEdge(map);
    if (started === null) {
      console.log('    skipped: haproxy is not on this machine');
      return this.skip();
    }
    edge = started;
  });

  after(async () => {
    await edge?.close();
    for (const { service } of Object.values(cells ?? {})) await service.close();
  });

  const addressOf = ({ service }: TestCell) => new URL(service.baseUrl).host;
  const url = () => edge.url;
  const through = (client: Client) => new Client(url(), client.key);
  const at = (name: Name) => ({
    ...cells[name],
    test: through(cells[name].practice.test),
    live: through(cells[name].practice.live),
  });
  const rows = (name: Name, id: string) =>
    query(cells[name].service.config.databaseUrl, 'select id from payment_links where id = $1', [id]);

  for (const [name, other] of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const) {
    it(`links are created, read, listed, changed and cancelled with the keys of cell ${name}, and lie in its database only`, async () => {
      for (const client of [at(name).test, at(name).live]) {
        const created = await client.post(LINKS, linkBody({ externalReference: `edge-${name}` }), idempotent('edge-1'));
        expect(created.status).to.equal(201);
        const again = await client.post(LINKS, linkBody({ externalReference: `edge-${name}` }), idempotent('edge-1'));
        expect([again.text, again.headers['idempotency-replayed']]).to.deep.equal([created.text, 'true']);
        const { id } = created.body;
        expect([(await rows(name, id)).length, (await rows(other, id)).length]).to.deep.equal([1, 0]);
        expect((await client.get(`${LINKS}/${id}`)).body).to.deep.equal(created.body);
        const listed = await client.get(`${LINKS}?externalReference=edge-${name}`);
        expect(listed.body.data.map((link: { id: string }) => link.id)).to.deep.equal([id]);
        expect((await client.patch(`${LINKS}/${id}`, { amount: 99 })).body.amount).to.equal(99);
        expect((await client.post(`${LINKS}/${id}/cancel`)).body.status).to.equal('cancelled');
        expect((await client.get('/api/v1/locations')).body.totalCount).to.equal(1);
      }
    });

    it(`a link of cell ${name} is unknown to the keys of cell ${other}`, async () => {
      const { id } = await createLink(at(name).live);
      const { status, body } = await at(other).live.get(`${LINKS}/${id}`);
      expect([status, body.error.code]).to.deep.equal([404, 'not_found']);
    });

    it(`a key of cell ${name} is answered 401 at the host of cell ${other}, and accepted at its own`, async () => {
      const { key } = cells[name].practice.live;
      const ask = async (host: string) =>
        (await request(`${url()}${LINKS}`, { headers: { host, authorization: `Bearer ${key}` } })).statusCode;
      expect([await ask(HOSTS[other]), await ask(HOSTS[name])]).to.deep.equal([401, 200]);
    });

    it(`a patient pays a link of cell ${name} on its hosted page, which gets its files`, async () => {
      const link = await createLink(at(name).live);
      const page = `${url()}${pathOf(link)}`;
      const text = await (await fetch(page)).text();
      expect(text).to.include('Elm Street Dental').and.include('$125.50');
      for (const [, file] of text.matchAll(/(?:src|href)="(\/pay-assets\/[^"]+)"/g)) {
        expect((await fetch(`${url()}${file}`)).headers.get('cache-control')).to.include('immutable');
      }
      const day = /name="day" value="([^"]+)"/.exec(text)?.[1] ?? '';
      const fields = { lang: 'en', amount_cents: '12550', day, method_type: 'card', card_method: 'card_success' };
      const paid = await fetch(`${page}/submit`, {
        method: 'POST',
        body: new URLSearchParams(fields),
        redirect: 'manual',
      });
      expect([paid.status, paid.headers.get('location')]).to.deep.equal([303, `${pathOf(link)}?lang=en&result=paid`]);
      expect((await at(name).live.get(`${LINKS}/${link.id}`)).body.status).to.equal('paid');
    });
  }

  it('cells see the address of the client, and not one that the client claims', async () => {
    const { service, practice } = cells.b;
    await request(`${url()}${LINKS}`, {
      headers: { authorization: `Bearer ${practice.live.key}`, 'x-forwarded-for': '203.0.113.99' },
    });
    const seen = await service.query<{ subject: string }>(
      "select subject from rate_windows where subject like 'address:%'",
    );
    expect(seen.map(({ subject }) => subject).join())
      .to.include('127.0.0.1')
      .and.not.include('203.0.113.99');
  });

  it('the log of the edge has requests and their cells, but no key and no token', async () => {
    const link = await createLink(at('b').live);
    await (await fetch(`${url()}${pathOf(link)}`)).text();
    await until(() => edge.output().includes('"backend":"b_pages"'), edge.output);
    const output = edge.output();
    expect(output).to.include('"backend":"b_api"').and.include('"backend":"a_api"').and.include('"status":201');
    const { key } = cells.b.practice.live;
    for (const secret of [(key ?? '').slice(10), pathOf(link).slice(7)]) {
      expect(secret).to.have.length(32);
      expect(output.includes(secret)).to.equal(false);
    }
  });

  it('while a cell is away its clients get 503 in the form of the API, patients a page, and other cells are not concerned', async () => {
    const link = await createLink(at('b').live);
    const [page, key] = [`${url()}${pathOf(link)}`, cells.b.practice.live.key];
    await cells.b.service.close();
    // With the cell, HAProxy may close the idle connection that a client takes for its next request.
    const down = await at('b')
      .live.get(LINKS)
      .catch(() => at('b').live.get(LINKS));
    expect([down.status, down.body.error.code]).to.deep.equal([503, 'service_unavailable']);
    expect(down.headers['request-id']).to.equal(down.body.error.requestId);
    expect(down.body.error.requestId).to.match(/^req_/);
    expect(Number(down.headers['retry-after'])).to.be.above(0);
    const apology = await fetch(page).catch(() => fetch(page));
    expect([apology.status, apology.headers.get('content-type')]).to.deep.equal([503, 'text/html; charset=utf-8']);
    expect(await apology.text())
      .to.include('lang="es"')
      .and.not.include(link.id);
    expect((await at('a').live.get(LINKS)).status).to.equal(200);
    expect(edge.output().includes(key ?? '')).to.equal(false);
  });
});
