/** A value of a file in YAML or JSON. */
export type Value = null | boolean | number | string | Value[] | { [name: string]: Value };

/** Copies a value with one place changed, for each place in it: `replace` returns `undefined` to leave a place. */
export function* changedCopies(
  value: Value,
  replace: (at: Value, path: string) => Value | undefined,
  path = '',
): Generator<[string, Value]> {
  const here = replace(value, path);
  if (here !== undefined) yield [path, here];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    for (const [at, copy] of changedCopies(inner, replace, `${path}/${name}`)) {
      yield [at, Array.isArray(value) ? value.with(Number(name), copy) : { ...value, [name]: copy }];
    }
  }
}

/** Adds a property that no schema knows. Its value is no text either, as values of labels are. */
export function withUnknown(value: Value): Value | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { ...value, unknownProperty: { unknownProperty: true } }
    : undefined;
}

/** Replaces a text, number or boolean by what no schema takes in its place. */
export function withWrongType(value: Value): Value | undefined {
  return typeof value === 'object' ? undefined : { unknownProperty: { unknownProperty: true } };
}
