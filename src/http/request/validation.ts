import type { ErrorObject } from 'ajv';
import { ApiError } from '../../base/errors.ts';
import { isCleanText } from '../../base/text.ts';
import { document } from '../../contract/document.ts';
import { schemaCompiler } from '../../contract/validators.ts';

/** Fields that may contain tabs and line breaks. */
const MULTILINE = /^(description|metadata\.)/;

/** Returns the API error for the first fault of the body, or else of the query, that a validator reported. */
export function validationError(errors: readonly ErrorObject[]): ApiError {
  const error = errors.find(concerns('/requestBody')) ?? errors.find(concerns('/query')) ?? errors.find(isBodyMissing);
  if (error === undefined) return new ApiError('validation_error');
  const param = paramOf(error);
  if (error.keyword === 'additionalProperties') return new ApiError('unknown_parameter', { param });
  if (isBodyMissing(error)) return new ApiError('validation_error', { message: 'This operation needs a JSON body.' });
  const fault = error.message ?? 'is invalid';
  return new ApiError('validation_error', { param, message: `${param ?? 'The request'} ${fault}.` });
}

const compile = schemaCompiler(document);

/**
 * Validates a body that did not come by HTTP, such as one from the command line, against a schema of the contract.
 *
 * @param schema name of the schema, e.g. `CreatePaymentLinkRequest`
 * @throws ApiError `validation_error` or `unknown_parameter`
 */
export function requireValidBody(schema: string, body: object): void {
  const validate = compile(`#/components/schemas/${schema}`);
  if (!validate(body)) {
    const errors = (validate.errors ?? []).map((error) => ({
      ...error,
      instancePath: `/requestBody${error.instancePath}`,
    }));
    throw validationError(errors);
  }
  requireCleanText(body);
}

/** Refuses any property in the body of an operation without a described body. An empty object is accepted. */
export function requireNoProperties(body: object = {}): void {
  const [param] = Object.keys(body);
  if (param !== undefined) throw new ApiError('unknown_parameter', { param: printable(param) });
}

/** Refuses control characters and lone surrogates in any string of a validated body, its keys included. */
export function requireCleanText(value: unknown, path = ''): void {
  if (typeof value === 'string' && !isCleanText(value, MULTILINE.test(path))) {
    throw new ApiError('validation_error', {
      param: path,
      message: `${path} contains characters that are not allowed.`,
    });
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (!isCleanText(key, false)) {
      throw new ApiError('validation_error', {
        param: path,
        message: `${path} has a key with characters that are not allowed.`,
      });
    }
    requireCleanText(member, path === '' ? key : `${path}.${key}`);
  }
}

function concerns(root: string): (error: ErrorObject) => boolean {
  return ({ instancePath }) => instancePath === root || instancePath.startsWith(`${root}/`);
}

function isBodyMissing({ instancePath, keyword, params }: ErrorObject): boolean {
  return instancePath === '' && keyword === 'required' && params.missingProperty === 'requestBody';
}

/** Returns the dotted name of the faulty field: `/requestBody/patient` without `firstName` gives `patient.firstName`. */
function paramOf({ instancePath, keyword, params }: ErrorObject): string | undefined {
  const segments = instancePath
    .split('/')
    .slice(2)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword === 'required') segments.push(String(params.missingProperty));
  if (keyword === 'additionalProperties') segments.push(String(params.additionalProperty));
  return printable(segments.join('.'));
}

/** Returns a name as error messages repeat it; undefined for a name that is empty or has control characters. */
function printable(param: string): string | undefined {
  return param === '' || !isCleanText(param, false) ? undefined : [...param].slice(0, 200).join('');
}
