import type { Scope } from '../../platform/base/scope.ts';
import {
  type BatchOptions,
  type CreateBatcher,
  type LockWaitMs,
  REQUEST_LIMITS,
} from '../../platform/database/query/batch.ts';
import { withPlace } from '../../platform/database/query/transaction.ts';
import type {
  CreateOutcome,
  CreateStore,
  LinkCreate,
  LinkRead,
  LinkRef,
  LinkStore,
  LinkWrite,
  WriteOutcome,
} from './port.ts';

/** The store of links, with one link per call. It has the errors and outcomes of `LinkStore` and `CreateStore`. */
export interface SingleLinkStore extends Pick<LinkStore, 'exclusively'> {
  read(scope: Scope, ref: LinkRef): Promise<LinkRead | null>;
  write(scope: Scope, write: LinkWrite): Promise<WriteOutcome>;
  create(scope: Scope, create: LinkCreate): Promise<CreateOutcome>;
}

/** Scopes of a batch differ in the actor only, whom writes and creates name. */
interface Scoped<Item> {
  scope: Scope;
  item: Item;
}

/** Creates the store that makes a statement of each call. A call outside of a transaction takes a place of the practice's limiter. */
export function createSeparateStore(store: LinkStore & CreateStore): SingleLinkStore {
  return {
    exclusively: store.exclusively,
    read: (scope, ref) => withPlace(scope, async (scope) => only(await store.read(scope, [ref]))),
    write: (scope, write) => withPlace(scope, async (scope) => only(await store.write(scope, [write], null))),
    create: (scope, create) => withPlace(scope, async (scope) => only(await store.create(scope, [create], null))),
  };
}

/**
 * Creates the store that makes one statement of calls that arrive together (docs/decisions/0013-batches.md). A call of a transaction
 * stays apart: in a batch, it would be written without that transaction, or wait for its locks.
 */
export function createGatheringStore(store: LinkStore & CreateStore, createBatcher: CreateBatcher): SingleLinkStore {
  const separateStore = createSeparateStore(store);
  const gather = <Item, Result>(
    runSeparately: (scope: Scope, item: Item) => Promise<Result>,
    runTogether: (scope: Scope, items: readonly Item[], lockWaitMs: LockWaitMs) => Promise<readonly Result[]>,
    options: BatchOptions<Scoped<Item>>,
  ) => {
    const runInBatch = createBatcher(async (calls: readonly Scoped<Item>[], lockWaitMs) => {
      const [first] = calls;
      const items = calls.map(({ item }) => item);
      return first === undefined ? [] : runTogether(first.scope, items, lockWaitMs);
    }, options);
    return (scope: Scope, item: Item) =>
      scope.em.isInTransaction() ? runSeparately(scope, item) : runInBatch({ scope, item });
  };
  const byPractice = {
    ...REQUEST_LIMITS,
    groupOf: ({ item }: Scoped<{ practiceId: string }>) => item.practiceId,
  };
  return {
    exclusively: store.exclusively,
    read: gather(separateStore.read, store.read, REQUEST_LIMITS),
    write: gather(separateStore.write, (...call) => writeDifferent(store, ...call), byPractice),
    create: gather(separateStore.create, store.create, byPractice),
  };
}

/** Writes the first change of each link. A further change of the same link is stale, because the first one raises the version. */
async function writeDifferent(
  store: LinkStore,
  scope: Scope,
  writes: readonly LinkWrite[],
  lockWaitMs: LockWaitMs,
): Promise<WriteOutcome[]> {
  const firstWrites = new Map(writes.toReversed().map((write) => [write.linkId, write]));
  const outcomes = await store.write(scope, [...firstWrites.values()], lockWaitMs);
  const byWrite = new Map([...firstWrites.values()].map((write, index) => [write, outcomes[index]]));
  return writes.map((write) => byWrite.get(write) ?? { outcome: 'stale' });
}

function only<Result>([result]: readonly Result[]): Result {
  if (result === undefined) throw new Error('the store returns a result for each link');
  return result;
}
