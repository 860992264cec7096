import { expect } from 'chai';
import { document, findOperation, operations } from '../../src/contract/document.ts';
import { fieldsMarked, listFields, personalFields } from '../../src/contract/fields.ts';
import { isObject, type Json, pointerBelow, resolve, valueAt } from '../../src/contract/json-pointer.ts';
import { schemaCompiler } from '../../src/contract/validators.ts';
import { ERRORS } from '../../src/platform/base/errors.ts';
import { closedDocument } from '../contract-checker/closed-document.ts';
import { documentedCodes, documentedResponses, nodes, responseAt } from '../contract-checker/documented.ts';

/** The examples of a media type, a parameter, a header or a schema. */
function examplesOf(node: Record<string, Json>): Json[] {
  if (Array.isArray(node.examples)) return node.examples;
  const named = Object.values(Object(node.examples)).map((example) => Object(resolve(document, example)).value);
  return 'example' in node ? [node.example, ...named] : named;
}

/** The object schemas that a value of the schema can contain, itself included. */
function objectSchemas(schema: Json, found = new Set<Record<string, Json>>()): Set<Record<string, Json>> {
  const target = resolve(document, schema);
  if (!isObject(target) || found.has(target)) return found;
  if ([target.type].flat().includes('object')) found.add(target);
  for (const member of [target.items, target.allOf, target.oneOf].flat()) objectSchemas(member, found);
  for (const property of Object.values(Object(target.properties))) objectSchemas(property, found);
  return found;
}

const operationPointers = operations.map(({ path, method }) => pointerBelow('#', 'paths', path, method.toLowerCase()));
const webhookPointers = Object.keys(document.webhooks ?? {}).map((type) => pointerBelow('#', 'webhooks', type, 'post'));

function contentSchemas(pointers: readonly string[]): Record<string, Json>[] {
  const schemas = new Set<Record<string, Json>>();
  for (const pointer of pointers) {
    for (const media of Object.values(Object(valueAt(document, pointerBelow(pointer, 'content'))))) {
      objectSchemas(Object(media).schema, schemas);
    }
  }
  return [...schemas];
}

const requestSchemas = contentSchemas(operationPointers.map((pointer) => pointerBelow(pointer, 'requestBody')));
const responseSchemas = contentSchemas([
  ...documentedResponses().map(({ pointer }) => pointer),
  ...webhookPointers.map((pointer) => pointerBelow(pointer, 'requestBody')),
]);

function statusesOf(operationId: string): number[] {
  return documentedResponses()
    .filter((response) => response.operationId === operationId)
    .map(({ status }) => status);
}

function schemaNamed(name: string) {
  return Object(valueAt(document, pointerBelow('#', 'components', 'schemas', name)));
}

function enumOf(schema: string): Json[] {
  return schemaNamed(schema)['x-extensible-enum'];
}

