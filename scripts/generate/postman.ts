import type { ContractDocument } from '../../src/contract/document.ts';
import type { OperationId } from '../../src/contract/operations-type.ts';
import { EXAMPLE_URL } from '../../src/documentation/content/guides.ts';
import {
  type Described,
  describeContract,
  listSuccesses,
} from '../../src/documentation/content/reference/described.ts';

/** A request of the collection: an operation, with another body than the contract's first example if there is one. */
type Step = OperationId | [operation: OperationId, body: object];

/** Requests of each folder, in an order in which all of them succeed. Some prepare the ones behind them. */
const FOLDERS: Readonly<Record<string, readonly Step[]>> = {
  Locations: ['listLocations', 'getLocation'],
  'Payment links': [
    ...(['createPaymentLink', 'listPaymentLinks', 'getPaymentLink', 'updatePaymentLink', 'cancelPaymentLink'] as const),
    ...(['createPaymentLink', 'simulatePaymentLink'] as const),
  ],
  'Test helpers': [
    ...(['createPaymentLink', 'simulatePaymentLink', 'simulateRefund', 'simulateDispute'] as const),
    ...(['simulateDisputeClosing', 'createPaymentLink'] as const),
    ['simulatePaymentLink', { outcome: 'processing_then_paid' }],
    ...(['simulateBankReversal', 'listTestEvents', 'createTestPing'] as const),
  ],
  'Webhook endpoints': [
    ...(['createWebhookEndpoint', 'listWebhookEndpoints', 'getWebhookEndpoint', 'updateWebhookEndpoint'] as const),
    ...(['rotateWebhookEndpointSecret', 'testWebhookEndpoint', 'replayWebhookEndpoint'] as const),
    'deleteWebhookEndpoint',
  ],
  'Webhook deliveries': [
    ...(['createWebhookEndpoint', 'testWebhookEndpoint', 'listWebhookDeliveries', 'getWebhookDelivery'] as const),
    ...(['redeliverWebhookDelivery', 'deleteWebhookEndpoint'] as const),
  ],
};

/** Variable with the id of a resource, by its part of the path. Lists and creates fill it. */
const VARIABLES: Readonly<Record<string, string>> = {
  locations: 'locationId',
  'payment-links': 'linkId',
  'webhook-endpoints': 'endpointId',
  'webhook-deliveries': 'deliveryId',
};

/** Statuses whose examples are saved beside a request. The others are the same for all operations. */
const SAVED = ['200', '201', '202', '204', '404', '409', '422'];

/** Returns a contract as a Postman collection, one folder per tag. */
export function asPostmanCollection(document: ContractDocument): object {
  const operations = new Map(describeContract(document).map((one) => [one.id, one]));
  const listed = new Set<string>(Object.values(FOLDERS).flatMap((steps) => steps.map((step) => partsOf(step)[0])));
  for (const { id, isEvent } of operations.values()) {
    if (!isEvent && !listed.has(id))
      throw new Error(`FOLDERS of scripts/generate/postman.ts lacks the operation ${id}`);
  }
  const itemOf = (step: Step) => {
    const [id, body] = partsOf(step);
    const operation = operations.get(id);
    if (operation === undefined) throw new Error(`openapi.yaml has no operation ${id}`);
    return asItem(operation, body ?? operation.body?.examples[0]?.value);
  };
  const variables = ['baseUrl', 'apiKey', 'webhookUrl', ...Object.values(VARIABLES)];
  return {
    info: {
      name: document.info.title,
      description: `${document.info.description}
Set \`apiKey\` to a test key, and \`webhookUrl\` to a public HTTPS address of yours. Send *List locations* first. Lists and creates fill the
variables of ids. Each folder can then be run from top to bottom.`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
    variable: variables.map((key) => ({ key, value: key === 'baseUrl' ? EXAMPLE_URL : '' })),
    item: Object.entries(FOLDERS).map(([name, steps]) => ({
      name,
      description: document.tags?.find((tag) => tag.name === name)?.description,
      item: steps.map(itemOf),
    })),
  };
}

function partsOf(step: Step): [operation: OperationId, body?: object] {
  return typeof step === 'string' ? [step] : step;
}

function asItem(operation: Described, body: unknown): object {
  const { method, path, summary, description, parameters } = operation;
  const template = path.replaceAll(/\{(\w+)\}/g, ':$1');
  const segments = template.slice(1).split('/');
  const request = {
    method,
    description,
    header: [
      ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
      ...parameters
        .filter((parameter) => parameter.in === 'header')
        // Postman makes a new identifier for each request.
        .map(({ name, required }) => ({ key: name, value: '{{$guid}}', disabled: required !== true })),
    ],
    url: {
      raw: `{{baseUrl}}${template}`,
      host: ['{{baseUrl}}'],
      path: segments,
      query: parameters
        .filter((parameter) => parameter.in === 'query')
        .map(({ name, description = '', example }) => ({
          key: name,
          value: `${example}`,
          description,
          disabled: true,
        })),
      variable: segments
        .filter((segment) => segment === ':id')
        .map(() => ({ key: 'id', value: `{{${variableOf(path)}}}` })),
    },
    ...(body === undefined
      ? {}
      : { body: { mode: 'raw', raw: withVariables(body), options: { raw: { language: 'json' } } } }),
  };
  return {
    name: summary,
    event: [...('since' in Object(body) ? [scriptOf('prerequest', SINCE)] : []), scriptOf('test', testOf(operation))],
    request,
    response: operation.answers
      .filter(({ status }) => SAVED.includes(status))
      .flatMap(({ status, body: answer }) =>
        (answer?.examples ?? []).map((example) => ({
          name: `${status}: ${example.summary}`,
          originalRequest: { ...request, description: undefined },
          code: Number(status),
          _postman_previewlanguage: 'json',
          header: [{ key: 'Content-Type', value: 'application/json' }],
          body: JSON.stringify(example.value, null, 2),
        })),
      ),
  };
}

/** A time in the past, because requests may not name a later one. */
const SINCE = ["pm.collectionVariables.set('since', new Date(Date.now() - 3_600_000).toISOString());"];

function scriptOf(listen: 'prerequest' | 'test', exec: string[]): object {
  return { listen, script: { type: 'text/javascript', exec } };
}

/** Returns the variable with the id that a path needs, or that its list and its create fill. */
function variableOf(path: string): string {
  return VARIABLES[path.split('/').findLast((segment) => segment in VARIABLES) ?? ''] ?? '';
}

/** Returns the lines of the script that checks the status, and fills the variable after a list or a create. */
function testOf(operation: Described): string[] {
  const [success] = listSuccesses(operation);
  const status = success?.status;
  const check = `pm.test('The answer is ${status}', () => pm.response.to.have.status(${status}));`;
  if (!((operation.path.split('/').at(-1) ?? '') in VARIABLES)) return [check];
  const answer = operation.method === 'GET' ? 'pm.response.json().data?.[0]' : 'pm.response.json()';
  return [
    check,
    `const { id } = ${answer} ?? {};`,
    `if (id) pm.collectionVariables.set('${variableOf(operation.path)}', id);`,
  ];
}

/** Returns a body with variables for the values that belong to a practice or to a day. */
function withVariables(body: unknown): string {
  const variables = new Map([
    ['locationId', '{{locationId}}'],
    ['url', '{{webhookUrl}}'],
    ['since', '{{since}}'],
  ]);
  return JSON.stringify(body, (name, value) => variables.get(name) ?? value, 2);
}
