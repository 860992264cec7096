import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { document, type OperationDescription, operations } from '../../src/contract/document.ts';
import { isObject, type Json, pointerBelow, resolve, valueAt } from '../../src/contract/json-pointer.ts';
import type { Client } from '../harness/client.ts';
import { prepareTestLink } from '../harness/preparations.ts';
import { createLink, type TestPractice, TestService } from '../harness/service.ts';

/**
 * Requests per operation. Each run of the suite has another seed, so a few are enough; `FUZZ_RUNS=2000` is the long run,
 * and `FUZZ_SEED=…` repeats one.
 */
const RUNS = Number(process.env.FUZZ_RUNS ?? 50);
const SEED = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));

/**
 * Rounds after which an operation that accepted nothing has requests that it cannot accept. One in a hundred bodies of a
 * new link is accepted. So ten rounds would have none in one run of a hundred.
 */
const MOST_ROUNDS = 50;

/** Texts that broke something somewhere. */
const HOSTILE_TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u202e\u200b',
  '\ufeff',
  '\ufffd',
  '\r\nX: y',
  "'; drop table payment_links; --",
  '{{7*7}}<script>',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  '%00%ff%',
  'null',
  'NaN',
  '4111 1111 1111 1111',
  '+1 202 555 0143',
  '+12025550143;ext=5;phone-context=+44',
  'a@b.c',
  'https://127.0.0.1:9/x',
  'http://169.254.169.254/',
  'https://user:pass@example.com/',
  '2030-07-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999+23:59',
  '2030-02-30T00:00:00Z',
  '275760-09-13T00:00:00Z',
  'x'.repeat(201),
  'x'.repeat(5000),
  '🦷'.repeat(500),
];

const HOSTILE_NUMBERS = [
  0,
  -0,
  -1,
  0.001,
  0.005,
  0.1 + 0.2,
  1e21,
  1e308,
  -1e308,
  5e-324,
  2 ** 53,
  999_999.99,
  1e6,
  0.01,
];

const hostileText = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)), maxLength: 20 }),
);

const anything: fc.Arbitrary<Json> = fc.oneof(
  hostileText,
  fc.constantFrom(...HOSTILE_NUMBERS, true, false, null, [], {}, [[]], [null]),
  fc.jsonValue({ maxDepth: 4 }),
  fc.integer({ min: 1, max: 400 }).map(nested),
);

/** Times before and after that of the clock, as often: most operations accept times of one kind only. */
const moments = fc
  .oneof(
    fc.date({ min: new Date('2030-05-20T00:00:00Z'), max: new Date('2030-06-15T12:00:00Z'), noInvalidDate: true }),
    fc.date({ min: new Date('2030-06-15T12:00:00Z'), max: new Date('2030-12-31T00:00:00Z'), noInvalidDate: true }),
  )
  .map((date) => date.toISOString());

/** Values by a schema of the contract, most of them valid, some anything at all. */
function bySchema(schema: Json, depth = 0): fc.Arbitrary<Json> {
  const target = resolve(document, schema);
  if (!isObject(target)) return anything;
  return fc.oneof({ weight: 20, arbitrary: plausible(target, depth) }, { weight: 1, arbitrary: anything });
}

function plausible(schema: Record<string, Json>, depth: number): fc.Arbitrary<Json> {
  const examples = Array.isArray(schema.examples) ? schema.examples : [];
  if (schema.format === 'date-time') return fc.oneof(moments, moments, fc.constantFrom(...examples, null));
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (isObject(schema.properties)) return objectBy(schema, depth);
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const ofType = types.map((type) => {
    if (type === 'null') return fc.constant(null);
    if (type === 'number')
      return fc.oneof(
        fc.integer({ min: 1, max: 99_999_999 }).map((c) => c / 100),
        fc.double(),
      );
    if (type === 'integer') return fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer());
    if (type === 'boolean') return fc.boolean();
    if (type === 'array') return fc.array(bySchema(schema.items, depth + 1), { maxLength: 10 });
    if (type === 'object') return fc.dictionary(hostileOr(fc.string()), hostileOr(fc.string()), { maxKeys: 22 });
    return hostileOr(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }));
  });
  const typed = fc.oneof(...ofType);
  if (examples.length === 0) return typed;
  return fc.oneof({ weight: 1, arbitrary: typed }, { weight: 4, arbitrary: fc.constantFrom(...examples) });
}

