import ipaddr from 'ipaddr.js';

/**
 * The client's address for limits: the socket's, or the one that the outermost trusted proxy wrote. With N trusted
 * hops that is the N-th entry of X-Forwarded-For from the right; whatever stands further left was written by the
 * client. An entry may carry a port (`203.0.113.7:51234`), and IPv6 may stand in brackets, as some load balancers write
 * them. IPv6 counts by its /64, which is what one subscriber gets; `::ffff:a.b.c.d` is `a.b.c.d`.
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
  const entry = trustedHops > 0 ? entries.at(-trustedHops)?.trim() : undefined;
  return entry === undefined ? undefined : withoutPort(entry);
}

/** The address of an entry. A colon behind bare IPv6 is part of the address: a port needs the brackets there. */
function withoutPort(entry: string): string {
  const { bracketed, plain } = WITH_PORT.exec(entry)?.groups ?? {};
  return bracketed ?? plain ?? entry;
}

const WITH_PORT = /^(?:\[(?<bracketed>[^[\]]*:[^[\]]*)\](?::\d{1,5})?|(?<plain>[^:[\]]+):\d{1,5})$/;

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
