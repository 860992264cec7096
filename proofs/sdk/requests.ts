import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { document, findOperation } from '../../src/contract/document.ts';
import { describeContract } from '../../src/documentation/content/reference/described.ts';

/** Operations that every scenario requests, each with all query parameters that the contract has for it. */
const OPERATIONS = [
  ...['createPaymentLink', 'simulatePaymentLink', 'listPaymentLinks', 'createWebhookEndpoint', 'updateWebhookEndpoint'],
  ...['deleteWebhookEndpoint', 'listWebhookDeliveries', 'getWebhookDelivery'],
  // These two of the server that answers as a later version might.
  ...['getPaymentLink', 'cancelPaymentLink'],
];

/** Query parameters of all requests of one scenario, by operation. */
export type Requests = ReadonlyMap<string, ReadonlySet<string>>;

/** Message of the channel on which Node announces each request of a server in this process. */
interface RequestStart {
  request: IncomingMessage;
  socket: Socket;
}

const CHANNEL = 'http.server.request.start';

export function recordRequests(ports: readonly number[]) {
  let requests = new Map<string, Set<string>>();
  const record = (message: unknown): void => {
    // Node documents the members of this message.
    const { request, socket } = message as RequestStart;
    if (!ports.includes(socket.localPort ?? 0)) return;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const operation = findOperation(request.method ?? '', pathname);
    if (operation === null) return;
    const parameters = requests.get(operation.operationId) ?? new Set();
    for (const name of searchParams.keys()) parameters.add(name);
    requests.set(operation.operationId, parameters);
  };
  subscribe(CHANNEL, record);
  return {
    take(): Requests {
      const taken = requests;
      requests = new Map();
      return taken;
    },
    close: () => unsubscribe(CHANNEL, record),
  };
}

/** Returns a sentence for each operation and query parameter that a scenario left out. */
export function omissionsIn(requests: Requests): string[] {
  const operations = describeContract(document).filter(({ id }) => OPERATIONS.includes(id));
  return operations.flatMap(({ id, parameters }) => {
    const seen = requests.get(id);
    if (seen === undefined) return [`The scenario did not request ${id}.`];
    const left = parameters.filter((parameter) => parameter.in === 'query' && !seen.has(parameter.name));
    return left.map(({ name }) => `The scenario did not request ${id} with ${name}.`);
  });
}
