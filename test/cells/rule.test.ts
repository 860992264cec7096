import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import { request } from 'undici';
import { newSecret } from '../../src/base/slot.ts';
import type { CellMap } from '../../src/cells/map.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { mapOf, type RunningEdge, startEdge } from '../harness/edge.ts';
import { listen } from '../harness/free-port.ts';
import { sendRaw } from '../harness/raw.ts';

/** The request, and the cell that must get it. */
type Case = [what: string, cell: string, path: string, headers?: Record<string, string>];

const LINKS = '/api/v1/payment-links';
const secretOf = (slot: number) => newSecret(slot);
const bearer = (slot: number, scheme = 'Bearer ', mode = 'live') => ({
  authorization: `${scheme}pp_${mode}_${secretOf(slot)}`,
});
const OLD = secretOf(0).slice(2);

const CASES: Case[] = [
  ['a test key', 'b', LINKS, bearer(500, 'Bearer ', 'test')],
  ['a scheme in other letters, with more blanks', 'c', LINKS, bearer(1000, 'bEaReR   ')],
  ['a key without a slot', 'a', LINKS, { authorization: `Bearer pp_live_${OLD}` }],
  ['a key that is one character too long', 'a', LINKS, { authorization: `Bearer pp_live_${secretOf(1023)}x` }],
  ['letters that base 32 does not have', 'a', LINKS, { authorization: `Bearer pp_live_ul${OLD}` }],
  ['another scheme', 'a', LINKS, bearer(1023, 'Basic ')],
  ['no key', 'a', LINKS],
  ['a form of a page', 'b', `/pay/${secretOf(400)}/submit`],
  ['a page with a language', 'b', `/pay/${secretOf(400)}?lang=es`],
  ['a page without a slot', 'a', `/pay/${OLD}`],
  ['a page of another form', 'a', `/pay/${secretOf(700)}x`],
  ['a file of a page', 'c', '/pay-assets/page-0123456789abcdef.js?slot=zz'],
  ['a logo', 'b', `/pay-brand/${'0'.repeat(64)}.png?slot=d0`],
  ['a file without a slot', 'a', '/pay-assets/page-0123456789abcdef.js'],
  ['a parameter of another path', 'a', '/docs?slot=zz'],
  ['a host of a cell', 'b', '/console', { host: 'b.pay.example.com' }],
  ['a host of a cell in capitals, with a port', 'b', '/console', { host: 'B.Pay.Example.com:8443' }],
  ['a host of a cell, and the key of another one', 'b', LINKS, { host: 'b.pay.example.com', ...bearer(1023) }],
  ['another host', 'a', '/console', { host: 'pay.example.com' }],
  ['a notification at the host of a cell', 'c', '/processor/notifications/stripe', { host: 'c.pay.example.com' }],
  ['the root', 'a', '/'],
];

describe('the rule of the edge', () => {
  const servers: Server[] = [];
  let map: CellMap;
  let edge: RunningEdge | null = null;

  before(async function () {
    const slots = { a: [[0, 340]], b: [[341, 682]], c: [[683, 1023]] };
    const cells = await Promise.all(
      Object.entries(slots).map(async ([name, ranges]) => {
        // It answers with its name.
        const server = createServer((incoming, outgoing) => {
          incoming.resume();
          outgoing.end(name);
        });
        servers.push(server);
        return {
          name,
          addresses: [`127.0.0.1:${await listen(server)}`],
          hosts: [`${name}.pay.example.com`],
          slots: ranges,
        };
      }),
    );
    map = mapOf(...cells);
    edge = await startEdge(map);
    if (edge === null) {
      console.log('    skipped: haproxy is not on this machine');
      this.skip();
    }
  });

  after(async () => {
    await edge?.close();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const { statusCode, headers: answered, body } = await request(`${edge?.url}${path}`, { headers });
    return { status: statusCode, answered, text: await body.text() };
  };

  for (const [what, cell, path, headers] of CASES) {
    it(`${what} leads to cell ${cell}`, async () => {
      expect((await ask(path, headers)).text).to.equal(cell);
    });
  }

  it('every slot leads to the cell that has it, by key and by page', async () => {
    // Those beside a border, the last one, and some between.
    for (const slot of [340, 341, 682, 683, 1023, ...Array.from({ length: 33 }, (_, index) => index * 31)]) {
      const owner = slot < 341 ? 'a' : slot < 683 ? 'b' : 'c';
      expect((await ask(LINKS, bearer(slot))).text, `${slot}`).to.equal(owner);
      expect((await ask(`/pay/${secretOf(slot)}`)).text, `${slot}`).to.equal(owner);
    }
  });

  it('a notification without a host of a cell may come to any cell', async () => {
    const seen = new Set<string>();
    for (let count = 0; count < 12; count++) seen.add((await ask('/processor/notifications/stripe')).text);
    expect([...seen].toSorted().join()).to.equal('a,b,c');
  });

  it('an address that asks cells more than twice as often as its limit is answered 429 in the form of the API', async () => {
    const limited = await startEdge({ ...map, edge: { ...map.edge, requestsPerAddress: 5 } });
    afterThisTest(() => limited?.close());
    const statuses: number[] = [];
    for (let count = 0; count < 12; count++) {
      const { statusCode, headers, body } = await request(`${limited?.url}${LINKS}`, {
        headers: bearer(count * 90),
      });
      const text = await body.text();
      statuses.push(statusCode);
      if (statusCode !== 429) continue;
      const { error } = JSON.parse(text);
      expect([error.code, error.requestId]).to.deep.equal(['rate_limited', headers['request-id']]);
      expect(error.requestId).to.match(/^req_[0-9a-f-]{36}$/);
      expect(Number(headers['retry-after'])).to.be.above(0);
    }
    expect(statuses).to.deep.equal([...Array(10).fill(200), 429, 429]);
    // Hosted pages have limits of their own.
    expect((await request(`${limited?.url}/pay/${OLD}`)).statusCode).to.equal(200);
  });

  it('a request that is no HTTP is answered 400 and reaches no cell', async () => {
    const { status, text } = await sendRaw(edge?.url ?? '', 'GET / HTTP/1.1\r\nbad header\r\n\r\n');
    expect(status).to.equal(400);
    expect(text).to.not.include('bad header');
  });
});
