import { randomUUID } from 'node:crypto';
import type { Json } from '../api.ts';
import { eventTypes } from '../events.ts';
import { UsageError } from '../failure.ts';
import { jsonLine, printable, table } from '../terminal.ts';
import {
  type Call,
  type Command,
  itemPath,
  memberOf,
  type Option,
  printObject,
  requiredOption,
  runOnItem,
  textOption,
} from './command.ts';

const PATH = '/webhook-endpoints';
const MEMBERS = ['id', 'status', 'url', 'enabledEvents', 'description', 'locationId', 'createdAt'];
const STATUSES = ['enabled', 'disabled'];

const FIELDS: Readonly<Record<string, Option>> = {
  url: { value: 'URL', help: 'Public https:// address of your receiver.' },
  events: { value: 'TYPES', help: 'Only these types, separated by commas; `all` includes future ones.' },
  description: { value: 'TEXT', help: 'Your own note. An empty text removes it.' },
};
const ONCE: Readonly<Record<string, Option>> = {
  'idempotency-key': { value: 'KEY', help: 'Acts once, however often the command is repeated. Default: random.' },
};

/** Returns the fields that the options name. Those of absent options are undefined, and are not sent. */
function fieldsOf(call: Call): Json {
  const [events, description] = [textOption(call, 'events'), textOption(call, 'description')];
  return {
    url: textOption(call, 'url'),
    ...(events !== undefined && { enabledEvents: events === 'all' ? [] : eventTypes(events) }),
    description: description === '' ? null : description,
    locationId: textOption(call, 'location'),
  };
}

/** Sends a request whose answer has a secret, and prints it. */
async function printWithSecret(call: Call, path: string, body?: Json): Promise<void> {
  const idempotencyKey = textOption(call, 'idempotency-key') ?? randomUUID();
  const endpoint = await call.api().call('POST', path, { idempotencyKey, ...(body !== undefined && { body }) });
  printObject(call, endpoint, [...MEMBERS, 'secret']);
  call.terminal.warn('Store the secret: it is not shown again.\n');
}

/** The commands on webhook endpoints. */
export const endpointCommands: readonly Command[] = [
  {
    name: 'endpoints create',
    summary: 'Creates a webhook endpoint, and prints its secret.',
    arguments: [],
    options: {
      ...FIELDS,
      location: { value: 'ID', help: 'Only events of this location. Default: of all.' },
      ...ONCE,
    },
    examples: [
      'endpoints create --url https://billing.example.com/hooks --events payment_link.paid,payment_link.refunded',
    ],
    async run(call) {
      requiredOption(call, 'url');
      await printWithSecret(call, PATH, fieldsOf(call));
    },
  },
  {
    name: 'endpoints list',
    summary: 'Lists the webhook endpoints, newest first.',
    arguments: [],
    options: {
      page: { value: 'NUMBER', help: 'Page of the list, from 1.' },
      'page-size': { value: 'NUMBER', help: 'Items per page, at most 100.' },
    },
    examples: ['endpoints list', 'endpoints list --json'],
    async run(call) {
      const { terminal, isJson } = call;
      const query = { page: textOption(call, 'page'), pageSize: textOption(call, 'page-size') };
      const list = await call.api().call<{ data: Json[]; totalCount: number }>('GET', PATH, { query });
      if (isJson) return terminal.write(jsonLine(list));
      const rows = list.data.map((endpoint) => MEMBERS.map((member) => memberOf(endpoint, member)));
      if (rows.length > 0) terminal.write(table([MEMBERS, ...rows]));
      terminal.warn(`${rows.length} of ${printable(String(list.totalCount))}\n`);
    },
  },
  {
    name: 'endpoints update',
    summary: 'Changes, enables or disables a webhook endpoint.',
    arguments: ['ID'],
    options: {
      ...FIELDS,
      status: { value: 'STATUS', help: `One of ${STATUSES.join(', ')}.` },
    },
    examples: [
      'endpoints update we_8Jn5vLx1RtB4 --url https://billing.example.com/hooks/v2',
      'endpoints update we_8Jn5vLx1RtB4 --status disabled',
    ],
    notes: ['What waits for a disabled endpoint is skipped. `endpoints replay` sends it later.'],
    async run(call) {
      const status = textOption(call, 'status');
      if (status !== undefined && !STATUSES.includes(status)) {
        throw new UsageError(`--status must be one of ${STATUSES.join(', ')}.`);
      }
      const body = { ...fieldsOf(call), enabled: status === undefined ? undefined : status === 'enabled' };
      if (Object.values(body).every((value) => value === undefined))
        throw new UsageError('There is nothing to change.');
      await runOnItem(call, ['PATCH', PATH], MEMBERS, body);
    },
  },
  {
    name: 'endpoints rotate',
    summary: 'Replaces the secret of a webhook endpoint, and prints the new one.',
    arguments: ['ID'],
    options: ONCE,
    examples: ['endpoints rotate we_8Jn5vLx1RtB4'],
    notes: ['For 24 hours deliveries are signed with both secrets. A further rotation drops the older one.'],
    async run(call) {
      await printWithSecret(call, itemPath(call, PATH, '/rotate-secret'));
    },
  },
  {
    name: 'endpoints test',
    summary: 'Sends a ping to a webhook endpoint, and prints its delivery.',
    arguments: ['ID'],
    options: {},
    examples: ['endpoints test we_8Jn5vLx1RtB4'],
    notes: ['The API and the console show how the endpoint answered.'],
    run: (call) => runOnItem(call, ['POST', PATH, '/test'], ['id', 'type', 'status', 'endpointId', 'createdAt']),
  },
  {
    name: 'endpoints replay',
    summary: 'Sends a webhook endpoint what it missed, oldest first.',
    arguments: ['ID'],
    options: { since: { value: 'TIME', help: 'Start, such as 2030-01-31T00:00:00Z; at most 30 days ago.' } },
    examples: ['endpoints replay we_8Jn5vLx1RtB4 --since 2030-01-31T00:00:00Z'],
    notes: ['At most 1,000 events, once every ten minutes.'],
    run(call) {
      const members = ['endpointId', 'since', 'requeuedCount', 'freshCount', 'capped'];
      return runOnItem(call, ['POST', PATH, '/replay'], members, { since: requiredOption(call, 'since') });
    },
  },
];
