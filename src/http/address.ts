import ipaddr from 'ipaddr.js';

/**
 * Returns the client's address for limits: that of the socket, or the one that the outermost trusted proxy wrote. With N
 * trusted hops, that is the N-th entry of X-Forwarded-For from the right. Entries to its left are written by the client.
 * Some load balancers add a port (`203.0.113.7:51234`) or brackets around IPv6. IPv6 counts by its /64, the range of one
 * subscriber. `::ffff:a.b.c.d` counts as `a.b.c.d`.
 *
 * @param forwarded the lines of X-Forwarded-For, if any
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwarded: readonly string[] | undefined,
  trustedHops: number,
): string {
  return normalize(claimed(forwarded, trustedHops)) ?? normalize(socketAddress) ?? 'unknown';
}

/** Returns the client's complete address, for the record of a patient's authorisation; null if there is none. */
export function exactAddress(
  socketAddress: string | undefined,
  forwarded: readonly string[] | undefined,
  trustedHops: number,
): string | null {
  const found = [claimed(forwarded, trustedHops), socketAddress].find(
    (text) => text !== undefined && ipaddr.isValid(text),
  );
  return found === undefined ? null : ipaddr.process(found).toString();
}

function claimed(forwarded: readonly string[] | undefined, trustedHops: number): string | undefined {
  const entries = (forwarded ?? []).join(',').split(',');
  const entry = trustedHops > 0 ? entries.at(-trustedHops)?.trim() : undefined;
  return entry === undefined ? undefined : withoutPort(entry);
}

/** Removes the port from an entry. IPv6 without brackets has no port. */
function withoutPort(entry: string): string {
  const { bracketed, plain } = WITH_PORT.exec(entry)?.groups ?? {};
  return bracketed ?? plain ?? entry;
}

const WITH_PORT = /^(?:\[(?<bracketed>[^[\]]*:[^[\]]*)\](?::\d{1,5})?|(?<plain>[^:[\]]+):\d{1,5})$/;

function normalize(text: string | undefined): string | null {
  if (text === undefined || !ipaddr.isValid(text)) return null;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv6)
    return `${address.parts
      .slice(0, 4)
      .map((part) => part.toString(16))
      .join(':')}::/64`;
  return address.toString();
}
