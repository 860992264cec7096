import type { ParsedUrlQuery } from 'node:querystring';

/**
 * Returns the parameters of an address that come once. The character NUL becomes the sign for unreadable bytes, so that the
 * value finds nothing. Without the parameter, a filter would find everything.
 */
export function queryOf(query: ParsedUrlQuery): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(query).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value.replaceAll('\0', '\ufffd')]] : [],
    ),
  );
}
