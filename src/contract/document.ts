import { readFileSync } from 'node:fs';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { ApiScope, OperationId } from './operations-type.ts';

/** What `openapi.yaml` adds to operations in its own vocabulary. */
interface OperationExtensions {
  'x-required-scope'?: ApiScope;
  'x-test-mode-only'?: boolean;
}

export type ContractDocument = OpenAPIV3_1.Document<OperationExtensions>;

/** An operation, with what has to be known before its request is looked at more closely. */
export interface OperationDescription {
  operationId: OperationId;
  /** In upper case, as HTTP has it. */
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The template, with `{id}` for the id. */
  path: string;
  /** The scope that the key needs; null where any key will do. */
  requiredScope: ApiScope | null;
  testModeOnly: boolean;
  /** Whether a request body is read. */
  hasBody: boolean;
  /** Whether the contract describes the body; one that it doesn't may be left out or an empty object. */
  describesBody: boolean;
}

const METHODS = ['get', 'post', 'patch', 'delete'] as const;
const UPPER_CASE = { get: 'GET', post: 'POST', patch: 'PATCH', delete: 'DELETE' } as const;

const root = new URL('../../', import.meta.url);

const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** The contract as loaded, references and all. Shared: whoever wants to change it clones it first. */
export const document: ContractDocument = JSON.parse(textOf('generated/openapi.json'));

/** A text of the contract for publishing, by the path under which it is served. */
export interface PublishedText {
  path: string;
  type: 'application/yaml' | 'application/json' | 'text/markdown';
  text: string;
}

/** The block of the servers in the contract's YAML, up to the next member of the document. */
const SERVERS = /^servers:\n(?:[ -].*\n|\n)+/m;

/** The contract in its two versions and two notations, with the address at which the service is installed. */
export function publishedTexts(publicUrl: string): PublishedText[] {
  const description = 'The address at which the service is installed.';
  const servers = [{ url: publicUrl, description }];
  // A JSON string is a YAML string.
  const block = `servers:\n  - url: ${JSON.stringify(publicUrl)}\n    description: ${description}\n\n`;
  const yaml = (path: string) => textOf(path).replace(SERVERS, () => block);
  const json = (path: string) => `${JSON.stringify({ ...JSON.parse(textOf(path)), servers }, null, 2)}\n`;
  return [
    { path: '/openapi.yaml', type: 'application/yaml', text: yaml('openapi.yaml') },
    { path: '/openapi.json', type: 'application/json', text: json('generated/openapi.json') },
    { path: '/openapi-3.0.yaml', type: 'application/yaml', text: yaml('generated/openapi-3.0.yaml') },
    { path: '/openapi-3.0.json', type: 'application/json', text: json('generated/openapi-3.0.json') },
    { path: '/api-guide.md', type: 'text/markdown', text: textOf('docs/api-guide.md') },
  ];
}

/** Every operation that clients can call, in the order of the contract. */
export const operations: readonly OperationDescription[] = Object.entries(document.paths ?? {}).flatMap(
  ([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item?.[method];
      return operation === undefined ? [] : [describe(method, path, operation)];
    }),
);

/** The scopes that operations ask for; a key is limited to a choice of them. */
export const apiScopes: readonly ApiScope[] = [
  ...new Set(operations.flatMap(({ requiredScope }) => (requiredScope === null ? [] : [requiredScope]))),
];

const routes = operations.map((operation) => ({
  operation,
  // Template variables take one non-empty segment, as in the router.
  pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The operation that a request means, by method (upper case) and path without query; null if there is none. */
export function findOperation(method: string, path: string): OperationDescription | null {
  return routes.find((route) => route.operation.method === method && route.pattern.test(path))?.operation ?? null;
}

function describe(
  method: (typeof METHODS)[number],
  path: string,
  operation: OpenAPIV3_1.OperationObject<OperationExtensions>,
): OperationDescription {
  return {
    // The type is generated from the same document as the value.
    operationId: operation.operationId as OperationId,
    method: UPPER_CASE[method],
    path,
    requiredScope: operation['x-required-scope'] ?? null,
    testModeOnly: operation['x-test-mode-only'] ?? false,
    hasBody: method === 'post' || method === 'patch',
    describesBody: operation.requestBody !== undefined,
  };
}
