import { expect } from 'chai';
import fc from 'fast-check';
import { countedAddress, exactAddress } from '../../src/http/address.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import type { Exchange } from '../harness/client.ts';
import { useService } from '../harness/fixtures.ts';
import { outcome } from '../harness/refusal.ts';
import { TestService, unknownKey } from '../harness/service.ts';

const LOCATIONS = '/api/v1/locations';
const WINDOW_MS = 60_000;

/** The simplest limiter that is right: a list of the admitted moments. */
class Oracle {
  readonly #limit: number;
  #admitted: number[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Null when admitted, else after how many whole seconds the next request would be. */
  take(nowMs: number): number | null {
    const inside = this.#inside(nowMs);
    if (inside.length >= this.#limit) return Math.ceil(((inside[0] ?? 0) + WINDOW_MS - nowMs) / 1000);
    this.#admitted = [...inside, nowMs];
    return null;
  }

  remaining(nowMs: number): number {
    return this.#limit - this.#inside(nowMs).length;
  }

  resetSeconds(nowMs: number): number {
    return Math.ceil(((this.#inside(nowMs)[0] ?? nowMs) + WINDOW_MS - nowMs) / 1000);
  }

  #inside(nowMs: number): number[] {
    return this.#admitted.filter((at) => at > nowMs - WINDOW_MS);
  }
}

/** Pauses between requests: bursts, seconds, and the edges of the window. */
const pauses = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 20_000 }) },
    { weight: 2, arbitrary: fc.constantFrom(59_999, 60_000, 60_001, 1, 999, 1000) },
    { weight: 1, arbitrary: fc.integer({ min: 20_000, max: 200_000 }) },
  ),
  { minLength: 15, maxLength: 40 },
);

