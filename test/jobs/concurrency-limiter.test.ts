import { expect } from 'chai';
import { createConcurrencyLimiter } from '../../src/jobs/concurrency-limiter.ts';

/** Steps that a test ends one by one, and the order in which they began. */
function steps() {
  const begun: string[] = [];
  const endings = new Map<string, { end: () => void; fail: (error: Error) => void }>();
  const step = (name: string) => () => {
    begun.push(name);
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    endings.set(name, { end: () => resolve(name), fail: reject });
    return promise;
  };
  return { begun, step, of: (name: string) => endings.get(name) };
}

const eventLoopTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('the concurrency limiter', () => {
  it('the limiter runs as many steps as it has places, then the others in order, urgent steps first', async () => {
    const limiter = createConcurrencyLimiter(2);
    const { begun, step, of } = steps();
    const all = [
      limiter.run(step('a')),
      limiter.run(step('b')),
      limiter.run(step('c')),
      limiter.run(step('d')),
      limiter.run(step('urgent'), 'urgent'),
    ];
    await eventLoopTurn();
    expect(begun).to.deep.equal(['a', 'b']);
    for (const [ended, ...expected] of [
      ['a', 'a', 'b', 'urgent'],
      ['urgent', 'a', 'b', 'urgent', 'c'],
      ['b', 'a', 'b', 'urgent', 'c', 'd'],
    ]) {
      of(ended ?? '')?.end();
      await eventLoopTurn();
      expect(begun).to.deep.equal(expected);
    }
    of('c')?.end();
    of('d')?.end();
    expect(await Promise.all(all)).to.deep.equal(['a', 'b', 'c', 'd', 'urgent']);
  });

  it('after three urgent steps in a row, one of the others runs', async () => {
    const limiter = createConcurrencyLimiter(1);
    const { begun, step, of } = steps();
    const all = [limiter.run(step('first')), limiter.run(step('other'))];
    for (const name of ['u1', 'u2', 'u3', 'u4', 'u5']) all.push(limiter.run(step(name), 'urgent'));
    await eventLoopTurn();
    for (const name of ['first', 'u1', 'u2', 'u3', 'other', 'u4', 'u5']) {
      of(name)?.end();
      await eventLoopTurn();
    }
    await Promise.all(all);
    expect(begun).to.deep.equal(['first', 'u1', 'u2', 'u3', 'other', 'u4', 'u5']);
  });

  it('a step that fails frees its place, and its error reaches the caller', async () => {
    const limiter = createConcurrencyLimiter(1);
    const { begun, step, of } = steps();
    const first = limiter.run(step('first')).catch((error: Error) => error.message);
    const second = limiter.run(step('second'));
    await eventLoopTurn();
    of('first')?.fail(new Error('broken'));
    expect(await first).to.equal('broken');
    await eventLoopTurn();
    expect(begun).to.deep.equal(['first', 'second']);
    of('second')?.end();
    await second;
    expect(await limiter.run(async () => 'room again')).to.equal('room again');
  });
});
