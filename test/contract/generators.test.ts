import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { OpenAPIBackend } from 'openapi-backend';
import { parse } from 'yaml';
import { asOpenApi30 } from '../../scripts/generate/openapi-3.0.ts';
import { document, operations } from '../../src/contract/document.ts';
import { isObject, type Json, membersAt, pointerBelow, resolve, valueAt } from '../../src/contract/json-pointer.ts';
import { nodes } from '../contract-checker/documented.ts';

/** Names that languages or their standard libraries have taken. */
const TAKEN = ['Error', 'Event', 'Object', 'String', 'Number', 'Date', 'Map', 'Set', 'Promise', 'Response', 'Request'];

const schemas = membersAt(document, '#/components/schemas');

function typesOf({ type }: Record<string, Json>): Json[] {
  return [type].flat();
}

describe('The contract for SDK generators', () => {
  it('a body that says nothing: operations without properties describe none', () => {
    const bodiless = operations.filter(({ hasBody, describesBody }) => hasBody && !describesBody);
    expect(bodiless.map(({ operationId }) => operationId)).to.have.members([
      'cancelPaymentLink',
      'simulateBankReversal',
      'deleteWebhookEndpoint',
      'rotateWebhookEndpointSecret',
      'testWebhookEndpoint',
      'redeliverWebhookDelivery',
      'createTestPing',
    ]);
    for (const [name, schema] of Object.entries(schemas)) {
      if (name === 'PingEventData') continue;
      expect(Object(schema).type !== 'object' || Object(schema).properties !== undefined, name).to.equal(true);
    }
  });

  it('a parameter and a schema of one name, and names that languages have taken', () => {
    const parameters = Object.keys(membersAt(document, '#/components/parameters'));
    expect(parameters.filter((name) => name in schemas)).to.deep.equal([]);
    expect(Object.keys(schemas).filter((name) => TAKEN.includes(name))).to.deep.equal([]);
  });

  it('allOf, contentSchema, contentMediaType, and null within an enum', () => {
    for (const { node, pointer } of nodes()) {
      for (const word of ['allOf', 'contentSchema', 'contentMediaType'])
        expect(node, pointer).not.to.have.property(word);
      if (Array.isArray(node.enum)) expect(node.enum, pointer).not.to.include(null);
    }
  });

  it('every object with properties is a schema with a name, every list has a bound and every integer a size', () => {
    const named = Object.keys(schemas).map((name) => pointerBelow('#', 'components', 'schemas', name));
    for (const { node, pointer } of nodes()) {
      if (isObject(node.properties)) expect(named).to.include(pointer);
      if (typesOf(node).includes('array')) expect(node.maxItems, pointer).to.be.a('number');
      if (typesOf(node).includes('integer')) expect(node.format, pointer).to.be.oneOf(['int32', 'int64']);
    }
  });

  it('a property with a default, which openapi-typescript requires in requests: the contract has none', () => {
    const properties = nodes().filter(({ pointer }) => /\/properties\/[^/]+$/.test(pointer));
    const withDefault = properties.filter(({ node }) => 'default' in node);
    expect(withDefault.map(({ pointer }) => pointer)).to.deep.equal([]);
  });

  it('closed lists of values that may grow: what is described as open is text with x-extensible-enum', () => {
    const open = nodes().filter(({ node }) => Array.isArray(node['x-extensible-enum']));
    expect(open).to.have.length(9);
    for (const { node, pointer } of open) {
      expect(node.type, pointer).to.equal('string');
      expect(node, pointer).not.to.have.property('enum');
      expect(node.description, pointer).to.match(/Open: other (values|types|codes) may\s+come/);
    }
    const words = nodes().filter(({ node }) => /\bOpen\b/.test(String(node.description)) && node.enum !== undefined);
    expect(words).to.deep.equal([]);
  });

  it('an event of a type to come: a WebhookEvent is text of any type, and has what all known events have', () => {
    const { properties, required } = Object(schemas.WebhookEvent);
    const known = Object(schemas.KnownWebhookEvent).oneOf.map((member: Json) => Object(resolve(document, member)));
    for (const event of known) {
      expect(required).to.deep.equal(event.required);
      for (const name of ['id', 'object', 'test', 'createdAt']) {
        expect(properties[name], name).to.deep.equal(event.properties[name]);
      }
    }
    expect(valueAt(document, '#/components/schemas/EventType')).not.to.have.property('enum');
  });

  it('a schema that repeats another: the longer one has all of the shorter one', () => {
    for (const [short, long, more] of [
      ['WebhookEndpoint', 'WebhookEndpointWithSecret', ['secret']],
      ['WebhookDelivery', 'WebhookDeliveryDetail', ['payload', 'attempts']],
    ] as const) {
      const [base, extended] = [Object(schemas[short]), Object(schemas[long])];
      expect(extended.required).to.deep.equal([...base.required, ...more]);
      expect(Object.keys(extended.properties)).to.deep.equal([...Object.keys(base.properties), ...more]);
      for (const name of Object.keys(base.properties)) {
        expect(extended.properties[name], name).to.deep.equal(base.properties[name]);
      }
    }
  });
});

