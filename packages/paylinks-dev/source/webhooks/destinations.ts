import { eventTypes } from '../events.ts';
import { UsageError } from '../failure.ts';
import { receiverUrl } from './post.ts';

/** A receiver of a listener. */
export interface Destination {
  url: URL;
  /** Types that this receiver gets; null for all types that no other receiver names. */
  types: readonly string[] | null;
}

/** Headers that say what a webhook is, or where it ends. A receiver relies on them. */
const OWN_HEADERS = /^(service-.*|content-type|content-length|user-agent|transfer-encoding|connection)$/i;

/** Reads receivers from texts like `URL` and `TYPES=URL`. No type has two receivers. @throws UsageError */
export function destinationsOf(texts: readonly string[], option: string): Destination[] {
  if (texts.length === 0) receiverUrl(undefined, option);
  const destinations = texts.map((text): Destination => {
    // The part before the first `=` has no colon, unlike an address.
    const [, types, address = text] = /^([^=:]+)=(.*)$/.exec(text) ?? [];
    return { url: receiverUrl(address, option), types: types === undefined ? null : eventTypes(types) };
  });
  const named = destinations.flatMap(({ types }) => types ?? ['']);
  if (new Set(named).size === named.length) return destinations;
  throw new UsageError(
    `Two ${option} have the same type, or none.`,
    `Give ${option} TYPES=URL, and one without types.`,
  );
}

/** Returns the one receiver of a type; undefined if it has none. */
export function destinationOf(destinations: readonly Destination[], type: string): Destination | undefined {
  return destinations.find(({ types }) => types?.includes(type)) ?? destinations.find(({ types }) => types === null);
}

/** Returns the receiver as text, in the form that the option has. */
export function destinationText({ url, types }: Destination): string {
  return types === null ? url.href : `${types.toSorted().join(',')}=${url.href}`;
}

/** Reads headers from texts like `Name: value`. The errors repeat no value, which may be a secret. @throws UsageError */
export function headersOf(texts: readonly string[], option: string): Record<string, string> {
  const headers = new Headers();
  for (const text of texts) {
    const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(text) ?? [];
    if (OWN_HEADERS.test(name.trim())) throw new UsageError(`${option} cannot change headers of a webhook.`);
    try {
      headers.append(name.trim(), value);
    } catch {
      throw new UsageError(`${option} must be like 'Name: value'.`);
    }
  }
  return Object.fromEntries(headers);
}
