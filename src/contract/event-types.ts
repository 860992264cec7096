import { document } from './document.ts';
import { membersAt, resolve } from './json-pointer.ts';
import type { EventOf, EventType } from './operations-type.ts';

/** The types of events, in the order of the contract. The keys are the type's. */
export const EVENT_TYPES = Object.keys(document.webhooks ?? {}) as EventType[];

/** Returns the example of an event in the contract. The linter checks examples against their schemas. */
export function readExample<Type extends EventType>(type: Type): EventOf<Type> {
  // A pointer would escape no name of a type.
  const { examples } = membersAt(document, `#/webhooks/${type}/post/requestBody/content/application~1json`);
  const [example] = Object.values(Object(examples));
  return Object(resolve(document, example)).value;
}