describe('The contract', () => {
  it('the contract finds operations by method and path, and no others', () => {
    expect(findOperation('GET', '/api/v1/payment-links/plink_1')?.operationId).to.equal('getPaymentLink');
    expect(findOperation('PUT', '/api/v1/payment-links/plink_1')).to.equal(null);
    expect(findOperation('GET', '/api/v1/payment-links/')).to.equal(null);
  });

  it('the contract names the scope that an operation needs in its text', () => {
    for (const pointer of operationPointers) {
      const operation = Object(valueAt(document, pointer));
      const scope = operation['x-required-scope'];
      const sentence = scope === undefined ? 'Needs no scope' : `the scope \`${scope}\``;
      expect(operation.description.replaceAll(/\s+/g, ' '), pointer).to.include(sentence);
    }
  });

  it('the contract names webhook requests differently from operations, so that types distinguish them', () => {
    for (const { operationId } of operations) expect(operationId).not.to.match(/^receive.*Event$/);
    for (const pointer of webhookPointers) {
      expect(Object(valueAt(document, pointer)).operationId).to.match(/^receive.*Event$/);
    }
  });

  it('the contract has an example in every media type, parameter, header and scalar schema, and all of them are valid', () => {
    const schemaAt = schemaCompiler(closedDocument(document));
    let count = 0;
    for (const { node, pointer } of nodes()) {
      const scalar =
        typeof node.description === 'string' &&
        ['string', 'number', 'integer', 'boolean'].includes(String([node.type].flat()[0]));
      if (!('schema' in node) && !scalar) continue;
      const examples = examplesOf(node);
      expect(examples, pointer).not.to.have.length(0);
      const validate = schemaAt('schema' in node ? pointerBelow(pointer, 'schema') : pointer);
      for (const example of examples) {
        count += 1;
        expect(validate(example), `${pointer}: ${JSON.stringify(validate.errors)}`).to.equal(true);
      }
    }
    expect(count).to.be.greaterThan(200);
  });

  it('the contract shows payloads of deliveries that are events themselves', () => {
    const example = Object(valueAt(document, '#/components/examples/WebhookDeliveryDetail/value'));
    expect(JSON.parse(example.payload)).to.deep.equal(valueAt(document, '#/components/examples/PingEvent/value'));
  });

  it('the contract refuses unknown properties in requests, maps with keys of the caller excepted', () => {
    for (const schema of requestSchemas) {
      if (schema.properties === undefined && isObject(schema.additionalProperties)) continue;
      expect(schema.additionalProperties, String(schema.description)).to.equal(false);
    }
  });

  it('the contract has an example of a create with every field, and of an update that clears every field that can be empty', () => {
    const shown = (name: string) => Object(valueAt(document, `#/components/examples/${name}/value`));
    for (const { path } of listFields('CreatePaymentLinkRequest')) {
      expect(shown('CreatePaymentLinkComplete')).to.have.nested.property(path);
    }
    for (const { path, schema } of listFields('UpdatePaymentLinkRequest')) {
      if (schema.type?.includes('null')) expect(shown('UpdatePaymentLinkClear')).to.have.nested.property(path, null);
    }
  });

  it('the contract says of every free text in a request that it is one line, or may have several', () => {
    for (const [name, schema] of requestSchemas.flatMap(({ properties }) => Object.entries(Object(properties)))) {
      const { type, pattern, format, 'x-multiline': isMultiline } = Object(resolve(document, schema));
      const isFree = [type].flat().includes('string') && !('enum' in Object(resolve(document, schema)));
      // The parser of telephone numbers also takes the marks that programs put around them.
      if (isFree && !name.endsWith('Id') && name !== 'phone')
        expect(pattern ?? format ?? isMultiline, name).to.not.equal(undefined);
    }
  });

  it('the contract leaves responses and events open to further properties', () => {
    for (const schema of responseSchemas) {
      expect(schema.additionalProperties, String(schema.description)).not.to.equal(false);
      expect(schema, String(schema.description)).not.to.have.property('unevaluatedProperties');
    }
  });

  it('the contract promises every property of a response, save those that only some resources and simulated events have', () => {
    const optional = responseSchemas.flatMap(({ properties, required }) =>
      Object.keys(Object(properties)).filter((name) => !(Array.isArray(required) && required.includes(name))),
    );
    expect([...new Set(optional)]).to.have.members(['failureReason', 'triggeredBy']);
  });
});

describe('The documented responses', () => {
  /** The errors that the service throws. The documentation's table is made from the same catalogue. */
  const thrown = Object.entries(ERRORS).map(([code, { status }]) => `${status} ${code}`);

  it('the documented responses include for every operation what any request can meet', () => {
    for (const { operationId } of operations) {
      expect(statusesOf(operationId), operationId).to.include.members([400, 401, 403, 429, 431, 500, 503]);
    }
  });

  it('the documented responses include 404 where an id can be unknown, 413 and 415 where a body is read, and 408 and 431 always', () => {
    for (const { operationId, path, hasBody } of operations) {
      const takesLocation = operationId === 'createPaymentLink' || operationId === 'createWebhookEndpoint';
      const statuses = statusesOf(operationId);
      expect(statuses.includes(404), operationId).to.equal(path.includes('{id}') || takesLocation);
      for (const status of [413, 415]) expect(statuses.includes(status), operationId).to.equal(hasBody);
      expect(statuses, operationId).to.include.members([408, 431]);
    }
  });

  it('the documented responses carry Request-Id always, Retry-After with 429 and 503, and the rate limit once the key is accepted', () => {
    const limits = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
    const replaying = operations
      .filter(({ idempotencyKey }) => idempotencyKey !== null)
      .map((one) => `${one.operationId}`);
    for (const { operationId, status, pointer } of documentedResponses()) {
      const names = Object.keys(Object(valueAt(document, pointerBelow(pointer, 'headers'))));
      const expected = ['Request-Id', ...([401, 408, 431].includes(status) ? [] : limits)];
      if (status === 429 || status === 503) expected.push('Retry-After');
      if (replaying.includes(operationId) && status < 300) expected.push('Idempotency-Replayed');
      expect(names, `${operationId} ${status}`).to.have.members(expected);
    }
  });

  it('the documented responses show an example of every error code, under the status that the service gives it', () => {
    const shown = documentedResponses().flatMap(({ status, pointer }) =>
      documentedCodes(pointer).map((code) => `${status} ${code}`),
    );
    // No operation answers 405: it is for methods that a path lacks.
    expect([...new Set(shown), '405 method_not_allowed']).to.have.members(thrown);
    expect(Object.keys(ERRORS)).to.have.members(enumOf('ErrorCode'));
  });

  it('the documented responses include insufficient_scope where a scope is needed, and test_mode_only where live keys are refused', () => {
    for (const { operationId, requiredScope, testModeOnly } of operations) {
      const codes = documentedCodes(responseAt(operationId, 403) ?? '');
      expect(codes.includes('insufficient_scope'), operationId).to.equal(requiredScope !== null);
      expect(codes.includes('test_mode_only'), operationId).to.equal(testModeOnly);
    }
  });
});

