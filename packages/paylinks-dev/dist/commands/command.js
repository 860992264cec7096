import { UsageError } from "../failure.js";
import { configFolder, jsonLine, printable, table } from "../terminal.js";
import { listeningSecret } from "../webhooks/state.js";
export function textOption({ options }, name) {
    const value = options[name];
    return typeof value === 'string' ? value : undefined;
}
export function listOption({ options }, name) {
    const values = options[name];
    return typeof values === 'object' ? values : [];
}
export function requiredOption(call, name) {
    const value = textOption(call, name);
    if (value === undefined)
        throw new UsageError(`--${name} is missing.`);
    return value;
}
export function numberOption(call, name) {
    const text = textOption(call, name);
    if (text === undefined)
        return undefined;
    const value = Number(text);
    if (!/^\d+(\.\d+)?$/.test(text) || !Number.isFinite(value)) {
        throw new UsageError(`--${name} must be a number, such as 125.5.`);
    }
    return value;
}
export function signingSecret(call) {
    const given = textOption(call, 'secret') ?? call.terminal.environment.PAYLINKS_WEBHOOK_SECRET;
    if (given === undefined)
        return listeningSecret(configFolder(call.terminal));
    if (given.trim() === '')
        throw new UsageError('The secret is empty.');
    return given;
}
export function argument({ arguments: all }, place) {
    const value = all[place];
    if (value === undefined)
        throw new Error('the arguments were counted');
    return value;
}
export function itemPath(call, list, rest = '') {
    return `${list}/${encodeURIComponent(argument(call, 0))}${rest}`;
}
export function printObject({ terminal, isJson }, object, members) {
    const text = isJson ? jsonLine(object) : table(members.map((member) => [member, memberOf(object, member)]));
    terminal.write(text);
}
export async function runOnItem(call, [method, list, rest], members, body) {
    printObject(call, await call.api().call(method, itemPath(call, list, rest), { body }), members);
}
export const PAGE_OPTIONS = {
    page: { value: 'NUMBER', help: 'Page of the list, from 1.' },
    'page-size': { value: 'NUMBER', help: 'Items per page, at most 100.' },
};
export async function runList(call, path, names, members, more = {}) {
    const { terminal, isJson } = call;
    const all = Object.entries({ ...names, page: 'page', 'page-size': 'pageSize' });
    const query = { ...Object.fromEntries(all.map(([option, name]) => [name, textOption(call, option)])), ...more };
    const list = await call.api().call('GET', path, { query });
    if (isJson)
        return terminal.write(jsonLine(list));
    if (list.data.length > 0)
        terminal.write(table([members, ...list.data.map((item) => members.map((name) => memberOf(item, name)))]));
    terminal.warn(`${list.data.length} of ${printable(String(list.totalCount))}\n`);
}
function memberOf(object, path) {
    return path
        .split('.')
        .reduce((value, name) => value?.[name], object);
}
