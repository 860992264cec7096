import { BlockList, isIP, SocketAddress } from 'node:net';

/** A set of networks. */
export interface NetworkSet {
  /** True for a set without networks. */
  readonly isEmpty: boolean;
  /** Returns whether this IPv4 or IPv6 address lies in one of the networks; false for a text that is no address. */
  has(address: string): boolean;
}

/** IPv4 networks without public hosts (IANA special-purpose registry, RFC 6890; cloud metadata services). */
const NON_PUBLIC_IPV4: readonly string[] = [
  '0.0.0.0/8', // this network, unspecified
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; holds the metadata service 100.100.100.200
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's host, reachable from every virtual machine there though its range is public
  '169.254.0.0/16', // link-local; holds the metadata service 169.254.169.254
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; holds the metadata service 192.0.0.192
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays, deprecated
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved; holds the broadcast address
];

/**
 * The only IPv6 network with public hosts. Everything outside is refused: loopback, unspecified, mapped, compatible,
 * NAT64, discard, unique local (with the metadata service fd00:ec2::254), link-local, site-local, multicast, and
 * unallocated networks.
 */
const GLOBAL_UNICAST_IPV6: readonly string[] = ['2000::/3'];

/** Networks inside 2000::/3 without public hosts. */
const NON_PUBLIC_IPV6: readonly string[] = [
  '2001::/23', // protocol assignments: Teredo carries an IPv4 address, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4 carries an IPv4 address
  '3fff::/20', // documentation
];

const nonPublicIpv4 = networkSet(NON_PUBLIC_IPV4);
const globalUnicastIpv6 = networkSet(GLOBAL_UNICAST_IPV6);
const nonPublicIpv6 = networkSet(NON_PUBLIC_IPV6);

/**
 * Returns whether this is the address of a public host. False for special-purpose networks, for IPv4 addresses wrapped
 * in IPv6, for scoped addresses (`fe80::1%eth0`), and for a text that is no address.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !nonPublicIpv4.has(address);
    case 6:
      return !address.includes('%') && globalUnicastIpv6.has(address) && !nonPublicIpv6.has(address);
    default:
      return false;
  }
}

/** Returns whether the text is a network such as `127.0.0.0/8` or `::1/128`; a bare address is a network of one. */
export function isCidr(text: string): boolean {
  const { address, prefix } = splitCidr(text);
  const family = isIP(address);
  return family !== 0 && !address.includes('%') && prefix <= bits(family);
}

/** Returns the set of these networks. Throws RangeError for one that isCidr refuses. */
export function networkSet(cidrs: readonly string[]): NetworkSet {
  const list = new BlockList();
  for (const cidr of cidrs) {
    if (!isCidr(cidr)) throw new RangeError(`not a network: ${cidr}`);
    const { address, prefix } = splitCidr(cidr);
    list.addSubnet(address, prefix, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return {
    isEmpty: cidrs.length === 0,
    has(address) {
      const family = isIP(address);
      if (family === 0 || address.includes('%')) return false;
      return list.check(address, family === 4 ? 'ipv4' : 'ipv6');
    },
  };
}

/** Returns the spelling that the operating system uses for this address, for comparison with a socket's peer. */
export function canonicalAddress(address: string): string {
  return isIP(address) === 6 ? new SocketAddress({ address, family: 'ipv6' }).address : address;
}

function splitCidr(text: string): { address: string; prefix: number } {
  const [address = '', prefixText, ...rest] = text.split('/');
  if (prefixText === undefined) return { address, prefix: bits(isIP(address)) };
  const isPrefix = rest.length === 0 && /^\d{1,3}$/.test(prefixText);
  return { address, prefix: isPrefix ? Number(prefixText) : Number.POSITIVE_INFINITY };
}

function bits(family: number): number {
  return family === 4 ? 32 : 128;
}