function objectBy(schema: Record<string, Json>, depth: number): fc.Arbitrary<Json> {
  const properties = Object.entries(isObject(schema.properties) ? schema.properties : {});
  const required = Array.isArray(schema.required) ? schema.required : [];
  const members = Object.fromEntries(properties.map(([name, member]) => [name, bySchema(member, depth + 1)]));
  const whole = fc.record(members, { requiredKeys: properties.map(([name]) => name) });
  const some = fc.record(members, {
    requiredKeys: properties.map(([name]) => name).filter((n) => required.includes(n)),
  });
  const extra = fc.tuple(some, hostileText, anything).map(([object, name, value]) => ({ ...object, [name]: value }));
  return fc.oneof({ weight: 6, arbitrary: some }, { weight: 2, arbitrary: whole }, { weight: 1, arbitrary: extra });
}

function hostileOr(ordinary: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof({ weight: 3, arbitrary: ordinary }, { weight: 1, arbitrary: hostileText });
}

function nested(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** The parts of one request. */
interface Shot {
  id: string;
  query: string;
  body: string | Buffer | undefined;
  type: string | undefined;
  idempotencyKey: string | string[] | undefined;
}

/** Texts for a path or query, most of them encoded correctly. */
const encoded = (text: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 4, arbitrary: text.map((value) => encodeURIComponent(value.toWellFormed())) },
    { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...'%0aF+&=;[]~!*'), maxLength: 12 }) },
  );

function queryOf({ path, method }: OperationDescription): fc.Arbitrary<string> {
  const declared = valueAt(document, pointerBelow('#', 'paths', path, method.toLowerCase(), 'parameters'));
  const parameters = (Array.isArray(declared) ? declared : [])
    .map((parameter) => resolve(document, parameter))
    .filter((parameter) => isObject(parameter) && parameter.in === 'query') as { name: string; schema: Json }[];
  const pairs = parameters.map(({ name, schema }) =>
    encoded(bySchema(schema).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))).map(
      (value) => `${name}=${value}`,
    ),
  );
  const odd = fc.tuple(encoded(hostileText), encoded(hostileText)).map(([name, value]) => `${name}=${value}`);
  const none = { weight: 6, arbitrary: fc.constant('') };
  if (pairs.length === 0) return fc.oneof(none, { weight: 1, arbitrary: odd });
  const some = fc.array(fc.oneof({ weight: 9, arbitrary: fc.oneof(...pairs) }, { weight: 1, arbitrary: odd }), {
    maxLength: 4,
  });
  return some.map((list) => list.join('&'));
}

function bodyOf({ path, method }: OperationDescription): fc.Arbitrary<string | Buffer | undefined> {
  const pointer = pointerBelow('#', 'paths', path, method.toLowerCase(), 'requestBody');
  const content = valueAt(document, pointerBelow(pointer, 'content', 'application/json', 'schema'));
  if (content === undefined) return fc.constant(undefined);
  const valid = bySchema(content).map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 20, arbitrary: valid },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: valid.map((text) => text.slice(0, -1)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.tuple(valid, fc.integer({ min: 60_000, max: 70_000 })).map(([text, to]) => text.padEnd(to)),
    },
    { weight: 1, arbitrary: valid.map((text) => text.replace('{', '{"amount":1,"amount":2,"__proto__":{},')) },
  );
}

/** Prefix of the ids in the operation's path. */
function prefixOf({ path }: OperationDescription): string {
  const [, segment = ''] = /\/([\w-]+)\/\{id\}/.exec(path) ?? [];
  const prefixes: Record<string, string> = { locations: 'loc_', 'payment-links': 'plink_', 'webhook-endpoints': 'we_' };
  return prefixes[segment] ?? 'evt_';
}

