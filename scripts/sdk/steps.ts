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
  'get the link',
  'list all pages of links',
  'list all pages of endpoints',
  'disable an endpoint',
  'simulate a payment and a refund',
  'list links by every filter',
  'list deliveries by every filter',
  'list all pages of deliveries',
  'get a delivery with its payload',
  'redeliver the event',
  'cancel a link',
  'read the code of an error',
  'read the param of an error',
  'read values of a later version',
  'read an error code of a later version',
  'verify a signature',
  'parse an event',
  'parse an event of an unknown type',
  'parse an event with unknown values',
] as const;

/** Operations that a scenario requests with all query parameters that the contract has for them. */
const OPERATIONS: readonly OperationId[] = [
  'createPaymentLink',
  'getPaymentLink',
  'listPaymentLinks',
  'cancelPaymentLink',
  'simulatePaymentLink',
  'simulateRefund',
  'createWebhookEndpoint',
  'listWebhookEndpoints',
  'updateWebhookEndpoint',
  'deleteWebhookEndpoint',
  'listWebhookDeliveries',
  'getWebhookDelivery',
  'redeliverWebhookDelivery',
];

/** Query parameters of all requests of one scenario, by operation. A list page is there as `page=2`. */
export type Requests = ReadonlyMap<OperationId, ReadonlySet<string>>;

/** Requests that one server of this process receives. */
export interface RequestLog {
  /** Returns the requests since the last call. */
  take(): Requests;
  close(): void;
}

/** Message of the channel on which Node announces each request of a server in this process. */
interface RequestStart {
  request: IncomingMessage;
  socket: Socket;
}

const CHANNEL = 'http.server.request.start';

/** Records the requests to the server at this port. */
export function recordRequests(port: number): RequestLog {
  let requests = new Map<OperationId, Set<string>>();
  const record = (message: unknown): void => {
    // Node documents the members of this message.
    const { request, socket } = message as RequestStart;
    if (socket.localPort !== port) return;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const operation = findOperation(request.method ?? '', pathname);
    if (operation === null) return;
    const parameters = requests.get(operation.operationId) ?? new Set();
    for (const [name, value] of searchParams) parameters.add(name === 'page' ? `page=${value}` : name);
    requests.set(operation.operationId, parameters);
  };
  subscribe(CHANNEL, record);
  return {
    take() {
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
      const parameters = parametersOf(operationId).flatMap((name) => (name === 'page' ? ['page=1', 'page=2'] : [name]));
      const left = parameters.filter((name) => !seen.has(name));
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
