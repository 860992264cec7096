import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { createBatcher, type LockWaitMs } from '../../src/platform/database/query/batch.ts';
import { DatabaseUnavailable } from '../../src/platform/database/query/errors.ts';

/** A statement that was begun, and how to end it. */
interface Begun {
  items: readonly string[];
  lockWaitMs: LockWaitMs;
  end: (results: string[]) => void;
  fail: (error: Error) => void;
}

const LOCK_TIMEOUT = Object.assign(new Error('lock timeout'), { code: '55P03' });

/** Items are named after their group: `a1` is of group `a`. */
describe('batches that meet a lock', () => {
  let begun: Begun[];
  let begins: PromiseWithResolvers<void>;
  let call: (item: string) => Promise<string>;

  beforeEach(() => {
    begun = [];
    begins = Promise.withResolvers();
    call = createBatcher(begin, { size: 10, concurrency: 1, maxWaitMs: 5_000, groupOf: (item) => item[0] ?? '' });
  });

  /** Runs a statement that the test ends. */
  function begin(items: readonly string[], lockWaitMs: LockWaitMs): Promise<string[]> {
    return new Promise((end, fail) => {
      begun.push({ items, lockWaitMs, end, fail });
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

  /** Makes a call that leaves its batch. Returns the statement of its group. */
  async function apart(item: string): Promise<Begun> {
    const alone = await next(() => void call(item).catch(() => undefined));
    return next(() => alone.fail(LOCK_TIMEOUT));
  }

  const seen = () => begun.map(({ items, lockWaitMs }) => [lockWaitMs, ...items]);

  it('a batch that times out at a lock is tried again by group, and only a group that meets the lock waits in full', async () => {
    const calls: Promise<string>[] = [];
    const together = await next(() => calls.push(call('a1'), call('b1'), call('a2')));
    await next(() => together.fail(LOCK_TIMEOUT));
    await setImmediate();
    begun[2]?.end(['B1']);
    expect(await calls[1]).to.equal('B1');
    const group = await next(() => begun[1]?.fail(LOCK_TIMEOUT));
    group.end(['A1', 'A2']);
    expect(await Promise.all(calls)).to.deep.equal(['A1', 'B1', 'A2']);
    expect(seen()).to.deep.equal([
      [100, 'a1', 'b1', 'a2'],
      [100, 'a1', 'a2'],
      [100, 'b1'],
      [null, 'a1', 'a2'],
    ]);
  });

  it('later calls of a group that waits for a lock share its next statement, while other groups pass', async () => {
    const calls: Promise<string>[] = [];
    const alone = await next(() => calls.push(call('a1')));
    const group = await next(() => alone.fail(LOCK_TIMEOUT));
    const passing = await next(() => calls.push(call('a2'), call('b1'), call('a3')));
    passing.end(['B1']);
    const later = await next(() => group.end(['A1']));
    later.end(['A2', 'A3']);
    expect(await Promise.all(calls)).to.deep.equal(['A1', 'A2', 'B1', 'A3']);
    expect(seen()).to.deep.equal([
      [100, 'a1'],
      [null, 'a1'],
      [100, 'b1'],
      [null, 'a2', 'a3'],
    ]);
  });

  it('at most two groups wait at once, and the others take turns with them', async () => {
    const first = await apart('a1');
    const second = await apart('b1');
    const third = await next(() => void call('c1').catch(() => undefined));
    third.fail(LOCK_TIMEOUT);
    await setImmediate();
    expect(begun).to.have.length(5);
    const calls = [call('a2')];
    const fourth = await next(() => first.end(['A1']));
    expect([fourth.lockWaitMs, ...fourth.items]).to.deep.equal([null, 'c1']);
    const fifth = await next(() => fourth.end(['C1']));
    expect(fifth.items).to.deep.equal(['a2']);
    fifth.end(['A2']);
    second.end(['B1']);
    expect(await Promise.all(calls)).to.deep.equal(['A2']);
  });

  it('a call that a constraint refuses does not fail the others of its group', async () => {
    const refusal = Object.assign(new Error('check violation'), { code: '23514' });
    const first = await apart('a0');
    const calls = ['a1', 'a2'].map((item) => call(item).catch((error: unknown) => error));
    const group = await next(() => first.end(['A0']));
    const one = await next(() => group.fail(refusal));
    const two = await next(() => one.fail(refusal));
    two.end(['A2']);
    expect(await Promise.all(calls)).to.deep.equal([refusal, 'A2']);
  });

  it('nothing is repeated after a lost answer, because its outcome is unknown', async () => {
    const lost = new DatabaseUnavailable(new Error('connection lost'));
    const calls = ['a1', 'b1'].map((item) => call(item).catch((error: unknown) => error));
    await begins.promise;
    begun[0]?.fail(lost);
    expect(await Promise.all(calls)).to.deep.equal([lost, lost]);
    expect(begun).to.have.length(1);
  });

  describe('for long', () => {
    beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
    afterEach(() => mock.timers.reset());

    it('a group whose statement timed out stays apart for five seconds', async () => {
      const first = await apart('a1');
      first.fail(LOCK_TIMEOUT);
      await setImmediate();
      mock.timers.tick(4_999);
      const second = await next(() => void call('a2').catch(() => undefined));
      expect(second.lockWaitMs).to.equal(null);
      second.end(['A2']);
      await setImmediate();
      mock.timers.tick(5_000);
      expect((await next(() => void call('a3'))).lockWaitMs).to.equal(100);
    });

    it('a group that gets no place in three seconds rejects with DatabaseUnavailable', async () => {
      await apart('a1');
      await apart('b1');
      const alone = await next(() => void call('c1').catch(() => undefined));
      const late = call('c2').catch((error: unknown) => error);
      alone.fail(LOCK_TIMEOUT);
      await setImmediate();
      const later = call('c3').catch((error: unknown) => error);
      mock.timers.tick(3_000);
      expect(await later).to.be.instanceOf(DatabaseUnavailable);
      void late;
    });
  });
});
