import ipaddr from 'ipaddr.js';

/**
 * Returns the client's address; null if the socket is closed. With N trusted hops, it is the N-th entry of X-Forwarded-For from the
 * right, because the client writes the entries to its left. Some load balancers add a port (`203.0.113.7:51234`) or brackets around
 * IPv6. `::ffff:a.b.c.d` is `a.b.c.d`.
 */
export function exactAddress(
  socketAddress: string | undefined,
  forwarded: readonly string[] | undefined,
  trustedHops: number,
): string | null {
  const address = [forwardedAddress(forwarded, trustedHops), socketAddress].find(
    (text) => text !== undefined && ipaddr.isValid(text),
  );
  return address === undefined ? null : ipaddr.process(address).toString();
}

/** Returns an address as limits count it: IPv6 by its /64, the range of one subscriber. */
export function countedAddress(address: string | null): string {
  if (address?.includes(':') !== true) return address ?? 'unknown';
  const parts = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(':')}::/64`;
}

/** Returns the entry of the outermost trusted proxy, without its port. */
function forwardedAddress(forwarded: readonly string[] | undefined, trustedHops: number): string | undefined {
  const entries = (forwarded ?? []).join(',').split(',');
  const entry = trustedHops > 0 ? entries.at(-trustedHops)?.trim() : undefined;
  const { bracketed, plain } = WITH_PORT.exec(entry ?? '')?.groups ?? {};
  return bracketed ?? plain ?? entry;
}

/** IPv6 without brackets has no port. */
const WITH_PORT = /^(?:\[(?<bracketed>[^[\]]*:[^[\]]*)\](?::\d{1,5})?|(?<plain>[^:[\]]+):\d{1,5})$/;
