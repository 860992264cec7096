import { EVENT_TYPES, eventType } from "../events.js";
import { printable, table } from "../terminal.js";
import { itemPath, PAGE_OPTIONS, printObject, runList, textOption } from "./command.js";
const PATH = '/webhook-deliveries';
const STATUSES = ['pending', 'retrying', 'delivered', 'exhausted', 'skipped'];
export const DELIVERY_MEMBERS = [
    ...['id', 'type', 'status', 'endpointId', 'paymentLinkId', 'attemptCount', 'createdAt', 'nextAttemptAt'],
    ...['lastResponseStatus', 'lastError'],
];
function isChanged(before, after) {
    if (after.status === 'retrying')
        return false;
    return before.attemptCount !== after.attemptCount || !['pending', 'retrying'].includes(String(before.status));
}
export const deliveryCommands = [
    {
        name: 'deliveries list',
        summary: 'Lists the deliveries to webhook endpoints, newest first.',
        arguments: [],
        options: {
            status: { value: 'STATUS', help: `One of ${STATUSES.join(', ')}.`, values: STATUSES },
            type: { value: 'TYPE', help: 'Only events of this type.', values: EVENT_TYPES },
            endpoint: { value: 'ID', help: 'Only deliveries to this endpoint.' },
            link: { value: 'ID', help: 'Only events of this payment link.' },
            since: { value: 'TIME', help: 'Only deliveries created since, such as 2030-01-31T00:00:00Z.' },
            ...PAGE_OPTIONS,
        },
        examples: ['deliveries list --status exhausted', 'deliveries list --type payment_link.paid --json'],
        async run(call) {
            const names = { status: 'status', endpoint: 'endpointId', link: 'paymentLinkId', since: 'since' };
            const members = ['id', 'type', 'status', 'attemptCount', 'lastResponseStatus', 'lastError', 'createdAt'];
            const type = textOption(call, 'type');
            await runList(call, PATH, names, members, type === undefined ? {} : { type: eventType(type) });
        },
    },
    {
        name: 'deliveries show',
        summary: 'Shows a delivery with its body and all attempts.',
        arguments: ['ID'],
        options: {},
        examples: ['deliveries show evt_2Wq7yGz5NhC9', 'deliveries show evt_2Wq7yGz5NhC9 --json'],
        async run(call) {
            const delivery = await call.api().call('GET', itemPath(call, PATH));
            printObject(call, delivery, [...DELIVERY_MEMBERS, 'payload']);
            if (call.isJson || delivery.attempts.length === 0)
                return;
            const columns = ['number', 'startedAt', 'durationMs', 'responseStatus', 'error'];
            const rows = delivery.attempts.map((attempt) => columns.map((column) => attempt[column]));
            call.terminal.write(`\n${table([columns, ...rows])}`);
        },
    },
    {
        name: 'deliveries redeliver',
        summary: 'Sends an event again, with its id and eight further attempts.',
        arguments: ['ID'],
        options: {},
        examples: ['deliveries redeliver evt_2Wq7yGz5NhC9'],
        notes: ['A delivery that is pending or retrying stays as it is. Then `changed` is false in the JSON.'],
        async run(call) {
            const api = call.api();
            const before = await api.call('GET', itemPath(call, PATH));
            const after = await api.call('POST', itemPath(call, PATH, '/redeliver'));
            const changed = isChanged(before, after);
            printObject(call, { ...after, changed }, DELIVERY_MEMBERS);
            if (!changed)
                call.terminal.warn(`Nothing changed: this delivery was ${printable(String(after.status))} already.\n`);
        },
    },
];
