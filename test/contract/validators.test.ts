import { expect } from 'chai';
import { document } from '../../src/contract/document.ts';
import { createAjv, schemaCompiler } from '../../src/contract/validators.ts';

/** The schemas of a part of the contract: the named ones, and those of parameters, bodies and headers. */
function schemasWithin(part: unknown): object[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) => {
    if (name === 'schema') return [value];
    if (name === 'schemas') return Object.values(value);
    return schemasWithin(value);
  });
}

describe('The validators', () => {
  const create = schemaCompiler(document)('#/components/schemas/CreatePaymentLinkRequest');
  const patient = { firstName: 'Ada', lastName: 'Moreno' };
  const minimal = { amount: 1, description: 'Crown', patient };

  it('the validators neither coerce, remove nor fill in anything', () => {
    const body = { ...minimal };
    expect(create(body)).to.equal(true);
    expect(body).to.deep.equal(minimal);
    expect(create({ ...minimal, amount: '1' })).to.equal(false);
    expect(create({ ...minimal, amuont: 1 })).to.equal(false);
  });

  it('the validators take null for absent in every optional field of a create', () => {
    const nothing = { currency: null, externalReference: null, metadata: null, locationId: null, expiresAt: null };
    const unknown = { ...patient, phone: null, email: null, externalId: null };
    expect(create({ ...minimal, ...nothing, patient: unknown })).to.equal(true);
  });

  it('the validators count characters as code points', () => {
    expect(create({ ...minimal, description: '🦷'.repeat(500) })).to.equal(true);
    expect(create({ ...minimal, description: '🦷'.repeat(501) })).to.equal(false);
  });

  it('the validators take every amount of whole cents up to the limit', () => {
    for (const amount of [0.01, 0.07, 1.1, 15.99, 1234.56, 999999.99]) {
      expect(create({ ...minimal, amount }), String(amount)).to.equal(true);
    }
    expect(create({ ...minimal, amount: 0.009 })).to.equal(false);
    expect(create({ ...minimal, amount: 1_000_000 })).to.equal(false);
  });

  it('the validators need not validate the contract’s schemas, because each of them is one of JSON Schema 2020-12', () => {
    const ajv = createAjv({ validateSchema: true });
    const schemas = schemasWithin(document);
    expect(schemas.length).to.be.above(100);
    for (const schema of schemas) expect(ajv.validateSchema(schema), JSON.stringify(schema)).to.equal(true);
    expect(ajv.validateSchema({ type: 'string', maxLength: '3' })).to.equal(false);
  });

  it('the validators refuse a schema with an unknown keyword or format', () => {
    expect(() => createAjv().compile({ type: 'string', maxLenght: 3 })).to.throw('maxLenght');
    expect(() => createAjv().compile({ type: 'string', format: 'datetime' })).to.throw('datetime');
  });
});
