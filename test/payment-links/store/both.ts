import { strict as assert } from 'node:assert';
import type { LinkRead, LinkStore } from '../../../src/payment-links/store/port.ts';
import { postgres } from '../../../src/payment-links/store/postgres.ts';
import type { Scope } from '../../../src/platform/base/scope.ts';

/**
 * Returns a store that does everything in memory and in PostgreSQL, and fails where they differ. For actors that act one after the
 * other.
 */
export function bothStores(memory: LinkStore, newScope: () => Scope): LinkStore {
  /** Scopes of PostgreSQL by the entity managers of those in memory. */
  const scopes = new WeakMap<object, Scope>();
  const scopeOf = ({ em, clock }: Scope) => ({ ...(scopes.get(em) ?? newScope()), clock });
  /** Endpoints by links, as PostgreSQL writes them. */
  const subscriptions = new Map<string, string>();
  return {
    async read(scope, refs) {
      const [own, other] = [await memory.read(scope, refs), await postgres.read(scopeOf(scope), refs)];
      assert.deepEqual(other.map(comparable), own.map(comparable), 'both stores read the same');
      for (const read of other) if (read !== null) subscriptions.set(read.state.link.id, read.stamp.subscriptions);
      return own;
    },
    async write(scope, writes, lockWaitMs) {
      const theirs = writes.map((write) => {
        const { version, subscriptions: own } = write.stamp;
        return { ...write, stamp: { version, subscriptions: own && (subscriptions.get(write.linkId) ?? '') } };
      });
      const [own, other] = [
        await memory.write(scope, writes, lockWaitMs),
        await postgres.write(scopeOf(scope), theirs, lockWaitMs),
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

/** Returns what both stores must agree on: all but the name of the location and the form of the endpoints. */
function comparable(read: LinkRead | null) {
  if (read === null) return null;
  const { state, stamp, endpoints } = read;
  return { endpoints, version: stamp.version, state: { ...state, location: state.location.id } };
}