describe('The contract', () => {
  it('the contract has no contact, which each installation would have to name, a short description, and the number of its edition', () => {
    expect(document.info).not.to.have.property('contact');
    expect(document.info.description?.length, 'it is no guide').to.be.below(1_500);
    expect(Object(document.info)['x-revision']).to.match(/^[0-9a-f]{12}$/);
  });

  it('the contract begins the titles of webhooks with the names of their events', () => {
    for (const [type, item] of Object.entries(document.webhooks ?? {})) {
      expect(Object(Object(item).post).summary).to.match(new RegExp(`^${type.replace('.', '\\.')}: `));
    }
  });
});

describe('The copy in OpenAPI 3.0', () => {
  const read = (name: string): string => readFileSync(new URL(`../../generated/${name}`, import.meta.url), 'utf8');
  const copy = JSON.parse(read('openapi-3.0.json'));

  it('the copy in OpenAPI 3.0 is valid', () => {
    const api = new OpenAPIBackend({ definition: structuredClone(copy), strict: true });
    api.document = structuredClone(copy);
    expect(() => api.validateDefinition()).not.to.throw();
    // The same validator does notice what 3.0 doesn't know.
    api.document = Object(structuredClone(document));
    expect(() => api.validateDefinition()).to.throw('not valid OpenAPI');
  });

  it('the copy in OpenAPI 3.0 says the same in YAML', () => {
    expect(parse(read('openapi-3.0.yaml'))).to.deep.equal(copy);
  });

  it('the copy in OpenAPI 3.0 has every operation and every schema, and no word of a later version', () => {
    expect(copy.openapi).to.equal('3.0.3');
    expect(Object.keys(copy.components.schemas)).to.deep.equal(Object.keys(schemas));
    expect(Object.keys(copy.paths)).to.deep.equal(Object.keys(document.paths ?? {}));
    expect(Object.keys(copy['x-webhooks'])).to.deep.equal(Object.keys(document.webhooks ?? {}));
    for (const { node, pointer } of nodes(copy)) {
      if (pointer.endsWith('/properties')) continue;
      for (const word of ['const', 'webhooks', '$defs']) expect(node, pointer).not.to.have.property(word);
      if ('type' in node && !isObject(node.type)) expect(node.type, pointer).to.be.a('string').and.not.equal('null');
      if ('$ref' in node) expect(Object.keys(node), pointer).to.deep.equal(['$ref']);
    }
  });

  it('the copy in OpenAPI 3.0 keeps null where it may stand', () => {
    const { properties } = copy.components.schemas.PaymentLink;
    expect(properties.paidAt).to.include({ type: 'string', nullable: true });
    expect(properties.transaction).to.deep.include({
      type: 'object',
      nullable: true,
      allOf: [{ $ref: '#/components/schemas/Transaction' }],
    });
    expect(properties.object).to.deep.include({ type: 'string', enum: ['payment_link'] });
    expect(properties.description).to.include({ example: 'Crown, balance after insurance' });
  });

  it('the copy in OpenAPI 3.0 is refused if 3.0 cannot express a schema', () => {
    const schema = { type: ['string', 'integer'] };
    expect(() => asOpenApi30({ openapi: '3.1.0', components: { schemas: { Either: schema } } })).to.throw('string or');
  });
});
