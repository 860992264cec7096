import type { OpenAPIV3_1 } from 'openapi-types';
import { document } from './document.ts';
import { resolve } from './json-pointer.ts';

type Schema = OpenAPIV3_1.SchemaObject & { 'x-multiline'?: boolean };

export interface ContractField {
  /** Such as `amount`, or `patient.phone` in an object. */
  path: string;
  isRequired: boolean;
  schema: Schema;
}

/** Returns the fields of a schema, in the order of the contract. An object within it is no field, but has fields. */
export function listFields(schema: string): ContractField[] {
  return fieldsIn({ $ref: `#/components/schemas/${schema}` }, '', true);
}

function fieldsIn(reference: object, path: string, isRequired: boolean): ContractField[] {
  // The linter checks that a reference within schemas leads to a schema.
  const schema = resolve(document, reference) as Schema;
  if (schema.properties === undefined) return [{ path, isRequired, schema }];
  const { properties, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, property]) =>
    fieldsIn(property, path === '' ? name : `${path}.${name}`, required.includes(name)),
  );
}