describe('The documented events', () => {
  const types = enumOf('EventType');

  it('the documented events are the same everywhere: types, webhooks and bodies', () => {
    expect(Object.keys(document.webhooks ?? {})).to.have.members(types);
    const bodies = contentSchemas(webhookPointers.map((pointer) => pointerBelow(pointer, 'requestBody')))
      .map(({ properties }) => Object(Object(properties).type).const)
      .filter((type) => type !== undefined);
    expect(bodies).to.have.members(types);
    // The union that SDKs take the events from.
    const union = schemaNamed('KnownWebhookEvent');
    expect(Object.keys(union.discriminator.mapping)).to.have.members(types);
    expect(union.oneOf.map(({ $ref }: { $ref: string }) => $ref)).to.have.members(
      Object.values(union.discriminator.mapping),
    );
  });

  it('the documented events can all be chosen by an endpoint, ping excepted', () => {
    expect([...enumOf('PaymentLinkEventType'), 'ping']).to.have.members(types);
  });

  it('requests name the documented events by closed lists', () => {
    expect(schemaNamed('SelectableEventType').enum).to.deep.equal(enumOf('PaymentLinkEventType'));
    expect(schemaNamed('FilterableEventType').enum).to.deep.equal(types);
    const open: string[] = [];
    const visit = (value: Json, seen: string): void => {
      const schema = resolve(document, value);
      if (!isObject(schema)) return;
      if ('x-extensible-enum' in schema) open.push(seen);
      for (const member of ['items', 'schema']) visit(schema[member], seen);
      for (const [name, member] of Object.entries(Object(schema.properties))) visit(member, `${seen} ${name}`);
    };
    for (const { operationId, method, path } of operations) {
      const operation = Object(valueAt(document, pointerBelow('#', 'paths', path, method.toLowerCase())));
      visit(operation.requestBody?.content['application/json'], operationId);
      for (const parameter of operation.parameters ?? []) visit(parameter, operationId);
    }
    expect(open).to.deep.equal([]);
  });

  it('each kind of id has one pattern', () => {
    const patterns = new Map<string, Set<unknown>>();
    for (const { node } of nodes()) {
      const { pattern, examples, example } = node;
      const [prefix] = /^[a-z]+_/.exec(String(example ?? Object(examples)[0])) ?? [];
      if (typeof pattern === 'string' && prefix !== undefined && pattern.includes(prefix))
        patterns.set(prefix, (patterns.get(prefix) ?? new Set()).add(pattern));
    }
    expect([...patterns.keys()]).to.include.members(['loc_', 'plink_', 'we_', 'evt_', 're_']);
    for (const [prefix, found] of patterns) expect([...found], prefix).to.deep.equal([`^${prefix}.+$`]);
  });

  it('the documented events are sent without an API key, with the four headers of a delivery', () => {
    for (const pointer of webhookPointers) {
      const operation = Object(valueAt(document, pointer));
      expect(operation.security).to.deep.equal([]);
      const names = operation.parameters.map((parameter: Json) => Object(resolve(document, parameter)).name);
      expect(names).to.have.members(['User-Agent', 'Service-Event-Id', 'Service-Event-Type', 'Service-Signature']);
    }
  });
});

describe('Sensitive fields', () => {
  it('sensitive fields are the webhook secret and all personal data of patients', () => {
    expect([...fieldsMarked('x-secret')]).to.deep.equal(['secret']);
    const ofPatients = ['patient', 'firstName', 'lastName', 'phone', 'email', 'externalId'];
    expect([...personalFields]).to.include.members([...ofPatients, 'description', 'metadata', 'payload']);
  });

  it('a field of a link is marked as personal in both requests and in the link, or in none of them', () => {
    const schemas = ['CreatePaymentLinkRequest', 'UpdatePaymentLinkRequest', 'PaymentLink'];
    const marks = new Map<string, Set<unknown>>();
    for (const schema of schemas) {
      const properties = Object(valueAt(document, pointerBelow('#', 'components', 'schemas', schema))).properties;
      for (const [name, property] of Object.entries<Json>(properties)) {
        const mark = Object(resolve(document, property))['x-personal'] === true;
        marks.set(name, (marks.get(name) ?? new Set()).add(mark));
      }
    }
    expect([...(marks.get('description') ?? [])]).to.deep.equal([true]);
    for (const [name, found] of marks) expect(found.size, name).to.equal(1);
  });

  it('the webhook secret is in no response but creation and rotation', () => {
    const withSecret = operations.filter(({ operationId }) =>
      statusesOf(operationId).some((status) =>
        contentSchemas([responseAt(operationId, status) ?? '#']).some(({ properties }) => Object(properties).secret),
      ),
    );
    expect(withSecret.map(({ operationId }) => operationId)).to.have.members([
      'createWebhookEndpoint',
      'rotateWebhookEndpointSecret',
    ]);
  });
});
