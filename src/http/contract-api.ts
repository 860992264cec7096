import type { Options as AjvOptions, ErrorObject, ValidateFunction } from 'ajv';
import { OpenAPIBackend } from 'openapi-backend';
import {
  type ContractDocument,
  findOperation,
  type OperationDescription,
  operations,
  withoutHeaderParameters,
} from '../contract/document.ts';
import type { OperationId } from '../contract/operations-type.ts';
import { createAjv } from '../contract/validators.ts';
import type { QueryParameter } from './request/query.ts';

type Operation = NonNullable<ReturnType<OpenAPIBackend<ContractDocument>['getOperation']>>;

export interface Route {
  description: OperationDescription;
  queryParameters: readonly QueryParameter[];
  /** The functions of openapi-backend that check the parameters, and the body. */
  validators: readonly ValidateFunction[];
}

/** The parts of a request that the contract's schemas describe. */
export interface ReadRequest {
  /** Without query; each segment is percent-encoded UTF-8. */
  path: string;
  query: Record<string, string | number>;
  body: object | undefined;
}

export type ContractApi = Awaited<ReturnType<typeof compileContract>>;

let compiled: Promise<ContractApi> | undefined;

/** Returns the router and validator of requests. All servers of a process share it, because compiling takes 0.2 s. */
export function loadContractApi(): Promise<ContractApi> {
  compiled ??= compileContract();
  return compiled;
}

async function compileContract() {
  const api = new OpenAPIBackend<ContractDocument>({
    definition: withoutHeaderParameters(),
    // openapi-backend can only check documents of OpenAPI 3.0; the linter checks this one.
    quick: true,
    strict: true,
    customizeAjv: (_ajv, options) =>
      createAjv({ ...(options as AjvOptions), strict: false, coerceTypes: false, verbose: true }),
  });
  await api.init();
  const routes = new Map<OperationId, Route>();
  for (const description of operations) {
    const { operationId } = description;
    const operation = api.getOperation(operationId);
    if (operation === undefined) throw new Error(`openapi-backend does not know ${operationId}`);
    const validators = api.validator.getRequestValidatorsForOperation(operationId);
    routes.set(operationId, { description, validators, queryParameters: queryParameters(operation) });
  }
  return {
    /** Returns the operation for a method (upper case) and a path; null if there is none. */
    findRoute(method: string, path: string): Route | null {
      // The router of openapi-backend builds a regular expression per path and request (0032-own-code-or-library.md).
      const description = findOperation(method, path);
      return description === null ? null : (routes.get(description.operationId) ?? null);
    },
    /** Returns the methods that the contract has for a path; an empty list for an unknown path. */
    methodsOf: (path: string) => operations.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method),
    /** Returns the faults of path, query and body by the contract's schemas; an empty list for a valid request. */
    findFaults({ path, query, body }: ReadRequest, { description, validators }: Route): readonly ErrorObject[] {
      // openapi-backend would first parse the request once more.
      const parts = {
        path: pathParameters(path, description),
        query,
        ...(body === undefined ? {} : { requestBody: body }),
      };
      return validators.flatMap((validate) => (validate(parts) ? [] : (validate.errors ?? [])));
    },
  };
}

/** Returns the variables of the path, decoded. */
export function pathParameters(path: string, { pattern }: OperationDescription): Record<string, string> {
  const variables = Object.entries(pattern.exec(path)?.groups ?? {});
  return Object.fromEntries(variables.map(([name, value]) => [name, decodeURIComponent(value)]));
}

function queryParameters({ parameters }: Operation): QueryParameter[] {
  return (parameters ?? []).flatMap((parameter) => {
    if ('$ref' in parameter || parameter.in !== 'query') return [];
    const { name, schema } = parameter;
    const { type } = schema !== undefined && 'type' in schema ? schema : {};
    return [{ name, isInteger: type === 'integer' }];
  });
}