describe('rate limits', () => {
  const env = { TRUST_PROXY_HOPS: '1', IP_REQUESTS_PER_MINUTE: '600' };
  const service = useService({ env });
  /** A second server on the same database. */
  const second = useService({ beside: service, env });
  const { clock } = service;
  let practiceId: string;
  let lastAddress = 0;

  before(async () => {
    ({ practiceId } = await service.practice());
  });

  /** A server with settings of its own, until the present test ends; another limit is another window. */
  async function serverWith(settings: Record<string, string>): Promise<TestService> {
    const server = await TestService.start({ beside: service, env: { ...env, ...settings } });
    afterThisTest(() => server.close());
    return server;
  }

  /** An address nobody has used yet, as the proxy in front would report it. */
  function freshAddress(): { 'x-forwarded-for': string } {
    lastAddress++;
    return { 'x-forwarded-for': `198.18.${lastAddress >> 8}.${lastAddress & 255}` };
  }

  /** Requests with pauses between them, against the oracle, on two servers alternately. */
  async function compare(
    gaps: readonly number[],
    limit: number,
    ask: (server: TestService) => Promise<Exchange>,
    { reportsRest }: { reportsRest: boolean },
  ): Promise<void> {
    const oracle = new Oracle(limit);
    for (const [index, ms] of gaps.entries()) {
      clock.advance({ ms });
      const nowMs = clock.now().getTime();
      const expected = oracle.take(nowMs);
      const reply = await ask(index % 2 === 0 ? service : second);
      const line = outcome(reply);
      if (expected === null) expect(line).not.to.equal('429 rate_limited');
      else expect([line, reply.headers['retry-after']]).to.deep.equal(['429 rate_limited', `${expected}`]);
      if (!reportsRest) continue;
      expect(reply.headers['ratelimit-limit']).to.equal(`${limit}`);
      expect(reply.headers['ratelimit-remaining']).to.equal(`${oracle.remaining(nowMs)}`);
      expect(reply.headers['ratelimit-reset']).to.equal(`${oracle.resetSeconds(nowMs)}`);
    }
  }

  describe('per key', () => {
    it('limits per key admit exactly what a sliding minute allows, on two servers, from every address, to the millisecond', async () => {
      await fc.assert(
        fc.asyncProperty(pauses, fc.integer({ min: 1, max: 6 }), async (gaps, limit) => {
          const { key } = await service.key({ practiceId, test: true, requestsPerMinute: limit });
          const ask = (server: TestService) => server.client(key).get(LOCATIONS, { headers: freshAddress() });
          await compare(gaps, limit, ask, { reportsRest: true });
        }),
        // The third request comes when the first one is a minute old, to the millisecond.
        { numRuns: 20, examples: [[[0, 30_000, 30_000], 2]] },
      );
    });

    it('limits per key are 120 unless the key was given another', async () => {
      const client = await service.key({ practiceId, test: true, requestsPerMinute: undefined });
      const { headers } = await client.get(LOCATIONS, { headers: freshAddress() });
      expect([headers['ratelimit-limit'], headers['ratelimit-remaining']]).to.deep.equal(['120', '119']);
    });

    it('limits per key count errors too, and every key for itself', async () => {
      const client = await service.key({ practiceId, test: true, requestsPerMinute: 3 });
      const other = await service.key({ practiceId, test: true, requestsPerMinute: 3 });
      const headers = freshAddress();
      expect((await client.get('/api/v1/payment-links/x', { headers })).status).to.equal(404);
      expect((await client.get(`${LOCATIONS}?x=1`, { headers })).status).to.equal(400);
      expect((await client.post('/api/v1/payment-links', '{', { headers })).status).to.equal(400);
      expect(outcome(await client.get(LOCATIONS, { headers }))).to.equal('429 rate_limited');
      expect((await other.get(LOCATIONS, { headers })).status).to.equal(200);
    });

    it('limits per key admit exactly 50 of 200 requests at once on two servers', async () => {
      const { key } = await service.key({ practiceId, test: true, requestsPerMinute: 50 });
      const headers = freshAddress();
      const replies = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          (index % 2 === 0 ? service : second).client(key).get(LOCATIONS, { headers }),
        ),
      );
      const admitted = replies.filter(({ status }) => status === 200);
      expect(admitted).to.have.length(50);
      expect(replies.filter((reply) => outcome(reply) === '429 rate_limited')).to.have.length(150);
      const rest = admitted.map((reply) => Number(reply.headers['ratelimit-remaining'])).sort((a, b) => a - b);
      expect(rest, 'every place is given once').to.deep.equal(Array.from({ length: 50 }, (_, index) => index));
    });
  });

  describe('per address', () => {
    it('limits per address admit exactly what a sliding minute allows, before path, method and key are looked at', async () => {
      const { key } = await service.key({ practiceId, test: true });
      const server = await serverWith({ IP_REQUESTS_PER_MINUTE: '5' });
      const asks: ((headers: Record<string, string>) => Promise<Exchange>)[] = [
        (headers) => server.client(key).get(LOCATIONS, { headers }),
        (headers) => server.client(null).get(LOCATIONS, { headers }),
        (headers) => server.client(null).get('/nowhere', { headers }),
        (headers) => server.client(null).delete(LOCATIONS, { headers }),
      ];
      await fc.assert(
        fc.asyncProperty(pauses, async (gaps) => {
          const headers = freshAddress();
          let requests = 0;
          const ask = () => (asks[requests++ % asks.length] as (typeof asks)[0])(headers);
          await compare(gaps, 5, ask, { reportsRest: false });
        }),
        { numRuns: 12 },
      );
    });

    it('limits per address do not use up the limit of the key', async () => {
      const server = await serverWith({ IP_REQUESTS_PER_MINUTE: '1' });
      const { key } = await service.key({ practiceId, test: true, requestsPerMinute: 2 });
      const headers = freshAddress();
      const statuses = [];
      for (let index = 0; index < 4; index++) {
        statuses.push((await server.client(key).get(LOCATIONS, { headers })).status);
      }
      expect(statuses).to.deep.equal([200, 429, 429, 429]);
      expect((await server.client(key).get(LOCATIONS, { headers: freshAddress() })).status).to.equal(200);
    });
  });

  describe('of wrong keys from an address', () => {
    const wrong = (server: TestService, headers: Record<string, string>) =>
      server.client(unknownKey()).get(LOCATIONS, { headers });

    it('limits of wrong keys answer 429 after 30 in a sliding minute, on two servers', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom(0, 0, 0, 500, 1500, 4000, 59_000), { maxLength: 20 }),
          async (gaps) => {
            const headers = freshAddress();
            const all = [...Array<number>(28).fill(0), ...gaps];
            await compare(all, 30, (server) => wrong(server, headers), { reportsRest: false });
          },
        ),
        { numRuns: 5 },
      );
    });

    it('limits of wrong keys count malformed, revoked and wrongly written ones, but no missing header; valid keys go on working', async () => {
      const client = await service.key({ practiceId, test: true });
      const headers = freshAddress();
      for (let round = 0; round < 40; round++) {
        expect((await service.client(null).get(LOCATIONS, { headers })).status).to.equal(401);
      }
      for (let round = 0; round < 10; round++) {
        expect((await service.client('x').get(LOCATIONS, { headers })).status).to.equal(401);
        expect((await wrong(service, headers)).status).to.equal(401);
        const basic = { ...headers, authorization: `Basic ${client.key}` };
        expect((await service.client(null).get(LOCATIONS, { headers: basic })).status).to.equal(401);
      }
      expect(outcome(await wrong(service, headers))).to.equal('429 rate_limited');
      expect(outcome(await service.client('x').get(LOCATIONS, { headers }))).to.equal('429 rate_limited');
      expect((await client.get(LOCATIONS, { headers })).status).to.equal(200);
      expect((await service.client(null).get(LOCATIONS, { headers })).status).to.equal(401);
      expect((await wrong(service, freshAddress())).status, 'another address').to.equal(401);
    });

    it('limits of wrong keys admit exactly 30 of 100 at once on two servers', async () => {
      const headers = freshAddress();
      const replies = await Promise.all(
        Array.from({ length: 100 }, (_, index) => wrong(index % 2 === 0 ? service : second, headers)),
      );
      expect(replies.filter(({ status }) => status === 401)).to.have.length(30);
      expect(replies.filter(({ status }) => status === 429)).to.have.length(70);
    });
  });

  it('limits per address count the address that the outermost trusted proxy wrote', async () => {
    const server = await serverWith({ TRUST_PROXY_HOPS: '2', IP_REQUESTS_PER_MINUTE: '2' });
    const statuses = [];
    for (const line of [
      '192.0.2.7, 10.0.0.1',
      'x, 192.0.2.7, 10.0.0.2',
      '192.0.2.7, 10.0.0.3',
      '192.0.2.8, 10.0.0.3',
    ]) {
      statuses.push((await server.client(null).get(LOCATIONS, { headers: { 'x-forwarded-for': line } })).status);
    }
    expect(statuses).to.deep.equal([401, 401, 429, 401]);
  });
});

