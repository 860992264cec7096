import type { Options as AjvOptions, ErrorObject, ValidateFunction } from 'ajv';
import { OpenAPIBackend } from 'openapi-backend';
import {
  type ContractDocument,
  findOperation,
  type OperationDescription,
  operations,
  withoutHeaderParameters,
} from '../contract/document.ts';
import { createAjv } from '../contract/validators.ts';
import type { QueryParameter } from './request/query.ts';

/* The router and the validator of requests. All servers of a process share them, because compiling takes 0.2 s. */

export interface Route extends OperationDescription {
  queryParameters: readonly QueryParameter[];
  /** The functions of openapi-backend that check the parameters, and the body. */
  validators: readonly ValidateFunction[];
}

const api = new OpenAPIBackend<ContractDocument>({
  definition: withoutHeaderParameters(),
  // openapi-backend can only check documents of OpenAPI 3.0; the linter checks this one.
  quick: true,
  strict: true,
  customizeAjv: (_ajv, options) =>
    createAjv({ ...(options as AjvOptions), strict: false, coerceTypes: false, verbose: true }),
});
await api.init();

const routes = new Map(operations.map((description) => [description.operationId, createRoute(description)]));

function createRoute(description: OperationDescription): Route {
  const parameters = api.getOperation(description.operationId)?.parameters ?? [];
  const queryParameters = parameters.flatMap((parameter) => {
    if ('$ref' in parameter || parameter.in !== 'query') return [];
    const { name, schema } = parameter;
    return [{ name, isInteger: schema !== undefined && 'type' in schema && schema.type === 'integer' }];
  });
  const validators = api.validator.getRequestValidatorsForOperation(description.operationId);
  return { ...description, queryParameters, validators };
}

/** Returns the operation for a method (upper case) and a path; null if there is none. */
export function findRoute(method: string, path: string): Route | null {
  // The router of openapi-backend builds a regular expression per path and request (0032-own-code-or-library.md).
  const operation = findOperation(method, path);
  return (operation && routes.get(operation.operationId)) ?? null;
}

/** Returns the methods that the contract has for a path; an empty list for an unknown path. */
export function listMethods(path: string): string[] {
  return operations.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
}

/** Returns the faults of path, query and body by the contract's schemas; an empty list for a valid request. */
export function findFaults({ validators }: Route, path: object, query: object, body?: object): readonly ErrorObject[] {
  // openapi-backend would first parse the request once more.
  const parts = { path, query, ...(body === undefined ? {} : { requestBody: body }) };
  return validators.flatMap((validate) => (validate(parts) ? [] : (validate.errors ?? [])));
}
