import { document, operations } from '../../src/contract/document.ts';
import { isObject, type Json, membersAt, pointerBelow, resolve, valueAt } from '../../src/contract/json-pointer.ts';
import type { OperationId } from '../../src/contract/operations-type.ts';

/** A response that the contract documents, and where. */
export interface DocumentedResponse {
  operationId: OperationId;
  status: number;
  /** To the response itself, after its `$ref`. */
  pointer: string;
}

const responses: readonly DocumentedResponse[] = operations.flatMap(({ operationId, method, path }) => {
  const pointer = pointerBelow('#', 'paths', path, method.toLowerCase(), 'responses');
  return Object.keys(membersAt(document, pointer)).map((status) => ({
    operationId,
    status: Number(status),
    pointer: resolvePointer(document, pointerBelow(pointer, status)),
  }));
});

/** Every documented response of every operation, in the order of the contract. */
export function documentedResponses(): readonly DocumentedResponse[] {
  return responses;
}

/** The pointer to the response that the contract documents; null if it doesn't. */
export function responseAt(operationId: OperationId, status: number): string | null {
  const found = responses.find((response) => response.operationId === operationId && response.status === status);
  return found?.pointer ?? null;
}

const headers: readonly string[] = [
  ...new Set(responses.flatMap(({ pointer }) => Object.keys(membersAt(document, pointerBelow(pointer, 'headers'))))),
];

/** The names of all response headers that the contract documents anywhere. */
export function documentedHeaders(): readonly string[] {
  return headers;
}

/** The error codes that the response at a pointer can carry: those of its examples. None for a success. */
export function documentedCodes(response: string): string[] {
  const examples = membersAt(document, pointerBelow(response, 'content', 'application/json', 'examples'));
  return Object.values(examples).flatMap((example) => {
    const target = resolve(document, example);
    const code = isObject(target) ? errorCode(target.value) : null;
    return code === null ? [] : [code];
  });
}

/** Every object of the contract, or of a part of it, that is not in an example, with its pointer. */
export function nodes(node: Json = document, pointer = '#'): { node: Record<string, Json>; pointer: string }[] {
  if (Array.isArray(node)) return node.flatMap((item, index) => nodes(item, pointerBelow(pointer, String(index))));
  if (!isObject(node)) return [];
  const inside = Object.entries(node).flatMap(([key, value]) =>
    key === 'example' || key === 'examples' ? [] : nodes(value, pointerBelow(pointer, key)),
  );
  return [{ node, pointer }, ...inside];
}

/** The code in an error's body; null if it is none. */
export function errorCode(body: Json): string | null {
  const error = isObject(body) ? body.error : undefined;
  return isObject(error) && typeof error.code === 'string' ? error.code : null;
}

/** Returns the pointer itself, or the target of the `$ref` at the pointer. */
export function resolvePointer(document: Json, pointer: string): string {
  const value = valueAt(document, pointer);
  return isObject(value) && typeof value.$ref === 'string' ? resolvePointer(document, value.$ref) : pointer;
}
