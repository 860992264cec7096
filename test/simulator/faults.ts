import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { CreateStore, LinkStore } from '../../src/payment-links/store/port.ts';
import { DatabaseUnavailable } from '../../src/platform/database/query/errors.ts';

/** Waits until a step of the history resumes the actor. Returns a number, which decides about faults. */
export type Pause = (at: string) => Promise<number>;

/** Returns the store with faults: stale writes, lock timeouts and lost answers. */
export function faultyStore(store: LinkStore, pause: Pause): LinkStore & CreateStore {
  const asked = async (at: string): Promise<number> => {
    const luck = await pause(at);
    if (luck % 16 === 1) throw new DatabaseUnavailable(new Error('the request is lost, or waits for a lock too long'));
    return luck;
  };
  const answered = async <T>(result: T): Promise<T> => {
    // The write is committed, but the process does not know that.
    if ((await pause('has written')) % 16 === 0) throw new DatabaseUnavailable(new Error('the answer is lost'));
    return result;
  };
  return {
    // Links are made by the world.
    create: () => Promise.reject(new Error('an actor creates no link')),
    read: (scope, refs) => store.read(scope, refs),
    async write(scope, writes, lockWaitMs) {
      const luck = await asked('writes');
      return luck % 16 === 2
        ? writes.map(() => ({ outcome: 'stale' }) as const)
        : answered(await store.write(scope, writes, lockWaitMs));
    },
    async exclusively(scope, ref, work) {
      await asked('locks');
      return answered(await store.exclusively(scope, ref, work));
    },
  };
}

/** Returns a generator of 32 random bits: splitmix32. */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let bits = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return (bits ^ (bits >>> 15)) >>> 0;
  };
}

const { randomBytes } = crypto;

/** Runs the work with ids that depend on the seed only. No other work may run in the process at the same time. */
export async function withSeededIds<T>(seed: number, work: () => Promise<T>): Promise<T> {
  const next = randomNumbers(seed);
  // Only the overload without a callback is used.
  crypto.randomBytes = ((size: number) => Buffer.from(Array.from({ length: size }, next))) as typeof randomBytes;
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    crypto.randomBytes = randomBytes;
    syncBuiltinESMExports();
  }
}
