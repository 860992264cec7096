import type { Scope } from '../platform/base/scope.ts';
import { type CountedRequest, countRequests, createRateWindows, type Verdict } from './rate-windows.ts';

/** Result of a rate window. `retrySeconds` are the whole seconds until the window has room, at least 1. */
export type RateSlot = { granted: true } | { granted: false; retrySeconds: number };

export type RateSlots = (request: Pick<CountedRequest, 'subject' | 'limit'>) => Promise<RateSlot>;

/** Creates the rate slots of one process. Requests that arrive together share a statement; each is counted by itself. */
export function createRateSlots(newScope: () => Scope): RateSlots {
  const count = createRateWindows(newScope);
  return async (request) => toSlot(await count({ ...request, hash: null }));
}

/** Counts one request by a separate statement, or refuses it. */
export async function takeRateSlot(scope: Scope, subject: string, limit: number): Promise<RateSlot> {
  const [verdict] = await countRequests(scope, [{ subject, limit, hash: null }], null);
  if (verdict === undefined) throw new Error('a statement that waits for locks counts each request');
  return toSlot(verdict);
}

/** Returns the slot. Here no request has a key, so `no_key` is the verdict of a request that its window admits. */
function toSlot({ verdict, reset_seconds: retrySeconds }: Verdict): RateSlot {
  return verdict === 'no_key' ? { granted: true } : { granted: false, retrySeconds };
}
