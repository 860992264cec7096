import { isObject, type Json, resolve } from '../../src/contract/json-pointer.ts';

/** Members of a document that are data or lists of names, and contain no schemas. */
const NO_SCHEMAS = new Set(['example', 'examples', 'enum', 'const', 'default', 'required']);

/**
 * A copy of the contract whose schemas forbid properties that they do not name. The contract leaves responses open,
 * because clients must expect more. But an undocumented property that we send is a fault, and could be a leak.
 * Properties are forbidden where a schema is used, not where it is defined, so that `allOf` can still add to it.
 */
export function closedDocument(document: Json): Record<string, Json> {
  const closed = close(document, document, false);
  if (!isObject(closed)) throw new Error('the contract is not an object');
  return closed;
}

function close(document: Json, node: Json, partOfAllOf: boolean): Json {
  if (Array.isArray(node)) return node.map((item) => close(document, item, partOfAllOf));
  if (!isObject(node)) return node;
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      NO_SCHEMAS.has(key) ? value : close(document, value, key === 'allOf'),
    ]),
  );
  return !partOfAllOf && describesObject(document, node) ? { ...copy, unevaluatedProperties: false } : copy;
}

/**
 * Returns true if the node uses an object schema, by reference or in place. The root of a component does not count:
 * closing it would also close it for `allOf`. Its references count.
 */
function describesObject(document: Json, node: Record<string, Json>): boolean {
  if (typeof node.$ref === 'string') {
    if (!node.$ref.startsWith('#/components/schemas/')) return false;
    const target = resolve(document, node);
    return isObject(target) && (isObject(target.properties) || Array.isArray(target.allOf));
  }
  return node.type === 'object' && isObject(node.properties) && !isComponent(document, node);
}

function isComponent(document: Json, node: Json): boolean {
  const schemas = resolve(document, { $ref: '#/components/schemas' });
  return isObject(schemas) && Object.values(schemas).includes(node);
}
