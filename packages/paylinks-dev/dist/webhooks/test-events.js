import { Failure } from "../failure.js";
export async function readTestEvents(api, request = {}) {
    const { data, cursor, hasMore, eventsDropped } = await api.call('GET', '/test-helpers/events', request);
    if (Array.isArray(data) && data.every(isWebhook) && typeof cursor === 'string') {
        return { data, cursor, hasMore: hasMore === true, eventsDropped: eventsDropped === true };
    }
    throw new Failure('The service answered with something other than test events.', 'Is the address right?');
}
function isWebhook(value) {
    const isName = (name) => typeof name === 'string' && /^[\w.-]{1,200}$/.test(name);
    return isName(value?.id) && isName(value?.type) && typeof value?.payload === 'string';
}
