import { findUnfit, unfitMessage } from '../../platform/base/text.ts';
import { invalidField, unknownParameter } from './validation.ts';

export interface QueryParameter {
  name: string;
  isInteger: boolean;
}

/** Matches decimal digits without sign, blank or leading zero. A coercing validator would accept more. */
const INTEGER = /^(0|[1-9]\d{0,14})$/;

/** Reads integers as numbers, all other values as text. @throws ApiError `unknown_parameter`, `validation_error` */
export function readQuery(queryString: string, parameters: readonly QueryParameter[]): Record<string, string | number> {
  const query: Record<string, string | number> = {};
  for (const pair of queryString.split('&')) {
    if (pair === '') continue;
    const [rawName = '', ...rawValue] = pair.split('=');
    const name = decode(rawName);
    const parameter = parameters.find((candidate) => candidate.name === name);
    if (parameter === undefined)
      throw unknownParameter(
        [name ?? ''],
        parameters.map(({ name }) => name),
      );
    if (Object.hasOwn(query, parameter.name)) throw invalidField(parameter.name, 'may be given once.');
    query[parameter.name] = parseValue(parameter, decode(rawValue.join('=')));
  }
  return query;
}

function parseValue({ name, isInteger }: QueryParameter, text: string | null): string | number {
  if (text === null) throw invalidField(name, 'must be percent-encoded UTF-8.');
  const fault = findUnfit(text);
  if (fault !== null) throw invalidField(name, `${unfitMessage(fault)}.`);
  if (!isInteger) return text;
  if (!INTEGER.test(text)) throw invalidField(name, 'must be a whole number in digits, such as 1.');
  return Number(text);
}

function decode(text: string): string | null {
  return decodePercent(text.replaceAll('+', ' '));
}

/** Decodes percent-encoded UTF-8; null if the text is not encoded so. */
export function decodePercent(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
