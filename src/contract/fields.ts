import type { OpenAPIV3_1 } from 'openapi-types';
import { document } from './document.ts';
import { isObject, type Json, resolve } from './json-pointer.ts';

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

/** Personal data of patients. */
export const personalFields: ReadonlySet<string> = fieldsMarked('x-personal');

/** All fields that the logger redacts. */
export const sensitiveFields: ReadonlySet<string> = new Set([...fieldsMarked('x-secret'), ...personalFields]);

/**
 * Returns the names of all properties whose schema, or the target of its `$ref`, has the mark. The logger redacts by name,
 * because a log line shows fields without their schemas.
 */
export function fieldsMarked(mark: string): ReadonlySet<string> {
  const names = new Set<string>();
  const walk = (node: Json): void => {
    if (Array.isArray(node)) node.forEach(walk);
    if (!isObject(node)) return;
    if (isObject(node.properties)) {
      for (const [name, schema] of Object.entries(node.properties)) {
        const target = resolve(document, schema);
        if (isObject(target) && target[mark] === true) names.add(name);
      }
    }
    Object.values(node).forEach(walk);
  };
  walk(document.components?.schemas);
  return names;
}
