import { createHash } from 'node:crypto';

/** Time for which a reply is stored: 24 hours. */
export const REMEMBERED_MS = 86_400_000;

/** Returns the SHA-256 of a JSON value. The order of keys and white space do not matter. */
export function bodyHash(body: unknown): Buffer {
  return createHash('sha256').update(canonicalJson(body)).digest();
}

/** Returns JSON with its names in order, so that texts of the same values are equal. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}