describe('the address of a client', () => {
  const CASES: [what: string, socket: string | undefined, lines: string[] | undefined, hops: number, is: string][] = [
    ['the socket’s', '203.0.113.9', undefined, 0, '203.0.113.9'],
    ['the socket’s, whatever is forwarded, with no trusted proxy', '203.0.113.9', ['1.2.3.4'], 0, '203.0.113.9'],
    ['the last entry with one', '10.0.0.1', ['1.2.3.4, 5.6.7.8'], 1, '5.6.7.8'],
    ['the second last with two', '10.0.0.1', ['9.9.9.9, 1.2.3.4,5.6.7.8'], 2, '1.2.3.4'],
    ['counted over several lines', '10.0.0.1', ['9.9.9.9', '1.2.3.4', '5.6.7.8'], 2, '1.2.3.4'],
    ['the socket’s when there are fewer entries', '10.0.0.1', ['1.2.3.4'], 2, '10.0.0.1'],
    ['the socket’s when the entry is no address', '10.0.0.1', ['unknown'], 1, '10.0.0.1'],
    ['the socket’s when the entry is empty', '10.0.0.1', ['1.2.3.4,'], 1, '10.0.0.1'],
    ['the socket’s when nothing is forwarded', '10.0.0.1', undefined, 1, '10.0.0.1'],
    ['IPv4 for a mapped address', '::ffff:203.0.113.9', undefined, 0, '203.0.113.9'],
    ['IPv4 for a mapped address in hexadecimal', '::ffff:cb00:7109', undefined, 0, '203.0.113.9'],
    ['the /64 of an IPv6 address', '2001:db8:1:2:3:4:5:6', undefined, 0, '2001:db8:1:2::/64'],
    ['the same /64 for its neighbour', '2001:DB8:1:2::1', undefined, 0, '2001:db8:1:2::/64'],
    ['another /64 for the next network', '2001:db8:1:3::1', undefined, 0, '2001:db8:1:3::/64'],
    ['the /64 without the zone', 'fe80::1%eth0', undefined, 0, 'fe80:0:0:0::/64'],
    ['the /64 of a forwarded address', '10.0.0.1', ['2001:db8::5'], 1, '2001:db8:0:0::/64'],
    ['the entry without its port', '10.0.0.1', ['203.0.113.7:51234'], 1, '203.0.113.7'],
    ['the entry without brackets', '10.0.0.1', ['[2001:db8::1]'], 1, '2001:db8:0:0::/64'],
    ['the entry without brackets and port', '10.0.0.1', ['1.2.3.4, [2001:db8::1]:443'], 1, '2001:db8:0:0::/64'],
    ['IPv4 for a mapped address in brackets', '10.0.0.1', ['[::ffff:203.0.113.7]:443'], 1, '203.0.113.7'],
    [
      'whole where IPv6 without brackets ends like a port',
      '10.0.0.1',
      ['2001:db8:1:2:3:4:5:443'],
      1,
      '2001:db8:1:2::/64',
    ],
    ['the socket’s when a port stands alone', '10.0.0.1', [':443'], 1, '10.0.0.1'],
    ['the socket’s when the brackets hold no IPv6', '10.0.0.1', ['[203.0.113.7]:443'], 1, '10.0.0.1'],
    ['the socket’s when the port is none', '10.0.0.1', ['203.0.113.7:port'], 1, '10.0.0.1'],
    ['one for all when the socket is gone', undefined, undefined, 0, 'unknown'],
  ];
  for (const [what, socket, lines, hops, is] of CASES) {
    it(`the client address is ${what}`, () => {
      expect(countedAddress(exactAddress(socket, lines, hops))).to.equal(is);
    });
  }
});

describe('exactAddress', () => {
  it('the exact address is the forwarded address to its last bit, without port and brackets', () => {
    const exact = (entry: string) => exactAddress('10.0.0.1', [entry], 1);
    expect(exact('203.0.113.7:51234')).to.equal('203.0.113.7');
    expect(exact('[2001:db8::1]:443')).to.equal('2001:db8::1');
    expect(exact('2001:db8::1')).to.equal('2001:db8::1');
    expect(exact('unknown:443')).to.equal('10.0.0.1');
  });
});
