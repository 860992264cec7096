import ipaddr from 'ipaddr.js';

/**
 * The client's address for limits: the socket's, or the one that the outermost trusted proxy wrote. With N trusted
 * hops that is the N-th entry of X-Forwarded-For from the right; whatever stands further left was written by the
 * client. IPv6 counts by its /64, which is what one subscriber gets; `::ffff:a.b.c.d` is `a.b.c.d`.
 *
 * @param forwarded the lines of X-Forwarded-For, if any
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwarded: readonly string[] | undefined,
  trustedHops: number,
): string {
  return normalise(claimed(forwarded, trustedHops)) ?? normalise(socketAddress) ?? 'unknown';
}

/** The same address to its last bit, for the record of what somebody authorised; null when there is none. */
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
  return trustedHops > 0 ? entries.at(-trustedHops)?.trim() : undefined;
}

function normalise(text: string | undefined): string | null {
  if (text === undefined || !ipaddr.isValid(text)) return null;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv6)
    return `${address.parts
      .slice(0, 4)
      .map((part) => part.toString(16))
      .join(':')}::/64`;
  return address.toString();
}
