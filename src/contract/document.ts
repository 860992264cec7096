import { readFileSync } from 'node:fs';
import type { OpenAPIV3_1 } from 'openapi-types';
import { resolve } from './json-pointer.ts';
import type { ApiScope, OperationId } from './operations-type.ts';

/** Extensions of this contract on its operations. */
interface OperationExtensions {
  'x-required-scope'?: ApiScope;
  'x-test-mode-only'?: boolean;
  'x-long-poll'?: boolean;
  'x-codeSamples'?: CodeSample[];
}

/** A request in one language, which `make generate` makes. */
export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

/** The contract as a parsed OpenAPI document. */
export type ContractDocument = OpenAPIV3_1.Document<OperationExtensions>;

export interface OperationDescription {
  operationId: OperationId;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path template, with `{id}` in place of the id. */
  path: string;
  /** Matches a path without query. A variable is a group of its name, and one non-empty segment. */
  pattern: RegExp;
  /** The scope that the key needs; null if any key may call the operation. */
  requiredScope: ApiScope | null;
  testModeOnly: boolean;
  /** True if the operation may wait before it answers. It limits its reads itself. */
  isLongPoll: boolean;
  /** True if the server reads a request body. */
  hasBody: boolean;
  /** True if the contract describes the body. Otherwise the body is absent or an empty object. */
  describesBody: boolean;
  /** Null if the operation takes no idempotency key. */
  idempotencyKey: 'required' | 'optional' | null;
}

export const METHODS = ['get', 'post', 'patch', 'delete'] as const;
const UPPER_CASE = { get: 'GET', post: 'POST', patch: 'PATCH', delete: 'DELETE' } as const;

const root = new URL('../../', import.meta.url);

const readText = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** The contract as loaded, with unresolved references. It is shared: clone it before you change it. */
export const document: ContractDocument = JSON.parse(readText('generated/openapi.json'));

/** The operations that clients can call, in the order of the contract. */
export const operations: readonly OperationDescription[] = Object.entries(document.paths ?? {}).flatMap(
  ([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item?.[method];
      if (operation === undefined) return [];
      return {
        // The type and the value come from the same document.
        operationId: operation.operationId as OperationId,
        method: UPPER_CASE[method],
        path,
        pattern: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
        requiredScope: operation['x-required-scope'] ?? null,
        testModeOnly: operation['x-test-mode-only'] ?? false,
        isLongPoll: operation['x-long-poll'] ?? false,
        hasBody: method !== 'get',
        describesBody: operation.requestBody !== undefined,
        idempotencyKey: describeIdempotencyKey(operation),
      };
    }),
);

/** All scopes that operations require. A key has a subset of them. */
export const apiScopes: readonly ApiScope[] = [
  ...new Set(operations.flatMap(({ requiredScope }) => (requiredScope === null ? [] : [requiredScope]))),
];

/** Returns the operation for a method (upper case) and a path without query; null if there is none. */
export function findOperation(method: string, path: string): OperationDescription | null {
  return operations.find((operation) => operation.method === method && operation.pattern.test(path)) ?? null;
}

/** Returns the contract without header parameters, which no validator checks. */
export function withoutHeaderParameters(): ContractDocument {
  const contract = structuredClone(document);
  for (const operation of Object.values(contract.paths ?? {}).flatMap((item) => METHODS.map((name) => item?.[name]))) {
    if (operation?.parameters === undefined) continue;
    operation.parameters = operation.parameters.filter((parameter) => resolveParameter(parameter).in !== 'header');
  }
  return contract;
}

function resolveParameter(
  parameter: OpenAPIV3_1.ReferenceObject | OpenAPIV3_1.ParameterObject,
): OpenAPIV3_1.ParameterObject {
  // The linter checks that a reference in a list of parameters leads to a parameter.
  return resolve(document, parameter) as OpenAPIV3_1.ParameterObject;
}

function describeIdempotencyKey({ parameters = [] }: OpenAPIV3_1.OperationObject): 'required' | 'optional' | null {
  const header = parameters.map(resolveParameter).find(({ name }) => name === 'Idempotency-Key');
  if (header === undefined) return null;
  return header.required === true ? 'required' : 'optional';
}
