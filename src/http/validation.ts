import type { ErrorObject } from 'ajv';
import { ApiError } from '../base/errors.ts';
import { isCleanText } from '../base/text.ts';
import { document } from '../contract/document.ts';
import { schemaCompiler } from '../contract/validators.ts';

/** Fields in which people write more than a line: tab and line breaks are welcome there. */
const MULTILINE = /^(description|metadata\.)/;

/**
 * The refusal that the contract's validators call for: the first fault of the body, else of the query. Header faults
 * are left to whoever reads the header, since they come later in the order of checks.
 */
export function validationError(errors: readonly ErrorObject[]): ApiError | null {
  const error = errors.find(concerns('/requestBody')) ?? errors.find(concerns('/query')) ?? errors.find(isBodyMissing);
  if (error === undefined) return null;
  const param = paramOf(error);
  if (error.keyword === 'additionalProperties') return new ApiError('unknown_parameter', { param });
  if (isBodyMissing(error)) return new ApiError('validation_error', { message: 'This operation needs a JSON body.' });
  const what = error.message ?? 'is invalid';
  return new ApiError('validation_error', { param, message: `${param ?? 'The request'} ${what}.` });
}

const compile = schemaCompiler(document);

/**
 * Holds a body that came by another way than HTTP, such as the command line, to a schema of the contract.
 *
 * @param schema its name, e.g. `CreatePaymentLinkRequest`
 * @throws ApiError `validation_error` or `unknown_parameter`
 */
export function requireValidBody(schema: string, body: object): void {
  const validate = compile(`#/components/schemas/${schema}`);
  if (!validate(body)) {
    const errors = (validate.errors ?? []).map((error) => ({
      ...error,
      instancePath: `/requestBody${error.instancePath}`,
    }));
    throw validationError(errors) ?? new ApiError('validation_error');
  }
  requireCleanText(body);
}

/** Refuses the properties of a body that an operation does not describe; an empty object is as good as none. */
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

/** `/requestBody/patient` and a missing `firstName` make `patient.firstName`. */
function paramOf({ instancePath, keyword, params }: ErrorObject): string | undefined {
  const segments = instancePath
    .split('/')
    .slice(2)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword === 'required') segments.push(String(params.missingProperty));
  if (keyword === 'additionalProperties') segments.push(String(params.additionalProperty));
  return printable(segments.join('.'));
}

/** A name as a refusal repeats it; undefined for one that is better not repeated. */
function printable(param: string): string | undefined {
  return param === '' || !isCleanText(param, false) ? undefined : [...param].slice(0, 200).join('');
}