function shots(operation: OperationDescription, ids: string[]): fc.Arbitrary<Shot> {
  return fc.record({
    id: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('x', ...ids.filter((id) => id.startsWith(prefixOf(operation)))) },
      { weight: 1, arbitrary: fc.constantFrom(...ids) },
      { weight: 1, arbitrary: encoded(hostileText) },
    ),
    query: queryOf(operation),
    body: bodyOf(operation),
    type: fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom('application/json', 'text/json', 'application/x+json; charset=utf-8') },
      { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'x', undefined) },
    ),
    idempotencyKey: fc.oneof(
      { weight: 12, arbitrary: fc.uuid() },
      { weight: 2, arbitrary: fc.constantFrom('same', '', 'x'.repeat(201), undefined, ['a', 'b']) },
    ),
  });
}

describe(`any request at all (FUZZ_RUNS=${RUNS} FUZZ_SEED=${SEED})`, function () {
  this.timeout(600_000);
  let service: TestService;
  let practice: TestPractice;
  const ids: string[] = ['x'];
  const testLinks: string[] = [];

  before(async () => {
    // Addresses that hostile URLs name are never asked for.
    const resolver = { resolve: () => Promise.reject(new Error('no DNS here')) };
    service = await TestService.start({ resolver: resolver as never });
    practice = await service.practice();
  });

  after(() => service.close());

  // Things to address, made anew for each operation: deleting and cancelling use them up.
  beforeEach(async () => {
    ids.length = 1;
    testLinks.length = 0;
    for (const client of [practice.test, practice.live]) {
      for (let index = 0; index < 3; index++) {
        const { id } = await createLink(client);
        ids.push(id);
        if (client === practice.test) testLinks.push(id);
      }
      for (const endpoint of (await client.get('/api/v1/webhook-endpoints')).body.data) {
        await client.delete(`/api/v1/webhook-endpoints/${endpoint.id}`);
      }
      for (let index = 0; index < 3; index++) {
        const body = { url: 'http://127.0.0.1:9/hook' };
        const { id } = (await client.post('/api/v1/webhook-endpoints', body)).body;
        ids.push(id, (await client.post(`/api/v1/webhook-endpoints/${id}/test`)).body.id);
      }
    }
    ids.push(practice.locationId);
  });

  async function fire(client: Client, { method, path, hasBody }: OperationDescription, shot: Shot): Promise<number> {
    const query = shot.query === '' ? '' : `?${shot.query}`;
    const headers: Record<string, string | string[]> = {};
    if (shot.type !== undefined && hasBody) headers['content-type'] = shot.type;
    if (shot.idempotencyKey !== undefined) headers['idempotency-key'] = shot.idempotencyKey;
    const body = hasBody ? shot.body : undefined;
    // An empty or dotted segment would be another path.
    const id = /^\.*$/.test(shot.id) ? 'x' : shot.id;
    const target = `${path.replace('{id}', id)}${query}`;
    return (await client.call(method, target, { body, headers })).status;
  }

  for (const operation of operations) {
    it(`${operation.operationId}: no 5xx, and every exchange as the contract says`, async () => {
      for (const id of testLinks) await prepareTestLink(practice.test, operation.operationId, id);
      const statuses = new Map<number, number>();
      const property = fc.asyncProperty(fc.boolean(), shots(operation, ids), async (isTest, shot) => {
        service.clock.advance({ ms: 1 });
        const status = await fire(isTest ? practice.test : practice.live, operation, shot);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        expect(status).to.be.below(500);
      });
      const accepted = () => [...statuses].reduce((sum, [status, count]) => sum + (status < 300 ? count : 0), 0);
      // By chance, one round may have no request that is accepted.
      for (let round = 0; round < MOST_ROUNDS && accepted() === 0; round++) {
        await fc.assert(property, { numRuns: RUNS, seed: SEED + round });
      }
      expect(accepted(), `some are accepted: ${JSON.stringify([...statuses])}`).to.be.above(0);
    });
  }
});
