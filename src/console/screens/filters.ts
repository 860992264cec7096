/** Returns texts of an address or form by their names. A text that is missing is empty. */
export function textsNamed<Name extends string>(
  values: ReadonlyMap<string, string>,
  names: readonly Name[],
): Record<Name, string> {
  // Every name has an entry.
  return Object.fromEntries(names.map((name) => [name, values.get(name) ?? ''])) as Record<Name, string>;
}

/** Returns what a person typed into the fields of these names, without blanks around it. */
export function typedTexts<Name extends string>(
  values: ReadonlyMap<string, string>,
  names: readonly Name[],
): Record<Name, string> {
  return textsNamed(new Map([...values].map(([name, text]) => [name, text.trim()])), names);
}

export function isFiltered(input: Readonly<Record<string, string>>): boolean {
  return Object.values(input).some((text) => text !== '');
}

export function pathWith(path: string, parameters: Readonly<Record<string, string>>): string {
  const given = Object.entries(parameters).filter(([, text]) => text !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
