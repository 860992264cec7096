import samples from '../events.json' with { type: 'json' };
import { similarName, UsageError } from "./failure.js";
export const EVENT_TYPES = Object.keys(samples);
export function sampleOf(type) {
    return samples[type];
}
export function eventTypes(text) {
    return text.split(',').map((type) => eventType(type.trim()));
}
export function eventType(text) {
    const found = EVENT_TYPES.find((type) => type === text || type === `payment_link.${text}`);
    if (found !== undefined)
        return found;
    const similar = similarName(text, EVENT_TYPES);
    const hint = similar === null ? `The types are ${EVENT_TYPES.join(', ')}.` : `Did you mean ${similar}?`;
    throw new UsageError(`"${text}" is no type of event.`, hint);
}
