import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { type BatchOptions, createBatcher, LOCKED, type LockWait } from '../../src/database/query/batch.ts';
import { DatabaseUnavailable } from '../../src/database/query/errors.ts';

/** A statement that was begun, and how to end it. */
interface Begun {
  items: readonly string[];
  wait: LockWait;
  end: (results: (string | typeof LOCKED)[]) => void;
  fail: (error: Error) => void;
}

const LOCK_TIMEOUT = Object.assign(new Error('lock timeout'), { code: '55P03' });

/** Items are named after their lane: `a1` is of lane `a`. */
describe('calls that have to wait for a lock', () => {
  let begun: Begun[];
  let begins: PromiseWithResolvers<void>;
  let call: (item: string) => Promise<string>;

  beforeEach(() => {
    begun = [];
    begins = Promise.withResolvers();
    call = join({ places: 2, maxWaitMs: 86_400_000 });
  });

  function join(lanes: BatchOptions<string, string>['lanes']) {
    return createBatcher(begin, {
      size: 10,
      concurrency: 1,
      slotTimeoutMs: 86_400_000,
      laneOf: (item) => item[0] ?? '',
      lanes,
    });
  }

  /** Runs a statement that the test ends. */
  function begin(items: readonly string[], wait: Begun['wait']): Promise<(string | typeof LOCKED)[]> {
    return new Promise((end, fail) => {
      begun.push({ items, wait, end, fail });
      begins.resolve();
      begins = Promise.withResolvers();
    });
  }

  /** Does something, and resolves when the next statement has begun. */
  async function next(action: () => unknown): Promise<Begun> {
    const { promise } = begins;
    action();
    await promise;
    const last = begun.at(-1);
    if (last === undefined) throw new Error('one has begun');
    return last;
  }

  const seen = () => begun.map(({ items, wait }) => [wait, ...items]);

  it('calls that wait for a lock leave their batch, which is repeated without waiting, and wait together apart from it', async () => {
    const calls: Promise<string>[] = [];
    const together = await next(() => calls.push(call('a1'), call('b1'), call('a2')));
    const without = await next(() => together.fail(LOCK_TIMEOUT));
    const lane = await next(() => without.end([LOCKED, 'B1', LOCKED]));
    expect(await calls[1]).to.equal('B1');
    lane.end(['A1', 'A2']);
    expect(await Promise.all(calls)).to.deep.equal(['A1', 'B1', 'A2']);
    expect(seen()).to.deep.equal([
      ['short', 'a1', 'b1', 'a2'],
      ['skip', 'a1', 'b1', 'a2'],
      ['full', 'a1', 'a2'],
    ]);
  });

  it('calls that wait for a lock are joined by later ones of their lane, on one connection, while others pass', async () => {
    const calls: Promise<string>[] = [];
    const alone = await next(() => calls.push(call('a1')));
    const lane = await next(() => alone.fail(LOCK_TIMEOUT));
    const passing = await next(() => calls.push(call('a2'), call('b1'), call('a3')));
    passing.end(['B1']);
    const later = await next(() => lane.end(['A1']));
    later.end(['A2', 'A3']);
    expect(await Promise.all(calls)).to.deep.equal(['A1', 'A2', 'B1', 'A3']);
    expect(seen()).to.deep.equal([
      ['short', 'a1'],
      ['full', 'a1'],
      ['short', 'b1'],
      ['full', 'a2', 'a3'],
    ]);
  });

  it('calls that wait for a lock fail together when the lock cannot be had, and stay apart for a while', async () => {
    const calls = ['a1', 'a2'].map((item) => () => call(item).catch((error: unknown) => error));
    let first: Promise<unknown> | undefined;
    const alone = await next(() => {
      first = calls[0]?.();
    });
    const lane = await next(() => alone.fail(LOCK_TIMEOUT));
    lane.fail(LOCK_TIMEOUT);
    expect(await first).to.equal(LOCK_TIMEOUT);
    const apart = await next(() => void calls[1]?.());
    expect([apart.wait, ...apart.items]).to.deep.equal(['full', 'a2']);
    apart.end(['A2']);
  });

  it('calls that wait for a lock take turns when there are more lanes than connections for them', async () => {
    call = join({ places: 1, maxWaitMs: 86_400_000 });
    const calls: Promise<string>[] = [];
    const together = await next(() => calls.push(call('a1'), call('b1')));
    const without = await next(() => together.fail(LOCK_TIMEOUT));
    const first = await next(() => without.end([LOCKED, LOCKED]));
    expect([first.wait, ...first.items]).to.deep.equal(['full', 'a1']);
    calls.push(call('a2'));
    const second = await next(() => first.end(['A1']));
    expect([second.wait, ...second.items]).to.deep.equal(['full', 'b1']);
    const third = await next(() => second.end(['B1']));
    third.end(['A2']);
    expect(await Promise.all(calls)).to.deep.equal(['A1', 'B1', 'A2']);
  });

  it('calls that wait for a lock reject with DatabaseUnavailable when they wait too long in their lane', async () => {
    call = join({ places: 1, maxWaitMs: 20 });
    const alone = await next(() => void call('a1'));
    const lane = await next(() => alone.fail(LOCK_TIMEOUT));
    const late = await call('a2').catch((error: unknown) => error);
    expect(late).to.be.instanceOf(DatabaseUnavailable);
    lane.end(['A1']);
  });

  describe('after a lock timeout', () => {
    beforeEach(() => {
      mock.timers.enable({ apis: ['setTimeout'] });
      call = join({ places: 1, maxWaitMs: 1_000 });
    });

    afterEach(() => mock.timers.reset());

    const ignored = (item: string) => void call(item).catch(() => undefined);

    /** Makes a call that leaves its batch. Returns its statement in the lane. */
    async function inLane(item: string): Promise<Begun> {
      const alone = await next(() => ignored(item));
      return next(() => alone.fail(LOCK_TIMEOUT));
    }

    async function fail(begun: Begun): Promise<void> {
      begun.fail(LOCK_TIMEOUT);
      await setImmediate();
    }

    it('calls that wait for a connection get it although a lane before them has ended in the meantime', async () => {
      await fail(await inLane('a1'));
      const running = await inLane('b1');
      const late = call('a2').catch((error: unknown) => error);
      mock.timers.tick(1_000);
      expect(await late).to.be.instanceOf(DatabaseUnavailable);
      // The lane has no call any more, and remains for five seconds after its lock timeout.
      mock.timers.tick(4_000);
      await fail(await next(() => ignored('c1')));
      expect(seen().at(-1)).to.deep.equal(['short', 'c1']);
      running.end(['B1']);
      await setImmediate();
      expect(seen().at(-1)).to.deep.equal(['full', 'c1']);
    });

    it('calls stay apart for five seconds after the last lock timeout of their lane, and not after the first', async () => {
      await fail(await inLane('a1'));
      mock.timers.tick(4_000);
      await fail(await next(() => ignored('a2')));
      mock.timers.tick(4_999);
      const apart = await next(() => ignored('a3'));
      expect(apart.wait).to.equal('full');
      await fail(apart);
      mock.timers.tick(5_000);
      expect((await next(() => ignored('a4'))).wait).to.equal('short');
    });
  });
});
