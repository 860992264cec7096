import { isObject, type Json, resolve } from '../../src/contract/json-pointer.ts';

/** Members of a document that are data, and are copied unchanged. */
const DATA = new Set(['example', 'examples', 'enum', 'default', 'x-extensible-enum']);

/** Members whose own members are named by the author: `properties` may have one called `const`. */
const MAPS = new Set([
  ...['properties', 'schemas', 'responses', 'parameters', 'headers', 'content', 'paths', 'webhooks', 'mapping'],
  ...['requestBodies', 'securitySchemes'],
]);

/**
 * The contract as OpenAPI 3.0.3, for generators that know no later version. It says the same, save for what 3.0 has no
 * words for: webhooks become `x-webhooks`, and their schemas stay.
 *
 * @throws Error for a schema that it does not know how to put into the words of 3.0
 */
export function asOpenApi30(contract: Record<string, Json>): Record<string, Json> {
  const { openapi: _, info, webhooks, ...rest } = contract;
  const { summary: __, license, ...about } = Object(info);
  const { identifier: ___, ...licence } = Object(license);
  return {
    openapi: '3.0.3',
    info: { ...about, license: licence },
    ...members(contract, rest),
    'x-webhooks': members(contract, Object(webhooks)),
  };
}

/** Members whose names mean nothing: only their values are converted. */
function members(contract: Json, map: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [
      name,
      MAPS.has(name) && isObject(value) ? members(contract, value) : convert(contract, value),
    ]),
  );
}

function convert(contract: Json, node: Json): Json {
  if (Array.isArray(node)) return node.map((item) => convert(contract, item));
  if (!isObject(node)) return node;
  const copy: Record<string, Json> = {};
  for (const [key, value] of Object.entries(asSchema(contract, node))) {
    if (DATA.has(key)) copy[key] = value;
    else copy[key] = MAPS.has(key) && isObject(value) ? namedIn(contract, value) : convert(contract, value);
  }
  return copy;
}

function namedIn(contract: Json, map: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, convert(contract, value)]));
}

/** The node in the words of 3.0, one level deep. What is no schema has none of these words and stays as it is. */
function asSchema(contract: Json, node: Record<string, Json>): Record<string, Json> {
  return shownOnce(constant(nullable(contract, reference(node))));
}

/** 3.0 ignores what stands beside a reference. */
function reference({ $ref, ...beside }: Record<string, Json>): Record<string, Json> {
  if ($ref === undefined) return beside;
  return Object.keys(beside).length === 0 ? { $ref } : { ...beside, allOf: [{ $ref }] };
}

/** 3.0 takes `nullable` only beside a `type`, so that of the reference is repeated. */
function nullable(contract: Json, { type, oneOf, ...rest }: Record<string, Json>): Record<string, Json> {
  if (Array.isArray(type)) {
    const [only, ...others] = type.filter((name) => name !== 'null');
    if (others.length > 0) throw new Error(`3.0 has no type ${type.join(' or ')}`);
    return { type: only, nullable: true, ...rest };
  }
  const isNull = (schema: Json): boolean => isObject(schema) && schema.type === 'null';
  if (Array.isArray(oneOf) && oneOf.some(isNull)) {
    const [only, ...others] = oneOf.filter((schema) => !isNull(schema));
    if (others.length > 0) throw new Error('3.0 has no null beside several schemas');
    return { ...rest, type: Object(resolve(contract, only)).type, nullable: true, allOf: [only] };
  }
  return { ...(type !== undefined && { type }), ...(oneOf !== undefined && { oneOf }), ...rest };
}

function constant({ const: only, ...rest }: Record<string, Json>): Record<string, Json> {
  return only === undefined ? rest : { ...rest, enum: [only] };
}

/** A schema's list of examples; the named examples of a media type are an object, in 3.0 as well. */
function shownOnce({ examples, ...rest }: Record<string, Json>): Record<string, Json> {
  if (Array.isArray(examples)) return { ...rest, example: examples[0] };
  return examples === undefined ? rest : { ...rest, examples };
}
