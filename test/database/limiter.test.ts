import { expect } from 'chai';
import { DatabaseUnavailable } from '../../src/platform/database/query/errors.ts';
import { createLimiter } from '../../src/platform/database/query/limiter.ts';

describe('the limiter', () => {
  const never = new Promise<never>(() => {});

  it('the limiter runs a limited number for a practice, and the others in the order of their arrival', async () => {
    const limiter = createLimiter({ placesPerName: 2, placesInAll: 10, maxWaitMs: 86_400_000 });
    const begun: number[] = [];
    const ends = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const runs = ends.map(({ promise }, number) =>
      limiter.run('a', () => {
        begun.push(number);
        return promise;
      }),
    );
    await new Promise(setImmediate);
    expect(begun).to.deep.equal([0, 1]);
    ends[1]?.resolve();
    await runs[1];
    await new Promise(setImmediate);
    expect(begun).to.deep.equal([0, 1, 2]);
    for (const { resolve } of ends) resolve();
    await Promise.all(runs);
    expect(begun).to.deep.equal([0, 1, 2, 3]);
  });

  it('the limiter keeps no practice waiting for another', async () => {
    const limiter = createLimiter({ placesPerName: 1, placesInAll: 10, maxWaitMs: 86_400_000 });
    void limiter.run('a', () => never);
    expect(await limiter.run('b', async () => 'done')).to.equal('done');
  });

  it('the limiter frees the place of work that fails', async () => {
    const limiter = createLimiter({ placesPerName: 1, placesInAll: 10, maxWaitMs: 86_400_000 });
    const failed = limiter.run('a', () => Promise.reject(new Error('no'))).catch(() => 'failed');
    expect(await limiter.run('a', async () => 'done')).to.equal('done');
    expect(await failed).to.equal('failed');
  });

  it('the limiter rejects an item that waits too long as if the database were away, and forgets it', async () => {
    const limiter = createLimiter({ placesPerName: 1, placesInAll: 10, maxWaitMs: 20 });
    const end = Promise.withResolvers<void>();
    const first = limiter.run('a', () => end.promise);
    let hasRun = false;
    const late = await limiter
      .run('a', async () => {
        hasRun = true;
      })
      .catch((error: unknown) => error);
    expect(late).to.be.instanceOf(DatabaseUnavailable);
    end.resolve();
    await first;
    expect(await limiter.run('a', async () => 'done')).to.equal('done');
    expect(hasRun).to.equal(false);
  });

  it('the limiter bounds the work of all practices together, and practices that wait take turns', async () => {
    const limiter = createLimiter({ placesPerName: 2, placesInAll: 2, maxWaitMs: 86_400_000 });
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const start = (practice: string) =>
      limiter.run(practice, () => {
        begun.push(practice);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    const runs = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(start);
    for (let ended = 0; ended < runs.length; ended++) {
      await new Promise(setImmediate);
      expect(begun.length - ended).to.equal(Math.min(2, runs.length - ended));
      ends[ended]?.();
    }
    await Promise.all(runs);
    expect(begun.join('')).to.equal('aabcaba');
  });
});
