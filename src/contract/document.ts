import { readFileSync } from 'node:fs';
import type { OpenAPIV3_1 } from 'openapi-types';
import { membersAt, resolve } from './json-pointer.ts';
import type { ApiScope, EventOf, EventType, OperationId } from './operations-type.ts';

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
  /** Such as `/api/v1/locations/{id}`. */
  path: string;
  /** Matches a path without query. A variable is a group of its name, and one non-empty segment. */
  pattern: RegExp;
  /** Null if any key may call the operation. */
  requiredScope: ApiScope | null;
  testModeOnly: boolean;
  /** True if the operation may wait before it answers. It limits its reads itself. */
  isLongPoll: boolean;
  hasBody: boolean;
  /** True if the contract describes the body. Otherwise the body is absent or an empty object. */
  describesBody: boolean;
  /** Null if the operation takes no idempotency key. */
  idempotencyKey: 'required' | 'optional' | null;
}

export const METHODS = ['get', 'post', 'patch', 'delete'] as const;

/** The contract as loaded, with unresolved references. It is shared: clone it before you change it. */
export const document: ContractDocument = JSON.parse(
  readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'),
);

/** The operations that clients can call, in the order of the contract. */
export const operations: readonly OperationDescription[] = Object.entries(document.paths ?? {}).flatMap(
  ([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item?.[method];
      if (operation === undefined) return [];
      return {
        // Types and values come from the same document.
        operationId: operation.operationId as OperationId,
        method: method.toUpperCase() as Uppercase<typeof method>,
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

export const apiScopes: readonly ApiScope[] = [
  ...new Set(operations.flatMap(({ requiredScope }) => (requiredScope === null ? [] : [requiredScope]))),
];

/** @param method in upper case */
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

/** The types of events, in the order of the contract. The keys are the type's. */
export const EVENT_TYPES = Object.keys(document.webhooks ?? {}) as EventType[];

/** Returns the example of an event in the contract. The linter checks examples against their schemas. */
export function readExample<Type extends EventType>(type: Type): EventOf<Type> {
  // A pointer would escape no name of a type.
  const { examples } = membersAt(document, `#/webhooks/${type}/post/requestBody/content/application~1json`);
  const [example] = Object.values(Object(examples));
  return Object(resolve(document, example)).value;
}
