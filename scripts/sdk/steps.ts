import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { document, findOperation, operations } from '../../src/contract/document.ts';
import { below, isObject, resolve, valueAt } from '../../src/contract/json-pointer.ts';
import type { OperationId } from '../../src/contract/operations-type.ts';

/**
 * Steps of the scenario that every SDK runs, in this order. A scenario prints `step <name>` once it has compared what
 * the step returned. A run without one of them fails.
 */
export const STEPS = [
  'create a link',
  'create it again with the same idempotency key',
  'create and disable an endpoint',
  'simulate a payment',
  'list links by every filter',
  'list deliveries by every filter',
  'get a delivery with its payload',
  'delete an endpoint',
  'read the code and param of an error',
  'read values of a later version',
  'read an error code of a later version',
  'parse an event of an unknown type',
] as const;

/** Operations that a scenario requests with all query parameters that the contract has for them. */
const OPERATIONS: readonly OperationId[] = ['listPaymentLinks', 'listWebhookDeliveries'];

/** Query parameters of all requests of one scenario, by operation. */
export type Requests = ReadonlyMap<OperationId, ReadonlySet<string>>;

/** Message of the channel on which Node announces each request of a server in this process. */
interface RequestStart {
  request: IncomingMessage;
  socket: Socket;
}

const CHANNEL = 'http.server.request.start';

/** Records the requests to the server at this port. */
export function recordRequests(port: number) {
  let requests = new Map<OperationId, Set<string>>();
  const record = (message: unknown): void => {
    // Node documents the members of this message.
    const { request, socket } = message as RequestStart;
    if (socket.localPort !== port) return;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const operation = findOperation(request.method ?? '', pathname);
    if (operation === null) return;
    const parameters = requests.get(operation.operationId) ?? new Set();
    for (const name of searchParams.keys()) parameters.add(name);
    requests.set(operation.operationId, parameters);
  };
  subscribe(CHANNEL, record);
  return {
    /** Returns the requests since the last call. */
    take(): Requests {
      const taken = requests;
      requests = new Map();
      return taken;
    },
    close: () => unsubscribe(CHANNEL, record),
  };
}

/**
 * Compares a scenario with the table of steps and with the contract's parameters.
 *
 * @param output of the scenario
 * @returns one sentence per fault; empty if the scenario did everything
 */
export function faultsOf(output: string, requests: Requests): string[] {
  const reported = [...output.matchAll(/^step (.+?)\r?$/gm)].map(([, name]) => name);
  const absent = STEPS.filter((name) => !reported.includes(name));
  const unknown = reported.filter((name) => !STEPS.some((step) => step === name));
  return [
    ...absent.map((name) => `The scenario did not report the step "${name}".`),
    ...unknown.map((name) => `The table has no step "${name}".`),
    ...OPERATIONS.flatMap((operationId) => {
      const seen = requests.get(operationId);
      if (seen === undefined) return [`The scenario did not request ${operationId}.`];
      const left = parametersOf(operationId).filter((name) => !seen.has(name));
      return left.map((name) => `The scenario did not request ${operationId} with ${name}.`);
    }),
  ];
}

/** Returns the names of an operation's query parameters. */
function parametersOf(operationId: OperationId): string[] {
  const operation = operations.find((each) => each.operationId === operationId);
  if (operation === undefined) throw new Error(`the contract has no operation ${operationId}`);
  const parameters = valueAt(
    document,
    below('#', 'paths', operation.path, operation.method.toLowerCase(), 'parameters'),
  );
  if (!Array.isArray(parameters)) return [];
  return parameters
    .map((parameter) => resolve(document, parameter))
    .filter((parameter) => isObject(parameter) && parameter.in === 'query')
    .map((parameter) => String(Object(parameter).name));
}
