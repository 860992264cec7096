import { strict as assert } from 'node:assert';
import type { Scope } from '../../../src/base/scope.ts';
import type { LinkStore, Read, Stamp } from '../../../src/payment-links/store/port.ts';
import { postgres } from '../../../src/payment-links/store/postgres.ts';

/**
 * Returns a store that does everything in memory and in PostgreSQL, and fails where they differ. For actors that act one after the
 * other.
 */
export function bothStores(memory: LinkStore, newScope: () => Scope): LinkStore {
  /** Scopes of PostgreSQL by the entity managers of those in memory. */
  const scopes = new WeakMap<object, Scope>();
  const scopeOf = ({ em, clock }: Scope) => ({ ...(scopes.get(em) ?? newScope()), clock });
  /** Stamps of PostgreSQL by links and versions in memory: each store counts its own versions. */
  const stamps = new Map<string, Stamp>();
  return {
    async read(scope, refs) {
      const [own, other] = [await memory.read(scope, refs), await postgres.read(scopeOf(scope), refs)];
      assert.deepEqual(other.map(comparable), own.map(comparable), 'both stores read the same');
      for (const [index, read] of own.entries()) {
        const stamp = other[index]?.stamp;
        if (read !== null && stamp !== undefined) stamps.set(`${read.state.link.id} ${read.stamp.version}`, stamp);
      }
      return own;
    },
    async write(scope, writes, wait) {
      const theirs = writes.map((write) => {
        const { version = 0, subscriptions = null } = stamps.get(`${write.linkId} ${write.stamp.version}`) ?? {};
        return { ...write, stamp: { version, subscriptions: write.stamp.subscriptions && subscriptions } };
      });
      const [own, other] = [
        await memory.write(scope, writes, wait),
        await postgres.write(scopeOf(scope), theirs, wait),
      ];
      assert.deepEqual(
        other.map(({ outcome }) => outcome),
        own.map(({ outcome }) => outcome),
        'both stores write the same',
      );
      return own;
    },
    exclusively: (scope, ref, work) =>
      memory.exclusively(scope, ref, (own) =>
        postgres.exclusively(scopeOf(scope), ref, (other) => {
          scopes.set(own.em, other);
          return work(own);
        }),
      ),
  };
}

/** Returns what both stores must agree on: all but the versions and the name of the location. */
function comparable(read: Read | null) {
  if (read === null) return null;
  const { state, endpoints } = read;
  return { endpoints, state: { ...state, location: state.location.id, link: { ...state.link, version: 0 } } };
}
