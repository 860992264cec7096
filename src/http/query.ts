import { ApiError } from '../base/errors.ts';
import { isCleanText } from '../base/text.ts';

/** A query parameter of the contract, as far as its text is concerned. */
export interface QueryParameter {
  name: string;
  isInteger: boolean;
}

/** Decimal digits without sign, blank or leading zero; what a coercing validator would take beyond that is refused. */
const INTEGER = /^(0|[1-9]\d{0,14})$/;

/** Longest name of an unknown parameter that is repeated in the refusal. */
const MAX_ECHO = 100;

/**
 * Reads a query string against the parameters of an operation: integers as numbers, everything else as text. The
 * contract's schemas judge the values afterwards.
 *
 * @throws ApiError `unknown_parameter`, or `validation_error` for repeated, badly encoded or ill-typed ones
 */
export function readQuery(queryString: string, parameters: readonly QueryParameter[]): Record<string, string | number> {
  const query: Record<string, string | number> = {};
  for (const pair of queryString.split('&')) {
    if (pair === '') continue;
    const [rawName = '', ...rawValue] = pair.split('=');
    const name = decode(rawName, null);
    const parameter = parameters.find((candidate) => candidate.name === name);
    if (parameter === undefined) throw new ApiError('unknown_parameter', { param: printable(name) });
    if (Object.hasOwn(query, name)) throw invalid(name, `${name} may be given once.`);
    query[name] = typed(parameter, decode(rawValue.join('='), name));
  }
  return query;
}

function typed({ name, isInteger }: QueryParameter, text: string): string | number {
  if (!isCleanText(text, false)) throw invalid(name, `${name} contains control characters.`);
  if (!isInteger) return text;
  if (!INTEGER.test(text)) throw invalid(name, `${name} must be a whole number.`);
  return Number(text);
}

function decode(text: string, param: string | null): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ApiError('validation_error', {
      param: param ?? undefined,
      message: 'The query is not percent-encoded UTF-8.',
    });
  }
}

function printable(name: string): string {
  return isCleanText(name, false) ? [...name].slice(0, MAX_ECHO).join('') : '';
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('validation_error', { param, message });
}
