import type { ParsedUrlQuery } from 'node:querystring';

/** Returns the parameters of an address that come once, except those that no field of a page can have. */
export function queryOf(query: ParsedUrlQuery): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(query).flatMap(([name, value]) =>
      typeof value === 'string' && !hasNul(value) ? [[name, value]] : [],
    ),
  );
}

/** Returns true for a text with the character NUL, which PostgreSQL refuses. Nobody can type it. */
export function hasNul(text: string): boolean {
  return text.includes('\0');
}
