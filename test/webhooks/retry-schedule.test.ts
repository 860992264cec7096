import { expect } from 'chai';
import fc from 'fast-check';
import { DEFAULT_RETRY_SECONDS, nextAttemptDelayMs } from '../../src/webhooks/model/retry-schedule.ts';

/** A retry is found up to this much late. */
const POLL_MS = 3_000;

const retrySeconds = DEFAULT_RETRY_SECONDS;
const middle = () => 0.5;
const waits = fc.integer({ min: 1, max: retrySeconds.length });
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const asked = fc.option(fc.integer({ min: 0, max: 2_147_483_647 }));

function delayMs(failedAttempts: number, random: () => number, retryAfterSeconds: number | null): number {
  const delay = nextAttemptDelayMs({ failedAttempts, retrySeconds, random, retryAfterSeconds });
  if (delay === null) throw new Error('the schedule is exhausted');
  return delay;
}

function waitMs(failedAttempts: number): number {
  return (retrySeconds[failedAttempts - 1] ?? 0) * 1_000;
}

describe('retry schedule', () => {
  it('an exhausted schedule stays exhausted, whatever Retry-After says', () => {
    for (const failedAttempts of [8, 9, 1_000]) {
      const next = { failedAttempts, retrySeconds, random: middle, retryAfterSeconds: 60 };
      expect(nextAttemptDelayMs(next)).to.equal(null);
    }
  });

  it('the retry schedule follows configured waits, fractions of a second included', () => {
    const next = { failedAttempts: 1, retrySeconds: [0.2], random: middle, retryAfterSeconds: null };
    expect(nextAttemptDelayMs(next)).to.equal(200);
    expect(nextAttemptDelayMs({ ...next, failedAttempts: 2 })).to.equal(null);
  });

  it('the retry schedule jitters by at most 10 % either way, in whole milliseconds, the time until it is found included', () => {
    fc.assert(
      fc.property(waits, chance, (failedAttempts, random) => {
        const delay = delayMs(failedAttempts, () => random, null);
        const wait = waitMs(failedAttempts);
        return Number.isInteger(delay) && delay >= wait * 0.9 && delay + POLL_MS <= wait * 1.1;
      }),
    );
  });

  it('the retry schedule never waits longer than a configured wait of a few seconds', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 30, noNaN: true }), chance, (seconds, random) => {
        const next = { failedAttempts: 1, retrySeconds: [seconds], random: () => random, retryAfterSeconds: null };
        const delay = nextAttemptDelayMs(next) ?? 0;
        return delay >= Math.floor(seconds * 900) && delay <= Math.ceil(seconds * 1_000);
      }),
    );
  });

  it('the retry schedule uses the whole range of the jitter', () => {
    expect(delayMs(1, () => 0, null)).to.equal(27_000);
    expect(delayMs(1, () => 1 - Number.EPSILON, null)).to.equal(30_000);
  });

  it('the retry schedule is postponed by Retry-After, never advanced', () => {
    fc.assert(
      fc.property(waits, chance, asked, (failedAttempts, random, retryAfterSeconds) => {
        const plain = delayMs(failedAttempts, () => random, null);
        return delayMs(failedAttempts, () => random, retryAfterSeconds) >= plain;
      }),
    );
  });

  it('the retry schedule waits as long as Retry-After asks for, up to twice the schedule’s wait, the time until it is found included', () => {
    fc.assert(
      fc.property(waits, chance, asked, (failedAttempts, random, retryAfterSeconds) => {
        const delay = delayMs(failedAttempts, () => random, retryAfterSeconds);
        const most = 2 * waitMs(failedAttempts) - POLL_MS;
        return delay <= most && delay >= Math.min((retryAfterSeconds ?? 0) * 1_000, most);
      }),
    );
  });
});
