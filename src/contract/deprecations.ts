import type { ContractDocument } from './document.ts';
import { isObject, type Json, resolve } from './json-pointer.ts';
import type { OperationId } from './operations-type.ts';

/** Shortest time between the mark and the end of a part, in milliseconds: a year, as the guide to versions promises. */
const SHORTEST_MS = 365 * 86_400_000;

/** A deprecated operation, parameter or field of a body. */
interface DeprecatedPart {
  since: Date;
  /** Null if the end is not known yet. */
  sunset: Date | null;
  isUsed: (request: UsedParts) => boolean;
}

/** The parts of a request that it may use or leave out. */
interface UsedParts {
  query: Readonly<Record<string, Json>>;
  body: Json;
}

/** Returns the headers that announce the end of what a request uses; none for most requests. */
export type DeprecationHeaders = (operationId: OperationId, request: UsedParts) => Readonly<Record<string, string>>;

/**
 * Finds all operations, query parameters and fields of bodies that a contract calls deprecated. `x-deprecated-since` has the
 * day of the mark, and `x-sunset` the day of the end.
 *
 * @throws Error for a mark without a day, and for an end within a year
 */
export function deprecationHeaders(document: ContractDocument, publicUrl: string): DeprecationHeaders {
  const parts = new Map<string, DeprecatedPart[]>();
  for (const operation of Object.values(document.paths ?? {}).flatMap((item) => Object.values(item ?? {}))) {
    if (!isObject(operation)) continue;
    const { operationId, parameters, requestBody } = operation;
    const named = Array.isArray(parameters) ? parameters.map((one) => Object(resolve(document, one))) : [];
    const { content } = Object(resolve(document, requestBody));
    const found = [
      ...partOf(operation, () => true),
      ...named.flatMap((one) => partOf(one, ({ query }) => one.in === 'query' && one.name in query)),
      ...fieldsOf(document, Object(Object(content)['application/json']).schema, ({ body }) => body),
    ];
    if (found.length > 0) parts.set(`${operationId}`, found);
  }
  return (operationId, request) => {
    const used = parts.get(operationId)?.filter(({ isUsed }) => isUsed(request)) ?? [];
    return used.length === 0 ? {} : headersOf(used, publicUrl);
  };
}

/** Returns the deprecated fields of a body. `valueIn` gets the value of the schema from a request. */
function fieldsOf(document: ContractDocument, schema: Json, valueIn: (request: UsedParts) => Json): DeprecatedPart[] {
  return Object.entries(Object(Object(resolve(document, schema)).properties)).flatMap(([name, property]) => {
    const fieldIn = (request: UsedParts): Json => Object(valueIn(request))[name];
    const isUsed = (request: UsedParts) => fieldIn(request) !== undefined;
    return [...partOf(Object(resolve(document, property)), isUsed), ...fieldsOf(document, property, fieldIn)];
  });
}

function partOf(
  { deprecated, 'x-deprecated-since': since, 'x-sunset': end }: Record<string, Json>,
  isUsed: DeprecatedPart['isUsed'],
): DeprecatedPart[] {
  if (deprecated !== true) return [];
  const part = { since: new Date(`${since}`), sunset: end === undefined ? null : new Date(`${end}`), isUsed };
  const mayEnd = part.sunset === null || part.sunset.getTime() - part.since.getTime() >= SHORTEST_MS;
  if (Number.isNaN(part.since.getTime()) || !mayEnd) {
    throw new Error(`a deprecated part must have x-deprecated-since, and an x-sunset a year later or none, not ${end}`);
  }
  return [part];
}

/** Returns the earliest times of several parts, as RFC 9745 and RFC 8594 write them, and the way to the rules. */
function headersOf(parts: readonly DeprecatedPart[], publicUrl: string): Record<string, string> {
  const earliest = (times: readonly Date[]) => new Date(Math.min(...times.map((time) => time.getTime())));
  const ends = parts.flatMap(({ sunset }) => sunset ?? []);
  return {
    Deprecation: `@${earliest(parts.map(({ since }) => since)).getTime() / 1_000}`,
    ...(ends.length === 0 ? {} : { Sunset: earliest(ends).toUTCString() }),
    Link: `<${publicUrl}/docs/versioning#deprecation>; rel="deprecation"; type="text/html"`,
  };
}
