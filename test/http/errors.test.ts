import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { operations } from '../../src/contract/document.ts';
import type { Client, Exchange } from '../harness/client.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { outcome } from '../harness/refusal.ts';
import { createLink, idempotent, linkBody } from '../harness/service.ts';

const LINKS = '/api/v1/payment-links';
const LOCATIONS = '/api/v1/locations';
/** 64 KB. */
const MAX_BODY_BYTES = 65_536;

describe('malformed requests', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  let client: Client;

  before(() => {
    client = practice.test;
  });

  /** Creates with a raw body. */
  function send(body: string | Buffer, headers: Record<string, string> = {}): Promise<Exchange> {
    return client.post(LINKS, body, { headers: { ...idempotent().headers, ...headers } });
  }

  /** A valid body of exactly that many bytes: white space is part of it. */
  function padded(byteCount: number): string {
    return JSON.stringify(linkBody()).padEnd(byteCount, ' ');
  }

  describe('paths', () => {
    for (const path of [
      '/-',
      '/api',
      '/api/v1',
      '/api/v2/locations',
      '/api/v1/locations/',
      '/api/v1/payment-links/',
      '/api/v1/payment-links/x/',
      '/api/v1/payment-links/x/cancel/',
      '/api/v1/payment-links/x/refund',
      '//api/v1/locations',
      '/api//v1/locations',
      '/API/V1/LOCATIONS',
      '/api/v1/locations%2F',
      '/api/v1/locations%20',
      '/api/v1/%6cocations/%',
      '/healthz/x',
    ]) {
      it(`404 not_found: ${path}, with a key or without`, async () => {
        expect(outcome(await client.get(path))).to.equal('404 not_found');
        expect(outcome(await client.get(path, { key: null }))).to.equal('404 not_found');
      });
    }
  });

  it('messages distinguish an unknown path from an unknown resource', async () => {
    const message = async (path: string) => (await client.get(path)).body.error.message;
    expect(await message('/api/v1/paymentlinks')).to.equal('No such path.');
    expect(await message(`${LINKS}/x`)).to.equal('No such resource.');
  });

  it('messages say that a locationId in a body names no active location, and how to list them', async () => {
    const locationId = 'loc_unknown';
    const replies = [
      await client.post(LINKS, linkBody({ locationId }), idempotent()),
      await client.post('/api/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/', locationId }),
    ];
    for (const { status, body } of replies) {
      expect([status, body.error.code, body.error.param]).to.deep.equal([404, 'not_found', 'locationId']);
      expect(body.error.message).to.equal(
        'locationId names no active location that this key can use. GET /api/v1/locations lists them.',
      );
    }
  });

  it('messages name the fault of the Authorization header, and never repeat the header', async () => {
    const key = client.key ?? '';
    const form = 'send "Authorization: Bearer" and then the API key';
    const malformed = 'The API key is malformed; a key begins with pp_test_ or pp_live_.';
    const unknown = 'The API key is unknown, revoked or expired.';
    for (const [authorization, expected] of [
      [undefined, `The Authorization header is missing; ${form}.`],
      [key, `The Authorization header lacks Bearer; ${form}.`],
      [`Basic ${key}`, `The Authorization header lacks Bearer; ${form}.`],
      [`Bearer${key}`, `The Authorization header lacks Bearer; ${form}.`],
      ['Bearer', malformed],
      [`Bearer "${key}"`, malformed],
      [`Bearer ${key.slice(3)}`, malformed],
      [`Bearer ${key}x`, unknown],
      [`Bearer ${key.replace('_test_', '_live_')}`, unknown],
    ] as const) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const reply = await client.get(LOCATIONS, { key: null, headers });
      expect(outcome(reply)).to.equal('401 invalid_api_key');
      expect(reply.body.error.message).to.equal(expected);
    }
    expect(outcome(await client.get(LOCATIONS, { key: null, headers: { authorization: `bearer  ${key}` } }))).to.equal(
      '200',
    );
  });

  for (const path of new Set(operations.map((operation) => operation.path))) {
    const allow: string[] = operations.filter((operation) => operation.path === path).map(({ method }) => method);
    it(`405 method_not_allowed: ${path} for all but ${allow.join(', ')}, listed in Allow, with a key or without`, async () => {
      const others = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
      for (const method of others.filter((candidate) => !allow.includes(candidate))) {
        for (const key of [client.key, null]) {
          const reply = await client.call(method, path.replace('{id}', 'x'), { key });
          expect(outcome(reply), method).to.equal('405 method_not_allowed');
          expect(String(reply.headers.allow).split(', ')).to.have.members(allow);
        }
      }
    });
  }

  describe('media types', () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'text/json5',
      'image/svg+json',
      'json',
      '*/*',
      'application/json; charset=iso-8859-1',
      'application/json; charset=utf-16',
      'application/json;charset="us-ascii"',
      '',
    ]) {
      it(`415 unsupported_media_type: ${type === '' ? 'none' : type}`, async () => {
        expect(outcome(await send(padded(200), { 'content-type': type }))).to.equal('415 unsupported_media_type');
      });
    }

    for (const encoding of ['zstd', 'compress', 'gzip, gzip', 'x', 'utf-8']) {
      it(`415 unsupported_media_type: Content-Encoding ${encoding}`, async () => {
        const reply = await send(gzipSync(padded(200)), { 'content-encoding': encoding });
        expect(outcome(reply)).to.equal('415 unsupported_media_type');
      });
    }

    const ENCODINGS: [name: string, encode: (text: string) => Buffer][] = [
      ['identity', (text) => Buffer.from(text)],
      ['gzip', gzipSync],
      ['GZIP', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
    ];
    for (const [name, encode] of ENCODINGS) {
      it(`Content-Encoding ${name} is read, up to 65,536 decoded bytes`, async () => {
        const headers = { 'content-encoding': name };
        expect(outcome(await send(encode(padded(200)), headers))).to.equal('201');
        expect(outcome(await send(encode(padded(MAX_BODY_BYTES)), headers))).to.equal('201');
        expect(outcome(await send(encode(padded(MAX_BODY_BYTES + 1)), headers))).to.equal('413 payload_too_large');
      });
    }

    for (const charset of ['utf-8', 'UTF-8', 'utf8', '"utf-8"']) {
      it(`charset ${charset} is read`, async () => {
        const reply = await send(padded(200), { 'content-type': `application/json; charset=${charset}` });
        expect(outcome(reply)).to.equal('201');
      });
    }
  });

  describe('sizes', () => {
    it('413 payload_too_large: 65,537 bytes; 65,536 are fine', async () => {
      for (const [byteCount, expected] of [
        [MAX_BODY_BYTES - 1, '201'],
        [MAX_BODY_BYTES, '201'],
        [MAX_BODY_BYTES + 1, '413 payload_too_large'],
        [MAX_BODY_BYTES * 100, '413 payload_too_large'],
      ] as const) {
        expect(outcome(await send(padded(byteCount))), `${byteCount}`).to.equal(expected);
      }
    });

    it('413 payload_too_large: the bytes count, not the characters', async () => {
      const body = JSON.stringify(linkBody({ metadata: { a: 'ü'.repeat(40_000) } }));
      expect(outcome(await send(body))).to.equal('413 payload_too_large');
    });

    it('413 payload_too_large: 100 MB compressed to 100 KB, without decompressing all of it', async () => {
      const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, ' '));
      const before = process.memoryUsage().rss;
      for (let round = 0; round < 5; round++) {
        expect(outcome(await send(bomb, { 'content-encoding': 'gzip' }))).to.equal('413 payload_too_large');
      }
      expect(process.memoryUsage().rss - before).to.be.below(100 * 1024 * 1024);
    });
  });

  describe('bodies', () => {
    const MALFORMED: [what: string, body: string | Buffer][] = [
      ['cut off', '{"amount": 1'],
      ['a trailing comma', '{"amount": 1,}'],
      ['single quotes', "{'amount': 1}"],
      ['two values', '{} {}'],
      ['NaN', '{"amount": NaN}'],
      ['a leading zero', '{"amount": 012}'],
      ['a raw line break in a text', '{"description": "a\nb"}'],
      ['a NUL between', '{"amount": 1}\u0000'],
      ['a list', '[]'],
      ['a scalar', '17'],
      ['null', 'null'],
      ['white space alone', '  \r\n '],
      ['a list nested 30,000 deep', '['.repeat(30_000) + ']'.repeat(30_000)],
      ['brackets without end', '['.repeat(65_000)],
      ['UTF-16', Buffer.from('{"amount": 1}', 'utf16le')],
      ['a byte that UTF-8 never has', Buffer.from('{"description": "\xff"}', 'latin1')],
      ['Latin-1', Buffer.from(JSON.stringify(linkBody({ description: 'Zähne' })), 'latin1')],
      ['an overlong slash', Buffer.from('{"description": "\xc0\xaf"}', 'latin1')],
      ['a surrogate in UTF-8', Buffer.from('{"description": "\xed\xa0\x80"}', 'latin1')],
      ['a character cut off', Buffer.from('{"description": "\xe2\x82"}', 'latin1')],
    ];
    for (const [what, body] of MALFORMED) {
      it(`400 validation_error: ${what}`, async () => {
        expect(outcome(await send(body))).to.equal('400 validation_error');
      });
    }

    it('400 validation_error: bytes that do not match their Content-Encoding, or are cut off', async () => {
      const whole = gzipSync(padded(2000));
      for (const body of [Buffer.from('{}'), whole.subarray(0, 20), Buffer.alloc(50)]) {
        for (const encoding of ['gzip', 'deflate', 'br']) {
          const reply = await send(body, { 'content-encoding': encoding });
          expect(outcome(reply), encoding).to.equal('400 validation_error');
        }
      }
    });

    it('400 validation_error: deeply nested objects', async () => {
      const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
      expect(outcome(await send(`{"a": ${deep(9000)}}`))).to.match(/^400 /);
      const body = JSON.stringify(linkBody({ metadata: { a: 'HERE' } })).replace('"HERE"', deep(9000));
      expect(outcome(await send(body))).to.equal('400 validation_error metadata.a');
    });

    const REPEATED: [what: string, from: string, to: string, param: string][] = [
      ['of the body', '{', '{"amount": 5, ', 'amount'],
      ['in another spelling', '{', '{"amo\\u0075nt": 5, ', 'amount'],
      ['that is unknown', '{', '{"size": 1, "size": 1, ', 'size'],
      ['of an object in a list', '"HERE"', '[{}, {"a": [1, {"b": 1, "b": 2}]}]', 'metadata.1.a.1.b'],
      ['without a printable name', '{', '{"a\\u0000": 1, "a\\u0000": 1, ', ''],
    ];
    for (const [what, from, to, param] of REPEATED) {
      it(`400 validation_error: a repeated member ${what}`, async () => {
        const body = JSON.stringify(linkBody({ metadata: 'HERE' }))
          .replace(from, to)
          .replace('"HERE"', 'null');
        expect(outcome(await send(body))).to.equal(`400 validation_error ${param}`.trim());
      });
    }

    it('400 validation_error: a repeated member in an update, a simulation and a body that should be empty', async () => {
      const link = await createLink(client);
      const twice = '{"amount": 1, "amount": 1}';
      for (const call of [
        client.patch(`${LINKS}/${link.id}`, twice),
        client.post(`/api/v1/test-helpers/payment-links/${link.id}/refund`, twice),
        client.post(`${LINKS}/${link.id}/cancel`, twice),
      ]) {
        expect(outcome(await call)).to.equal('400 validation_error amount');
      }
    });

    it('one name in two objects, or as a value, is no repeated member', async () => {
      const body = linkBody({ description: 'amount', externalReference: 'amount', metadata: { amount: 'x', b: 'b' } });
      expect(outcome(await send(JSON.stringify(body)))).to.equal('201');
    });

    it('400 validation_error amount: digits beyond two decimals that a double does not have', async () => {
      for (const number of [
        '12.500000000000000001',
        '12500000000000000001e-18',
        '0.1000000000000000055511151231257827',
      ]) {
        const body = JSON.stringify(linkBody({ amount: 'HERE' })).replace('"HERE"', number);
        expect(outcome(await send(body)), number).to.equal('400 validation_error amount');
      }
      for (const number of [
        '12.5',
        '12.50',
        '12.500000000000000000000',
        '1.25e1',
        '1250E-2',
        '125000000000000000e-16',
      ]) {
        const body = JSON.stringify(linkBody({ amount: 'HERE' })).replace('"HERE"', number);
        expect((await send(body)).body.amount, number).to.equal(12.5);
      }
    });

    it('__proto__ is an unknown property like others, and changes no prototype', async () => {
      const body = JSON.stringify(linkBody()).replace('{', '{"__proto__": {"admin": true}, ');
      expect(outcome(await send(body))).to.equal('400 unknown_parameter __proto__');
      const inner = JSON.stringify(linkBody()).replace('"firstName"', '"__proto__": {"admin": true}, "firstName"');
      expect(outcome(await send(inner))).to.equal('400 unknown_parameter patient.__proto__');
      expect('admin' in {}).to.equal(false);
    });

    it('__proto__ as a metadata key is returned like any other', async () => {
      const metadata = '{"__proto__":"a","constructor":"b","prototype":"c"}';
      const body = JSON.stringify(linkBody({ metadata: 'HERE' })).replace('"HERE"', metadata);
      const reply = await send(body);
      expect(outcome(reply)).to.equal('201');
      expect(reply.text).to.include(`"metadata":${metadata}`);
      expect((await client.get(`${LINKS}/${reply.body.id}`)).text).to.include(`"metadata":${metadata}`);
      const link = await createLink(client);
      const changed = await client.patch(`${LINKS}/${link.id}`, `{"metadata":${metadata}}`);
      expect(changed.text).to.include(`"metadata":${metadata}`);
      expect((await client.get(`${LINKS}/${link.id}`)).text).to.include(`"metadata":${metadata}`);
    });

    it('a byte order mark is not part of the body', async () => {
      expect(outcome(await send(`\uFEFF${JSON.stringify(linkBody())}`))).to.equal('201');
    });

    it('an error names an unknown property by its printable characters only', async () => {
      const named = (name: string) => send(JSON.stringify(linkBody({ [name]: 1 })));
      expect(outcome(await named('a/b~c'))).to.equal('400 unknown_parameter a/b~c');
      expect(outcome(await named('a\u0000b'))).to.equal('400 unknown_parameter');
      const reply = await named('x'.repeat(5000));
      expect(reply.body.error.param).to.equal('x'.repeat(200));
    });

    it('huge numbers are refused as out of range', async () => {
      for (const number of ['1e400', '-1e400', `${'9'.repeat(10_000)}`, '1e-400', '-0', '0.000000000000000001']) {
        const body = JSON.stringify(linkBody({ amount: 'HERE' })).replace('"HERE"', number);
        expect(outcome(await send(body)), number.slice(0, 10)).to.equal('400 validation_error amount');
      }
    });
  });

  describe('queries', () => {
    const INTEGERS = [
      '0',
      '-1',
      '1.0',
      '1.5',
      '0x10',
      '1e1',
      '%2B5',
      '+5',
      '01',
      '',
      '%20',
      '1%20',
      'one',
      'null',
      '%D9%A1',
    ];
    for (const name of ['page', 'pageSize']) {
      for (const value of [...INTEGERS, '9'.repeat(16), '1000000001', ...(name === 'pageSize' ? ['101'] : [])]) {
        it(`400 validation_error ${name}: ${JSON.stringify(value)}`, async () => {
          expect(outcome(await client.get(`${LOCATIONS}?${name}=${value}`))).to.equal(`400 validation_error ${name}`);
        });
      }

      it(`400 validation_error ${name}: given twice, even with the same value`, async () => {
        expect(outcome(await client.get(`${LINKS}?${name}=1&${name}=1`))).to.equal(`400 validation_error ${name}`);
      });
    }

    const REFUSED: [query: string, expected: string][] = [
      ['status=Active', '400 validation_error status'],
      ['status=', '400 validation_error status'],
      ['status[]=active', '400 unknown_parameter status[]'],
      ['Status=active', '400 unknown_parameter Status'],
      ['createdBefore=2030-02-30T00:00:00Z', '400 validation_error createdBefore'],
      ['paidAfter=2030-01-01T00:00:00%2b25:00', '400 validation_error paidAfter'],
      ['externalReference=', '400 validation_error externalReference'],
      [`externalReference=${'x'.repeat(201)}`, '400 validation_error externalReference'],
      ['externalReference=%00', '400 validation_error externalReference'],
      ['externalReference=a%0Ab', '400 validation_error externalReference'],
      ['externalReference=%ff', '400 validation_error externalReference'],
      ['externalReference=%', '400 validation_error externalReference'],
      ['%=1', '400 unknown_parameter'],
      ['%00=1', '400 unknown_parameter'],
      ['__proto__=1', '400 unknown_parameter __proto__'],
      ['toString=1', '400 unknown_parameter toString'],
      ['=1', '400 unknown_parameter'],
      ['page', '400 validation_error page'],
      ['page=1&x', '400 unknown_parameter x'],
    ];
    for (const [query, expected] of REFUSED) {
      it(`${expected}: ?${query.slice(0, 60)}`, async () => {
        expect(outcome(await client.get(`${LINKS}?${query}`))).to.equal(expected);
      });
    }

    it('a question mark alone and empty pairs are an empty query', async () => {
      expect(outcome(await client.get(`${LINKS}?`))).to.equal('200');
      expect(outcome(await client.get(`${LINKS}?&&page=1&`))).to.equal('200');
    });

    it('names of query parameters may be percent-encoded', async () => {
      expect((await client.get(`${LOCATIONS}?%70age=2`)).body.page).to.equal(2);
    });
  });

  describe('headers of every response', () => {
    const LIMITS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
    const ANSWERS: [what: string, isKnown: boolean, call: () => Promise<Exchange>][] = [
      ['200', true, () => client.get(LOCATIONS)],
      ['201', true, () => client.post(LINKS, linkBody(), idempotent())],
      ['400', true, () => send('{')],
      ['400 of a query', true, () => client.get(`${LOCATIONS}?x=1`)],
      ['401', false, () => client.get(LOCATIONS, { key: 'x' })],
      ['403', true, () => practice.live.post(`${LINKS}/x/simulate`, { outcome: 'paid' })],
      ['404', true, () => client.get(`${LINKS}/x`)],
      ['404 of a path', false, () => client.get('/x')],
      ['405', false, () => client.delete(LINKS)],
      ['413', true, () => send(' '.repeat(MAX_BODY_BYTES + 1))],
      ['415', true, () => send('{}', { 'content-type': 'x/y' })],
    ];
    for (const [what, isKnown, call] of ANSWERS) {
      it(`${what} has Request-Id ${isKnown ? 'and the limits of the key' : 'and no limits, as no key was read'}`, async () => {
        const { headers } = await call();
        expect(headers['request-id']).to.match(/^req_[A-Za-z0-9]{16}$/);
        expect(headers['cache-control']).to.equal('no-store');
        for (const name of LIMITS) expect(headers[name] !== undefined, name).to.equal(isKnown);
      });
    }

    it("every reply has a new Request-Id, and never the caller's", async () => {
      const headers = { 'request-id': 'mine', 'x-request-id': 'mine' };
      const ids = await Promise.all([1, 2, 3].map(() => client.get(LOCATIONS, { headers })));
      const seen = new Set(ids.map((reply) => reply.headers['request-id']));
      expect(seen.size).to.equal(3);
      expect(seen.has('mine')).to.equal(false);
    });
  });
});
