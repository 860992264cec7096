import { type Json, membersAt, pointerBelow, resolve, valueAt } from '../../src/contract/json-pointer.ts';

/** Returns the example of each event, by its type, in the order of the contract's webhooks. */
export function sampleEvents(document: Json): Record<string, Json> {
  return Object.fromEntries(
    Object.keys(membersAt(document, '#/webhooks')).map((type) => {
      const path = pointerBelow(
        '#',
        'webhooks',
        type,
        'post',
        'requestBody',
        'content',
        'application/json',
        'examples',
      );
      const [example] = Object.values(membersAt(document, path));
      if (example === undefined) throw new Error(`the webhook ${type} of openapi.yaml has no example`);
      return [type, valueAt(resolve(document, example), '#/value')];
    }),
  );
}
