import { expect } from 'chai';
import { createBatcher } from '../../src/platform/database/query/batch.ts';
import { DatabaseUnavailable } from '../../src/platform/database/query/errors.ts';

/** A batch that was begun, and how to end it. */
interface Begun {
  items: readonly number[];
  end: (results: number[]) => void;
  fail: (error: Error) => void;
}

describe('batched calls', () => {
  let begun: Begun[];
  /** Resolved at the beginning of the next batch. */
  let nextBegins: PromiseWithResolvers<void>;
  const never = 86_400_000;
  const groupOf = (item: number) => `${item % 10}`;

  beforeEach(() => {
    begun = [];
    nextBegins = Promise.withResolvers();
  });

  function run(items: readonly number[]): Promise<number[]> {
    return new Promise((end, fail) => {
      begun.push({ items, end, fail });
      nextBegins.resolve();
      nextBegins = Promise.withResolvers();
    });
  }

  const batches = () => begun.map(({ items }) => items);

  it('calls of one event loop turn run in one batch, in their order, each with its own result', async () => {
    const call = createBatcher(run, { size: 10, concurrency: 1, slowAfterMs: never, groupOf });
    const calls = [1, 2, 3].map(call);
    await nextBegins.promise;
    begun[0]?.end([10, 20, 30]);
    expect(await Promise.all(calls)).to.deep.equal([10, 20, 30]);
    expect(batches()).to.deep.equal([[1, 2, 3]]);
  });

  it('calls that come while all places for batches are taken form the next batch', async () => {
    const call = createBatcher(run, { size: 10, concurrency: 2, slowAfterMs: never, groupOf });
    const calls = [];
    for (const item of [1, 2]) {
      const begins = nextBegins.promise;
      calls.push(call(item));
      await begins;
    }
    calls.push(call(3), call(4));
    await new Promise(setImmediate);
    expect(batches()).to.deep.equal([[1], [2]]);
    const begins = nextBegins.promise;
    begun[1]?.end([20]);
    await begins;
    expect(batches()).to.deep.equal([[1], [2], [3, 4]]);
    begun[0]?.end([10]);
    begun[2]?.end([30, 40]);
    expect(await Promise.all(calls)).to.deep.equal([10, 20, 30, 40]);
  });

  it('a call that may wait for others runs with the next one that may not', async () => {
    const gatherMsOf = (item: number) => (item === 3 ? 0 : never);
    const call = createBatcher(run, { size: 10, concurrency: 1, gatherMsOf });
    const calls = [call(1), call(2)];
    await new Promise(setImmediate);
    expect(batches()).to.deep.equal([]);
    calls.push(call(3));
    await nextBegins.promise;
    begun[0]?.end([10, 20, 30]);
    expect(await Promise.all(calls)).to.deep.equal([10, 20, 30]);
    expect(batches()).to.deep.equal([[1, 2, 3]]);
  });

  it('a call that may wait for others runs alone when none comes, as does the one after it', async () => {
    const call = createBatcher(run, { size: 10, concurrency: 1, gatherMsOf: () => 1 });
    for (const item of [1, 2]) {
      const begins = nextBegins.promise;
      const result = call(item);
      await begins;
      begun[item - 1]?.end([item * 10]);
      expect(await result).to.equal(item * 10);
    }
    expect(batches()).to.deep.equal([[1], [2]]);
  });

  it('batched calls never exceed the size of a batch', async () => {
    const call = createBatcher(run, { size: 2, concurrency: 3, slowAfterMs: never, groupOf });
    for (const item of [1, 2, 3, 4, 5]) void call(item);
    await nextBegins.promise;
    expect(batches()).to.deep.equal([[1, 2], [3, 4], [5]]);
  });

  it('batched calls fail together when their batch does, and others go on', async () => {
    const call = createBatcher(run, { size: 2, concurrency: 1, slowAfterMs: never, groupOf });
    const calls = [1, 2, 3].map((item) => call(item).catch((error: unknown) => error));
    await nextBegins.promise;
    const begins = nextBegins.promise;
    const error = new Error('no');
    begun[0]?.fail(error);
    await begins;
    begun[1]?.end([30]);
    expect(await Promise.all(calls)).to.deep.equal([error, error, 30]);
  });

  it('batched calls are done one after the other when the server refuses them together', async () => {
    const call = createBatcher(run, { size: 3, concurrency: 1, slowAfterMs: never, groupOf });
    const calls = [1, 2, 3].map((item) => call(item).catch((error: unknown) => error));
    const refusal = Object.assign(new Error('check violation'), { code: '23514' });
    for (const end of [() => begun[0]?.fail(refusal), () => begun[1]?.end([10]), () => begun[2]?.fail(refusal)]) {
      const begins = nextBegins.promise;
      if (begun.length === 0) await begins;
      const then = nextBegins.promise;
      end();
      await then;
    }
    begun[3]?.end([30]);
    expect(await Promise.all(calls)).to.deep.equal([10, refusal, 30]);
    expect(batches()).to.deep.equal([[1, 2, 3], [1], [2], [3]]);
  });

  it('batched calls reject with DatabaseUnavailable when they wait too long for their batch', async () => {
    const call = createBatcher(run, { size: 1, concurrency: 1, slowAfterMs: never, maxWaitMs: 500, groupOf });
    void call(1);
    await nextBegins.promise;
    const second = call(2).catch((error: unknown) => error);
    const sinceMs = performance.now();
    while (performance.now() - sinceMs <= 500);
    void call(3);
    expect(await second).to.be.instanceOf(DatabaseUnavailable);
    expect(batches()).to.deep.equal([[1]]);
  });

  it('batched calls fail when their batch has not a result for each', async () => {
    const call = createBatcher(run, { size: 2, concurrency: 1, slowAfterMs: never, groupOf });
    const calls = Promise.allSettled([call(1), call(2)]);
    await nextBegins.promise;
    begun[0]?.end([10]);
    expect((await calls).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
  });

  it('batched calls do not wait for a batch that takes very long, and its end makes no further room', async () => {
    const call = createBatcher(run, { size: 1, concurrency: 1, slowAfterMs: 5, groupOf });
    const calls = [1, 2].map(call);
    await nextBegins.promise;
    await nextBegins.promise;
    expect(batches()).to.deep.equal([[1], [2]]);
    begun[1]?.end([20]);
    expect(await calls[1]).to.equal(20);
    begun[0]?.end([10]);
    expect(await calls[0]).to.equal(10);
    const begins = nextBegins.promise;
    void call(3);
    void call(4);
    await begins;
    expect(batches(), 'one at a time, as before').to.deep.equal([[1], [2], [3]]);
  });
});
