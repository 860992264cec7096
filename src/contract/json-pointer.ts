/** A value read from a JSON document, of which nothing is known yet. */
export type Json = unknown;

/** Whether the value is an object, arrays and null excepted. */
export function isObject(value: Json): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The pointer to a member below the one at `pointer` (`#` is the document): `below('#', 'paths', '/api/v1/locations')`
 * is `#/paths/~1api~1v1~1locations`. Segments are escaped for JSON Pointer and for URI fragments.
 */
export function below(pointer: string, ...segments: readonly string[]): string {
  const escaped = segments.map((segment) => encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1')));
  return [pointer, ...escaped].join('/');
}

/** What is at a pointer made by `below` or found in a `$ref`; undefined if nothing is. */
export function valueAt(document: Json, pointer: string): Json {
  return segmentsOf(pointer).reduce<Json>(
    (value, segment) => (isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined),
    document,
  );
}

/** The members of the object at a pointer; none if there is no object. */
export function membersAt(document: Json, pointer: string): Record<string, Json> {
  const value = valueAt(document, pointer);
  return isObject(value) ? value : {};
}

/** The value itself, or what its `$ref` points to. Throws if that is nothing: such a document is broken. */
export function resolve(document: Json, value: Json): Json {
  if (!isObject(value) || typeof value.$ref !== 'string') return value;
  const target = valueAt(document, value.$ref);
  if (target === undefined) throw new Error(`${value.$ref} points to nothing`);
  return resolve(document, target);
}

/** The pointer to what is at a pointer, after its `$ref` if it has one. */
export function resolvePointer(document: Json, pointer: string): string {
  const value = valueAt(document, pointer);
  return isObject(value) && typeof value.$ref === 'string' ? resolvePointer(document, value.$ref) : pointer;
}

function segmentsOf(pointer: string): string[] {
  if (!pointer.startsWith('#/')) throw new Error(`${pointer} is not a reference within the document`);
  return pointer
    .slice(2)
    .split('/')
    .map((segment) => decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~'));
}
