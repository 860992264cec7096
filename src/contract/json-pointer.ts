/** An unchecked value of a JSON document. */
export type Json = unknown;

export function isObject(value: Json): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the pointer to a member below `pointer` (`#` is the document): `pointerBelow('#', 'paths', '/api/v1/locations')`
 * returns `#/paths/~1api~1v1~1locations`. Segments are escaped for JSON Pointer and for URI fragments.
 */
export function pointerBelow(pointer: string, ...segments: readonly string[]): string {
  const escaped = segments.map((segment) => encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1')));
  return [pointer, ...escaped].join('/');
}

/** Returns the value at a pointer from `pointerBelow` or from a `$ref`; undefined if there is none. */
export function valueAt(document: Json, pointer: string): Json {
  return parsePointer(pointer).reduce<Json>(
    (value, segment) => (isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined),
    document,
  );
}

/** Returns an empty object if there is no object at the pointer. */
export function membersAt(document: Json, pointer: string): Record<string, Json> {
  const value = valueAt(document, pointer);
  return isObject(value) ? value : {};
}

/** Returns the value itself, or the target of its `$ref`. @throws Error if the target does not exist */
export function resolve(document: Json, value: Json): Json {
  if (!isObject(value) || typeof value.$ref !== 'string') return value;
  const target = valueAt(document, value.$ref);
  if (target === undefined) throw new Error(`${value.$ref} points to nothing`);
  return resolve(document, target);
}

function parsePointer(pointer: string): string[] {
  if (!pointer.startsWith('#/')) throw new Error(`${pointer} is not a reference within the document`);
  return pointer
    .slice(2)
    .split('/')
    .map((segment) => decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~'));
}
