import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../../scripts/service.ts';
import { withoutAccount } from '../../test/harness/programs.ts';

/**
 * Addresses of the rig, on loopback. The programs of a node listen on its inner address. The other nodes and HAProxy know its
 * outer address only, which leads through the node's network.
 */
export const ADDRESSES = {
  etcd: '127.0.15.9',
  database: '127.0.15.5',
  outer: (node: number) => `127.0.15.${10 + node}`,
  inner: (node: number) => `127.0.15.${20 + node}`,
  /** Address of etcd for the programs of a node. */
  etcdOf: (node: number) => `127.0.15.${30 + node}`,
} as const;

export const NODES = [1, 2, 3] as const;

/** Password of every role. The cluster lives for minutes, on loopback. */
export const PASSWORD = 'failover';

/**
 * Returns a file of `operations/` with its placeholders filled.
 *
 * @throws if a placeholder is left, or if one of the values has no placeholder
 */
export function fillTemplate(file: string, values: Readonly<Record<string, string>>): string {
  const text = readFileSync(join(checkout, 'operations', file), 'utf8');
  const used = new Set<string>();
  // Comments name the placeholders, and stay as they are.
  const filled = text.replace(/^(?!\s*#).*$/gm, (line) =>
    line.replace(/__([A-Z0-9_]+?)__/g, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`operations/${file} has a placeholder ${name} without a value`);
      used.add(name);
      return value;
    }),
  );
  const unused = Object.keys(values).filter((name) => !used.has(name));
  if (unused.length > 0) throw new Error(`operations/${file} has no placeholder ${unused.join(', ')}`);
  return filled;
}

/** Returns the configuration of Patroni on a node. */
export function patroniConfiguration(node: number, dataFolder: string, postgresFolder: string): string {
  return fillTemplate('patroni/patroni.yml', {
    NODE: `node-${node}`,
    LISTEN_ADDRESS: ADDRESSES.inner(node),
    NODE_ADDRESS: ADDRESSES.outer(node),
    ETCD_HOSTS: `${ADDRESSES.etcdOf(node)}:2379`,
    NETWORK: '127.0.0.0/8',
    DATA_FOLDER: dataFolder,
    PROGRAMS_FOLDER: postgresFolder,
    // The path of a socket may have a hundred characters only, and checkouts lie deep.
    SOCKET_FOLDER: '',
    INTERFACE_PASSWORD: PASSWORD,
    REPLICATION_PASSWORD: PASSWORD,
    SUPERUSER_PASSWORD: PASSWORD,
    REWIND_PASSWORD: PASSWORD,
  });
}

/** Returns the configuration of HAProxy in front of the nodes. */
export function databaseProxyConfiguration(): string {
  const text = fillTemplate('haproxy/haproxy.cfg', {
    LISTEN_ADDRESS: ADDRESSES.database,
    ...Object.fromEntries(NODES.map((node) => [`NODE_${node}_ADDRESS`, ADDRESSES.outer(node)])),
  });
  return withoutAccount(text);
}

/**
 * Returns the configuration of a node's network: an HAProxy that carries everything between the node and the others. While
 * it is stopped, packets go nowhere and connections stay open, as when a cable is pulled.
 */
export function networkConfiguration(node: number): string {
  const route = (name: string, from: string, to: string, port: number) =>
    `listen ${name}\n  bind ${from}:${port}\n  server to ${to}:${port}\n`;
  return `defaults
  mode tcp
  timeout connect 5s
  timeout client 1h
  timeout server 1h

${route('postgres', ADDRESSES.outer(node), ADDRESSES.inner(node), 5432)}
${route('patroni', ADDRESSES.outer(node), ADDRESSES.inner(node), 8008)}
${route('etcd', ADDRESSES.etcdOf(node), ADDRESSES.etcd, 2379)}`;
}
