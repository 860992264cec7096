import samples from '../events.json' with { type: 'json' };
import { similarName, UsageError } from './failure.ts';

/** Type of an event that this version of the service sends. */
export type EventType = keyof typeof samples;

/** All types, in the order of the contract. `events.json` is made from the contract's examples by `make generate`. */
export const EVENT_TYPES = Object.keys(samples) as readonly EventType[];

/** Returns the contract's example of an event. */
export function sampleOf(type: EventType): { id: string; type: string } & Record<string, unknown> {
  return samples[type];
}

/** Returns the types of a text with commas. @throws UsageError with a suggestion */
export function eventTypes(text: string): EventType[] {
  return text.split(',').map((type) => eventType(type.trim()));
}

/** Returns the text as a type of event; the part behind the dot is enough. @throws UsageError with a suggestion */
export function eventType(text: string): EventType {
  const found = EVENT_TYPES.find((type) => type === text || type === `payment_link.${text}`);
  if (found !== undefined) return found;
  const similar = similarName(text, EVENT_TYPES);
  const hint = similar === null ? `The types are ${EVENT_TYPES.join(', ')}.` : `Did you mean ${similar}?`;
  throw new UsageError(`"${text}" is no type of event.`, hint);
}
