import type { ErrorObject } from 'ajv';
import MiniSearch from 'minisearch';
import { isObject, type Json } from '../../contract/json-pointer.ts';
import { findEmailFault } from '../../platform/base/email.ts';
import { codePoints } from '../../platform/base/text.ts';

/* Sentences for the faults that ajv reports. They never repeat a value of the caller, because it may be about a patient. */

/** Longest message, name in a message, and list of known names in a message, in code points. */
export const MAX_MESSAGE_LENGTH = 300;
const MAX_NAME_LENGTH = 60;
const MAX_LIST_LENGTH = 180;

type Schema = Record<string, Json>;

/** Returns the rest of a sentence that begins with the field. */
type Sentence = (schema: Schema, data: unknown, params: ErrorObject['params']) => string;

/** Expectations for the patterns of request fields. A test compares these with the contract. */
const PATTERNS: Record<string, string> = {
  '^[^\\x00-\\x1f\\x7f]*$': 'must be one line without control characters',
  '^[a-z][a-z0-9_]{0,99}$': 'must be a word in snake_case of up to 100 characters, such as product_not_received',
  '^usd$': 'must be usd',
};

const FORMATS: Record<string, string | ((text: string) => string)> = {
  'date-time': 'must be a time with a zone, such as 2026-11-20T15:04:05Z',
  double: 'must be a number',
  email: (text) => findEmailFault(text) ?? 'must be an email address, such as ada.moreno@example.com',
  int32: 'must be a whole number of at most 32 bits',
  uri: expectedOfUrl,
};

/** A sentence for each keyword that can fail in a request. A test compares these with the contract. */
const SENTENCES: Record<string, Sentence> = {
  enum: (_schema, _data, { allowedValues }) =>
    allowedValues.length === 1 ? `must be ${allowedValues[0]}` : `must be one of ${allowedValues.join(', ')}`,
  format: (_schema, data, params) => {
    const expectation = FORMATS[params.format] ?? 'has a wrong format';
    return typeof expectation === 'string' ? expectation : expectation(String(data));
  },
  maximum: range,
  minimum: range,
  maxItems: ({ maxItems }, data) => `must have at most ${maxItems} items; it has ${Array.isArray(data) && data.length}`,
  maxLength: ({ maxLength }, data) =>
    `must have at most ${maxLength} characters; it has ${codePoints(typeof data === 'string' ? data : '')}`,
  maxProperties: ({ maxProperties }, data) =>
    `must have at most ${maxProperties} keys; it has ${Object.keys(isObject(data) ? data : {}).length}`,
  minLength: ({ minLength }) => (minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`),
  pattern: (_schema, _data, params) => PATTERNS[params.pattern] ?? 'has a wrong form',
  required: () => 'is required',
  type: (_schema, data, params) =>
    `must be ${[params.type].flat().map(typeName).join(' or ')}, not ${describeType(data)}`,
  uniqueItems: (_schema, _data, params) => `must have each item once; items ${params.i} and ${params.j} are equal`,
};

/** Keywords, patterns and formats that have a sentence, for the test that walks the contract. */
export const covered = {
  keywords: [...Object.keys(SENTENCES), 'additionalProperties'],
  patterns: Object.keys(PATTERNS),
  formats: Object.keys(FORMATS),
};

/** Returns the message for a fault of ajv with `verbose`. `field` is its dotted name; undefined if it cannot be printed. */
export function faultMessage({ keyword, parentSchema, data, params }: ErrorObject, field?: string): string {
  return fieldMessage(field, `${SENTENCES[keyword]?.(parentSchema ?? {}, data, params) ?? 'is invalid'}.`);
}

/** Returns the message for a name that is not known, with a similar known name or else all of them. */
export function unknownNameMessage(name: string | undefined, knownNames: readonly string[]): string {
  if (knownNames.length === 0) return fieldMessage(name, 'is not known; this operation has no such names.');
  const suggestion = name === undefined ? null : suggestName(name.split('.').at(-1) ?? '', knownNames);
  if (suggestion !== null) return fieldMessage(name, `is not known; did you mean ${suggestion}?`);
  const list = knownNames.join(', ');
  return fieldMessage(
    name,
    list.length > MAX_LIST_LENGTH ? 'is not known.' : `is not known; the known names are ${list}.`,
  );
}

/** Returns a message about a field: its name, shortened, and the rest of the sentence. */
export function fieldMessage(field: string | undefined, rest: string): string {
  const name = field === undefined ? 'A name in the request' : shorten(field, MAX_NAME_LENGTH);
  return shorten(`${name} ${rest}`, MAX_MESSAGE_LENGTH);
}

/** Returns what a text that is no URI breaks. */
function expectedOfUrl(text: string): string {
  if (/[^\0-\x7f]/.test(text)) {
    return 'must be ASCII: write the host in Punycode (xn--…), and all other such characters as %-escapes of UTF-8, such as %C3%A9';
  }
  if (/[\0-\x20\x7f\\]/.test(text)) return 'must not contain white space, control characters or backslashes';
  if (/["<>^`{|}]/.test(text)) return 'must have %-escapes instead of " < > ^ ` { | }, such as %7B for {';
  if (/%(?![0-9a-f]{2})/i.test(text)) return 'must have two hexadecimal digits after each %';
  return 'must be an absolute URL, such as https://example.com/webhooks';
}

function range({ minimum, maximum }: Schema): string {
  if (minimum === undefined) return `must be at most ${maximum}`;
  return maximum === undefined ? `must be at least ${minimum}` : `must be from ${minimum} to ${maximum}`;
}

function typeName(type: string): string {
  if (type === 'null') return type;
  if (type === 'integer') return 'a whole number';
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isFinite(value) ? 'a number' : 'a number of this size';
  return typeName(typeof value);
}

function shorten(text: string, length: number): string {
  return codePoints(text) <= length ? text : `${[...text].slice(0, length - 1).join('')}…`;
}

/** Returns the known name that the caller probably meant, or null. Names may be dotted: `email` suggests `patient.email`. */
export function suggestName(name: string, knownNames: readonly string[]): string | null {
  const letters = readLetters(name);
  // Longer names are never meant, and would make the search expensive.
  if (letters.length > 2 * Math.max(...knownNames.map((name) => name.length))) return null;
  const index = new MiniSearch({ idField: 'name', fields: ['letters'], tokenize: (text) => [text] });
  index.addAll(knownNames.map((name) => ({ name, letters: readLetters(name.split('.').at(-1) ?? '') })));
  const fuzzy = Math.max(1, Math.round(letters.length / 3));
  const [nearest] = index.search(letters, { prefix: letters.length > 2, fuzzy });
  return nearest?.id ?? null;
}

function readLetters(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}
