import type { ErrorObject } from 'ajv';
import { document } from '../../contract/document.ts';
import { fieldsMarked } from '../../contract/fields.ts';
import { isObject, type Json, resolve } from '../../contract/json-pointer.ts';
import { schemaCompiler } from '../../contract/validators.ts';
import { ApiError } from '../../platform/base/errors.ts';
import { findUnfit, unfitMessage } from '../../platform/base/text.ts';
import type { JsonFault } from './json-fault.ts';
import { faultMessage, fieldMessage, unknownNameMessage } from './messages.ts';

/** Fields that may contain tabs and line breaks, also in objects with keys of the client's own. */
const MULTILINE = fieldsMarked('x-multiline');

/** Fields whose parser drops marks of direction, which programs put around telephone numbers. */
const TELEPHONES: readonly string[] = ['patient.phone'];

/**
 * Returns the API error for the first fault of the body, or else of the query, that a validator reported. The validator must
 * run with `verbose`. Unknown names precede missing ones, because a missing name is often a misspelt one.
 */
export function validationError(errors: readonly ErrorObject[]): ApiError {
  const error = errors.find(isBelow('/requestBody')) ?? errors.find(isBelow('/query')) ?? errors.find(isBodyMissing);
  if (error === undefined) return new ApiError('validation_error');
  if (isBodyMissing(error)) return new ApiError('validation_error', { message: 'This operation needs a JSON body.' });
  const { keyword, instancePath, parentSchema, data } = error;
  const path = parsePath(instancePath);
  if (keyword === 'required' || keyword === 'additionalProperties') {
    const unknownName = firstUnknown(parentSchema, data);
    if (unknownName !== null) return unknownParameter([...path, ...unknownName.path], unknownName.known);
  }
  if (keyword === 'required') path.push(String(error.params.missingProperty));
  const param = printableName(path.join('.'));
  return new ApiError('validation_error', {
    param,
    message: path.length === 0 ? faultMessage(error, 'The body') : faultMessage(error, param),
  });
}

export function jsonFaultError({ kind, path }: JsonFault): ApiError {
  const param = printableName(path.join('.'));
  const rest =
    kind === 'repeated' ? 'occurs more than once in its object.' : 'has too many digits; amounts have two decimals.';
  return invalidField(param, rest);
}

/** Returns the error for a field. `rest` is the message without the name at its beginning. */
export function invalidField(param: string | undefined, rest: string): ApiError {
  return new ApiError('validation_error', { param, message: fieldMessage(param, rest) });
}

const compile = schemaCompiler(document, { verbose: true });

/** Validates a body of the command line against a schema of the contract. @throws ApiError `validation_error` or `unknown_parameter` */
export function requireValidBody<T>(schema: string, body: unknown): T {
  const validate = compile<T>(`#/components/schemas/${schema}`);
  if (!validate(body)) {
    const errors = (validate.errors ?? []).map((error) => ({
      ...error,
      instancePath: `/requestBody${error.instancePath}`,
    }));
    throw validationError(errors);
  }
  requireCleanText(body);
  return body;
}

/** Refuses any property in the body of an operation without a described body. An empty object is accepted. */
export function requireNoProperties(body: object = {}): void {
  const [name] = Object.keys(body);
  if (name !== undefined) throw unknownParameter([name], []);
}

/** Refuses control characters, lone surrogates and marks of direction in any string of a validated body, its keys included. */
export function requireCleanText(value: unknown, path = ''): void {
  const isMultiline = path.split('.').some((name) => MULTILINE.has(name));
  const fault = typeof value === 'string' ? findUnfit(value, isMultiline) : null;
  const isDropped = fault?.kind === 'direction mark' && TELEPHONES.includes(path);
  if (fault !== null && !isDropped) throw invalidField(path, `${unfitMessage(fault)}.`);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const keyFault = findUnfit(key);
    if (keyFault !== null) throw invalidField(path, `has a key that ${unfitMessage(keyFault)}.`);
    requireCleanText(member, path === '' ? key : `${path}.${key}`);
  }
}

function isBelow(root: string): (error: ErrorObject) => boolean {
  return ({ instancePath }) => instancePath === root || instancePath.startsWith(`${root}/`);
}

function isBodyMissing({ instancePath, keyword, params }: ErrorObject): boolean {
  return instancePath === '' && keyword === 'required' && params.missingProperty === 'requestBody';
}

/** Returns the error for an unknown name at the end of `path`. `known` has the dotted names that may stand there. */
export function unknownParameter(path: readonly string[], knownNames: readonly string[]): ApiError {
  const param = printableName(path.join('.'));
  const knownPaths = knownNames.map((name) => [...path.slice(0, -1), name].join('.'));
  return new ApiError('unknown_parameter', { param, message: unknownNameMessage(param, knownPaths) });
}

/** Returns the names below the root of an instance path: `/requestBody/patient` gives `patient`. */
function parsePath(instancePath: string): string[] {
  const segments = instancePath.split('/').slice(2);
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns the path of the first unknown name in an object, and the dotted names that may stand there. Null if all names are known. */
function firstUnknown(schema: Json, data: unknown): { path: string[]; known: string[] } | null {
  if (!isObject(schema) || schema.additionalProperties !== false || !isObject(data)) return null;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const names = Object.keys(data);
  const unknownName = names.find((name) => !Object.hasOwn(properties, name));
  if (unknownName !== undefined) return { path: [unknownName], known: knownNames(schema) };
  for (const name of names) {
    const inner = firstUnknown(resolve(document, properties[name]), data[name]);
    if (inner !== null) return { ...inner, path: [name, ...inner.path] };
  }
  return null;
}

/** Returns the properties of an object, then the dotted ones of objects within it. */
function knownNames(schema: Json): string[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const properties = Object.entries(schema.properties);
  const nested = properties.flatMap(([name, inner]) =>
    knownNames(resolve(document, inner)).map((innerName) => `${name}.${innerName}`),
  );
  return [...properties.map(([name]) => name), ...nested];
}

/** Returns a name as error messages repeat it; undefined for a name that is empty or has control characters. */
function printableName(param: string): string | undefined {
  return param === '' || findUnfit(param) !== null ? undefined : [...param].slice(0, 200).join('');
}
