import { BlockList, type IPVersion, isIP, SocketAddress } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface NetworkSet {
  readonly isEmpty: boolean;
  /** Returns false for a text that is no address. */
  has(address: string): boolean;
}

/** Azure's host, reachable from every virtual machine there. Its range is public, so ipaddr.js calls it unicast. */
const AZURE_HOST = '168.63.129.16';

/** ipaddr.js also calls unallocated networks unicast, and IPv4 addresses in an outdated wrap of IPv6 (`::7f00:1`). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Returns false for the special-purpose networks of the IANA registries and for a text that is no address. So it does
 * for IPv4 addresses wrapped in IPv6, and scoped ones (`fe80::1%eth0`).
 */
export function isPublicAddress(address: string): boolean {
  // ipaddr.js also reads short, octal and hexadecimal spellings of IPv4.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_UNICAST) : address !== AZURE_HOST;
}

export function isCidr(text: string): boolean {
  return parseNetwork(text) !== null;
}

/**
 * Node's list, because ipaddr.js reads `::127.0.0.1` as `127.0.0.1`, which is outside of the networks.
 * @throws RangeError for a network that isCidr refuses
 */
export function networkSet(cidrs: readonly string[]): NetworkSet {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const network = parseNetwork(cidr);
    if (network === null) throw new RangeError(`not a network: ${cidr}`);
    list.addSubnet(network.address, network.prefix, network.family);
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

/** The spelling of the operating system, for comparison with a socket's peer. */
export function canonicalAddress(address: string): string {
  return isIP(address) === 6 ? new SocketAddress({ address, family: 'ipv6' }).address : address;
}

function parseNetwork(text: string): { address: string; prefix: number; family: IPVersion } | null {
  const [, address = '', digits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bits = isIP(address) === 4 ? 32 : 128;
  const prefix = Number(digits ?? bits);
  if (isIP(address) === 0 || prefix > bits) return null;
  return { address, prefix, family: bits === 32 ? 'ipv4' : 'ipv6' };
}
