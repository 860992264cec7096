import { ApiError } from '../../base/errors.ts';
import { isCleanText } from '../../base/text.ts';

/** Name and format of a query parameter in the contract. */
export interface QueryParameter {
  name: string;
  isInteger: boolean;
  isTimestamp: boolean;
}

/** Matches decimal digits without sign, blank or leading zero. A coercing validator would accept more. */
const INTEGER = /^(0|[1-9]\d{0,14})$/;

/**
 * Matches timestamps as SDKs write them: a blank instead of the `T`, a blank before the zone, `UTC`, and an offset without
 * its colon. A `+` that was not percent-encoded arrives as a blank.
 */
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?) ?(?:(Z|UTC)|([ +-])(\d\d):?(\d\d))$/;

/** Longest name of an unknown parameter that an error repeats. */
const MAX_ECHO = 100;

/**
 * Reads the query string of an operation: integers as numbers, timestamps in the contract's format, all other values as
 * text. The contract's schemas check the values afterwards.
 *
 * @throws ApiError `unknown_parameter`, or `validation_error` for repeated, badly encoded or ill-typed parameters
 */
export function readQuery(queryString: string, parameters: readonly QueryParameter[]): Record<string, string | number> {
  const query: Record<string, string | number> = {};
  for (const pair of queryString.split('&')) {
    if (pair === '') continue;
    const [rawName = '', ...rawValue] = pair.split('=');
    const name = decode(rawName);
    const parameter = parameters.find((candidate) => candidate.name === name);
    if (parameter === undefined) throw new ApiError('unknown_parameter', { param: printable(name) });
    if (Object.hasOwn(query, parameter.name)) throw invalid(parameter.name, `${name} may be given once.`);
    query[parameter.name] = typed(parameter, decode(rawValue.join('=')));
  }
  return query;
}

function typed({ name, isInteger, isTimestamp }: QueryParameter, text: string | null): string | number {
  if (text === null) throw invalid(name, `${name} is not percent-encoded UTF-8.`);
  if (!isCleanText(text, false)) throw invalid(name, `${name} contains control characters.`);
  if (isTimestamp) return timestamp(text);
  if (!isInteger) return text;
  if (!INTEGER.test(text)) throw invalid(name, `${name} must be a whole number.`);
  return Number(text);
}

/** Returns a timestamp in the contract's format. Other text is returned unchanged, and the schema refuses it. */
function timestamp(text: string): string {
  const [, date, time, zulu, sign, hours, minutes] = TIMESTAMP.exec(text) ?? [];
  if (date === undefined) return text;
  return `${date}T${time}${zulu === undefined ? `${sign === '-' ? '-' : '+'}${hours}:${minutes}` : 'Z'}`;
}

/** Decodes percent-encoded UTF-8; null if the text is not encoded so. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

function printable(name: string | null): string | undefined {
  return name !== null && name !== '' && isCleanText(name, false) ? [...name].slice(0, MAX_ECHO).join('') : undefined;
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('validation_error', { param, message });
}
