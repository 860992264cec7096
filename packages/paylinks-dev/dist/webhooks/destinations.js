import { eventTypes } from "../events.js";
import { UsageError } from "../failure.js";
import { receiverUrl } from "./post.js";
const OWN_HEADERS = /^(service-.*|content-type|content-length|user-agent|transfer-encoding|connection)$/i;
export function destinationsOf(texts, option) {
    if (texts.length === 0)
        receiverUrl(undefined, option);
    const destinations = texts.map((text) => {
        const [, types, address = text] = /^([^=:]+)=(.*)$/.exec(text) ?? [];
        return { url: receiverUrl(address, option), types: types === undefined ? null : eventTypes(types) };
    });
    const named = destinations.flatMap(({ types }) => types ?? ['']);
    if (new Set(named).size === named.length)
        return destinations;
    throw new UsageError(`Two ${option} have the same type, or none.`, `Give ${option} TYPES=URL, and one without types.`);
}
export function destinationOf(destinations, type) {
    return destinations.find(({ types }) => types?.includes(type)) ?? destinations.find(({ types }) => types === null);
}
export function destinationText({ url, types }) {
    return types === null ? url.href : `${types.toSorted().join(',')}=${url.href}`;
}
export function headersOf(texts, option) {
    const headers = new Headers();
    for (const text of texts) {
        const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(text) ?? [];
        if (OWN_HEADERS.test(name.trim()))
            throw new UsageError(`${option} cannot change headers of a webhook.`);
        try {
            headers.append(name.trim(), value);
        }
        catch {
            throw new UsageError(`${option} must be like 'Name: value'.`);
        }
    }
    return Object.fromEntries(headers);
}
