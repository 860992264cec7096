import { expect } from 'chai';
import fc from 'fast-check';
import { document, operations } from '../../src/contract/document.ts';
import { isObject, type Json, membersAt, resolve } from '../../src/contract/json-pointer.ts';
import { findFaults, findRoute } from '../../src/http/contract-api.ts';
import { covered, MAX_MESSAGE_LENGTH, suggestName } from '../../src/http/request/messages.ts';
import { readQuery } from '../../src/http/request/query.ts';

import { requireCleanText, validationError } from '../../src/http/request/validation.ts';
import { linkBodyRules } from '../../src/payment-links/operations.ts';
import { ApiError } from '../../src/platform/base/errors.ts';
import { codePoints } from '../../src/platform/base/text.ts';
import { linkBody } from '../harness/service.ts';

/** Members of a schema that cannot fail: applicators and annotations. */
const NEVER_FAIL = [
  'properties',
  'items',
  'oneOf',
  'description',
  'default',
  'example',
  'examples',
  'x-multiline',
  'x-personal',
  'x-secret',
];

const selectableTypes = Object.keys(membersAt(document, '#/webhooks')).filter((type) => type !== 'ping');

/** The error of a body or query that the contract refuses, or that breaks a rule which no schema can express. */
function errorOf(method: string, path: string, body?: object, query = ''): ApiError | null {
  const route = findRoute(method, path);
  if (route === null) throw new Error(`no operation ${method} ${path}`);
  try {
    const variables = route.pattern.exec(path)?.groups ?? {};
    const faults = findFaults(route, variables, readQuery(query, route.queryParameters), body);
    if (faults.length > 0) throw validationError(faults);
    requireCleanText(body);
    const rules: Record<string, ((body: never) => unknown) | undefined> = linkBodyRules;
    rules[route.operationId]?.(body as never);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const create = (overrides: object) => errorOf('POST', '/api/v1/payment-links', linkBody({ ...overrides }));
const list = (query: string) => errorOf('GET', '/api/v1/payment-links', undefined, query);
const patient = (overrides: object) => create({ patient: { firstName: 'Ada', lastName: 'Byron', ...overrides } });

/** Every schema that a request can fail. */
function requestSchemas(): Record<string, Json>[] {
  const all = new Set<Record<string, Json>>();
  const walk = (value: Json): void => {
    const schema = resolve(document, value);
    if (!isObject(schema) || all.has(schema)) return;
    all.add(schema);
    if (isObject(schema.properties)) Object.values(schema.properties).forEach(walk);
    walk(schema.items);
    if (Array.isArray(schema.oneOf)) schema.oneOf.forEach(walk);
    walk(schema.additionalProperties);
  };
  for (const { operationId, method, path } of operations) {
    const item = Object(document.paths?.[path]);
    const operation = item[method.toLowerCase()];
    expect(operation.operationId).to.equal(operationId);
    walk(operation.requestBody?.content['application/json'].schema);
    for (const parameter of [...(item.parameters ?? []), ...(operation.parameters ?? [])]) {
      walk(Object(resolve(document, parameter)).schema);
    }
  }
  return [...all];
}

describe('Messages of errors', () => {
  const LINKS = '/api/v1/payment-links';
  const ENDPOINTS = '/api/v1/webhook-endpoints';
  const manyKeys = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 'x']));
  const subscribed = (...enabledEvents: string[]) =>
    errorOf('POST', ENDPOINTS, { url: 'https://example.com', enabledEvents });

  /** Each message begins with the parameter that the error names. */
  const EXPECTED: [error: () => ApiError | null, message: string][] = [
    [() => list('status=open'), 'status must be one of active, paid, expired, cancelled.'],
    [() => create({ desc: 'x' }), 'desc is not known; did you mean description?'],
    [
      () => errorOf('POST', LINKS, { amount: 5, description: 'x', patient: { first_name: 'A' } }),
      'patient.first_name is not known; did you mean patient.firstName?',
    ],
    [
      () => errorOf('POST', LINKS, { patient: { fristName: 'A' } }),
      'patient.fristName is not known; did you mean patient.firstName?',
    ],
    [() => create({ email: 'a@b.example' }), 'email is not known; did you mean patient.email?'],
    [() => errorOf('POST', LINKS, { amount: 5, description: 'x' }), 'patient is required.'],
    [
      () => patient({ phone: '2025550143' }),
      'patient.phone must be a valid number in international format, such as +12025550143.',
    ],
    [() => patient({ firstName: '\u3000' }), 'patient.firstName must not be blank.'],
    [() => patient({ lastName: 'By\u202eron' }), 'patient.lastName must not contain the direction mark U+202E.'],
    [() => patient({ externalId: 'a\u0085' }), 'patient.externalId must not contain the control character U+0085.'],
    [() => create({ description: '\ud800' }), 'description must not contain the unpaired surrogate U+D800.'],
    [
      () => create({ metadata: { a: 'b', '\u2066': 'c' } }),
      'metadata has a key that must not contain the direction mark U+2066.',
    ],
    [() => patient({ email: 'ada' }), 'patient.email must be an email address, such as ada.moreno@example.com.'],
    [
      () => patient({ email: 'ada@bücher.example' }),
      'patient.email must have a host of ASCII letters; write another one in Punycode, such as xn--bcher-kva.example.',
    ],
    [() => patient({ email: 'adá@example.com' }), 'patient.email must have ASCII characters alone before the @.'],
    [
      () => patient({ email: `${'x'.repeat(65)}@example.com` }),
      'patient.email must have at most 64 characters before the @; it has 65.',
    ],
    [
      () => patient({ email: `ada@${'x'.repeat(64)}.com` }),
      'patient.email must have at most 63 characters between two dots of its host.',
    ],
    ...(
      [
        [
          'https://bücher.example/',
          'must be ASCII: write the host in Punycode (xn--…), and all other such characters as %-escapes of UTF-8, such as %C3%A9.',
        ],
        [
          'https://example.com/é',
          'must be ASCII: write the host in Punycode (xn--…), and all other such characters as %-escapes of UTF-8, such as %C3%A9.',
        ],
        ['https://example.com/a b', 'must not contain white space, control characters or backslashes.'],
        ['https://example.com/{id}', 'must have %-escapes instead of " < > ^ ` { | }, such as %7B for {.'],
        ['https://example.com/100%', 'must have two hexadecimal digits after each %.'],
        ['example.com', 'must be an absolute URL, such as https://example.com/webhooks.'],
      ] as const
    ).map(([url, rest]): [() => ApiError | null, string] => [
      () => errorOf('POST', '/api/v1/webhook-endpoints', { url }),
      `url ${rest}`,
    ]),
    [() => create({ amount: '5' }), 'amount must be a number, not a string.'],
    [() => create({ locationId: 7 }), 'locationId must be a string or null, not a number.'],
    [() => create({ amount: 0 }), 'amount must be from 0.01 to 999999.99.'],
    [() => create({ description: '' }), 'description must not be empty.'],
    [() => create({ description: 'x'.repeat(501) }), 'description must have at most 500 characters; it has 501.'],
    [() => create({ currency: 'eur' }), 'currency must be usd.'],
    [() => create({ expiresAt: 'tomorrow' }), 'expiresAt must be a time with a zone, such as 2026-11-20T15:04:05Z.'],
    [() => create({ metadata: manyKeys }), 'metadata must have at most 20 keys; it has 21.'],
    [() => create({ metadata: { chart: 5 } }), 'metadata.chart must be a string, not a number.'],
    [() => subscribed('paid'), `enabledEvents.0 must be one of ${selectableTypes.join(', ')}.`],
    [
      () => subscribed('payment_link.paid', 'payment_link.paid'),
      'enabledEvents must have each item once; items 0 and 1 are equal.',
    ],
    [() => list('pageSize=101'), 'pageSize must be from 1 to 100.'],
    [() => list('page=one'), 'page must be a whole number in digits, such as 1.'],
    [() => list('Status=paid'), 'Status is not known; did you mean status?'],
    [
      () => list('limit=5'),
      'limit is not known; the known names are status, externalReference, locationId, createdAfter, createdBefore, ' +
        'paidAfter, page, pageSize.',
    ],
    [
      () => errorOf('GET', '/api/v1/locations/x', undefined, 'expand=all'),
      'expand is not known; this operation has no such names.',
    ],
  ];
  for (const [error, message] of EXPECTED) {
    it(`the message is: ${message.slice(0, 90)}`, () => {
      const found = error();
      const code = message.includes(' is not known') ? 'unknown_parameter' : 'validation_error';
      expect(found).to.include({ code, message });
      expect(found?.details.param).to.equal(message.split(' ')[0]);
    });
  }

  it('every keyword, pattern and format of the contract that a request can fail has a sentence', () => {
    const schemas = requestSchemas();
    expect(schemas).to.have.length.above(30);
    for (const schema of schemas) {
      for (const keyword of Object.keys(schema)) {
        // The validator knows `x-extensible-enum` as `enum`.
        const name = keyword === 'x-extensible-enum' ? 'enum' : keyword;
        if (!NEVER_FAIL.includes(keyword)) expect(covered.keywords).to.include(name, JSON.stringify(schema));
      }
      if (schema.pattern !== undefined) expect(covered.patterns).to.include(schema.pattern);
      if (schema.format !== undefined) expect(covered.formats).to.include(schema.format);
    }
  });

  it('no sentence is for a pattern or a format that no request has', () => {
    const schemas = requestSchemas();
    expect(schemas.map(({ pattern }) => pattern)).to.include.members(covered.patterns);
    expect(schemas.map(({ format }) => format)).to.include.members(covered.formats);
  });

  it('no message repeats a value of the body; each names its field, in at most 300 characters', () => {
    const marker = 'Canarina';
    const text = fc
      .tuple(fc.string({ unit: 'binary', maxLength: 40 }), fc.nat({ max: 600 }))
      .map(([tail, count]) => `${marker}${tail}${'x'.repeat(count)}`);
    const number = fc.constantFrom(-77_777_777, 77_777_777.7, 0.777_777_77);
    const value = fc.oneof(
      text,
      number,
      fc.boolean(),
      fc.constant(null),
      fc.array(text),
      fc.dictionary(fc.string(), text),
    );
    const name = fc.oneof(
      fc.constantFrom('desc', 'Amount', '__proto__', ''),
      fc.string({ unit: 'binary', maxLength: 400 }),
    );
    const oneOf = (...names: string[]) => fc.tuple(fc.constantFrom(...names), value);
    const link = ['amount', 'description', 'patient', 'currency', 'externalReference', 'metadata', 'expiresAt'];
    const change = fc.oneof(
      fc.oneof(oneOf(...link), fc.tuple(name, value)).map(([key, given]) => ({ [key]: given })),
      fc
        .oneof(oneOf('firstName', 'lastName', 'phone', 'email', 'externalId'), fc.tuple(name, value))
        .map(([key, given]) => ({ patient: { firstName: 'Ada', lastName: 'Byron', [key]: given } })),
      fc.dictionary(name, value).map((metadata) => ({ metadata })),
    );
    const counts = { refused: 0 };
    fc.assert(
      fc.property(change, fc.boolean(), (overrides, isUpdate) => {
        const error = isUpdate ? errorOf('PATCH', '/api/v1/payment-links/x', overrides) : create(overrides);
        if (error === null) return;
        counts.refused += 1;
        expect(error.message).not.to.include(marker);
        expect(error.message).not.to.include('7777777');
        expect(codePoints(error.message)).to.be.at.most(MAX_MESSAGE_LENGTH);
        expect(error.message).not.to.match(/[\p{Cc}\p{Cs}]/u);
        const { param } = error.details;
        if (param !== undefined) expect(error.message).to.include([...param].slice(0, 59).join(''));
      }),
      { numRuns: 1_000 },
    );
    expect(counts.refused).to.be.above(300);
  });

  it('no value of the query comes back, because it may be about a patient', () => {
    expect(list('status=Canarina')?.message).to.equal('status must be one of active, paid, expired, cancelled.');
    expect(list('externalReference=%00Canarina')?.message).to.equal(
      'externalReference must not contain the control character U+0000.',
    );
    expect(list(`externalReference=${'Canarina'.repeat(30)}`)?.message).not.to.include('Canarina');
  });

  it('a suggestion is the known name that is meant, and none if the given name is far from all', () => {
    const known = ['amount', 'description', 'externalReference', 'patient', 'patient.phone', 'expiresAt'];
    for (const [given, expected] of [
      ['amuont', 'amount'],
      ['Amount', 'amount'],
      ['external_reference', 'externalReference'],
      ['expires-at', 'expiresAt'],
      ['ext', 'externalReference'],
      ['phone', 'patient.phone'],
      ['patients', 'patient'],
      ['de', null],
      ['colour', null],
      ['', null],
      ['x'.repeat(50_000), null],
    ] as const) {
      expect(suggestName(given, known), given.slice(0, 20)).to.equal(expected);
    }
  });
});
