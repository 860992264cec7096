import { expect } from 'chai';
import { DatabaseUnavailable } from '../../src/database/query/errors.ts';
import { createPracticeLimiter } from '../../src/limits/practice-limiter.ts';

describe('the limiter of what practices do at once', () => {
  const never = new Promise<never>(() => {});

  it('runs so many of a practice, the others in the order in which they came', async () => {
    const limiter = createPracticeLimiter(2, 86_400_000);
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

  it('keeps no practice waiting for another', async () => {
    const limiter = createPracticeLimiter(1, 86_400_000);
    void limiter.run('a', () => never);
    expect(await limiter.run('b', async () => 'done')).to.equal('done');
  });

  it('hands a place on when its work fails', async () => {
    const limiter = createPracticeLimiter(1, 86_400_000);
    const failed = limiter.run('a', () => Promise.reject(new Error('no'))).catch(() => 'failed');
    expect(await limiter.run('a', async () => 'done')).to.equal('done');
    expect(await failed).to.equal('failed');
  });

  it('rejects work that waits too long with DatabaseUnavailable, and removes it from the queue', async () => {
    const limiter = createPracticeLimiter(1, 20);
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
});
