import type { Limiter } from '../../base/scope.ts';
import { createLimiter } from '../../database/query/limiter.ts';
import { LEASE_MARGIN_MS } from './lease.ts';
import { createSuccessRecorder } from './record.ts';
import { type RoundControl, type RoundOptions, runRound } from './round.ts';
import { createClaimer } from './start.ts';

/*
 * A wake-up names an endpoint, and all workers hear it. The deliverer runs at most one round per endpoint in this process. The
 * lease allows one round per endpoint in all processes. A round makes the due attempts at its endpoint, and ends.
 *
 * A slow endpoint delays only its own round. If all places are taken and endpoints wait, rounds end that have lasted `maxRoundMs`,
 * and their endpoints wait for a place again.
 */

export interface DeliverOptions extends RoundOptions {
  /** Maximum number of concurrent rounds; the default suits a process that is only a worker. */
  maxRounds?: number;
  /** Duration after which a round ends if other endpoints wait for a place; default: the deadline of one attempt. */
  maxRoundMs?: number;
  /**
   * Longest wait for a retry for which this process sets a timer; default: 30 seconds, 0 for no timers. The recurring job
   * `enqueue_due_deliveries` finds later retries, up to three seconds late.
   */
  timedRetryMs?: number;
}

export interface Deliverer {
  /**
   * Starts a round for the endpoint, or makes the running round look for due deliveries again. Never throws; failures are
   * logged.
   */
  wakeUp(endpointId: string): void;
  /** Resolves when no round runs and none is scheduled. */
  idle(): Promise<void>;
  /** Starts no new rounds, waits for attempts under way, and releases all leases. */
  stop(): Promise<void>;
}

/** Maximum number of concurrent rounds. Each needs a socket and some small objects: about 100 MB for all. */
const MAX_ROUNDS = 5_000;

/**
 * Concurrent database steps by their name, of the worker's 20 connections. Recording successes and recurring jobs use the others. A step
 * that records never waits for steps that start attempts: if its lease expires first, the delivery is sent again.
 */
const DATABASE_STEPS = { record: 8, start: 4 };

/** Creates the limiter of the steps that rounds share. */
export function createStepLimiter(): Limiter {
  const record = createLimiter({ placesInAll: DATABASE_STEPS.record });
  const start = createLimiter({ placesInAll: DATABASE_STEPS.start });
  return { run: (name, step) => (name === 'record' ? record : start).run(name, step) };
}

/**
 * Time for which this process leaves an endpoint to the worker that has its lease. That worker hears the same wake-ups. After a
 * wake-up within this time, this process claims the lease once more, in case that worker stops.
 */
const LEASED_ELSEWHERE_MS = 100;

/** Time added to a timer, so that the delivery is due by the clock of the database when the timer fires. */
const CLOCK_SLACK_MS = 50;

interface Running {
  control: RoundControl;
  done: Promise<void>;
}

export function createDeliverer(options: DeliverOptions): Deliverer {
  const { scope, maxRounds = MAX_ROUNDS, maxRoundMs = options.timeoutMs, timedRetryMs = 30_000 } = options;
  const limiter = createStepLimiter();
  const leaseMs = options.timeoutMs + LEASE_MARGIN_MS;
  const recordSuccess = createSuccessRecorder(scope, leaseMs, limiter);
  const claim = createClaimer(scope, leaseMs, limiter);
  const dependencies = { leaseMs, limiter, claim, recordSuccess };
  const running = new Map<string, Running>();
  // Endpoints that wait for a place, in the order of their wake-ups, with the index of the next attempt.
  const waiting = new Map<string, number>();
  // Endpoints that are left to another worker for a while. True after a wake-up in this time.
  const leasedElsewhere = new Map<string, boolean>();
  let isStopping = false;

  const start = (endpointId: string, attemptIndex: number): void => {
    const endsMs = performance.now() + maxRoundMs;
    let endsForOthers = false;
    const control: RoundControl = {
      attemptIndex,
      wasWokenUp: false,
      retryIn(delayMs) {
        if (delayMs <= timedRetryMs) setTimeout(wakeUp, delayMs + CLOCK_SLACK_MS, endpointId).unref();
      },
      mustEnd() {
        const exceedsMaxRound = control.attemptIndex > attemptIndex && performance.now() >= endsMs;
        endsForOthers = exceedsMaxRound && waiting.size > 0;
        return isStopping || endsForOthers;
      },
    };
    const onEnd = (outcome: 'not_claimed' | 'ended'): void => {
      running.delete(endpointId);
      if (outcome === 'not_claimed') leaveToOtherWorker(endpointId);
      else if (endsForOthers) waiting.set(endpointId, control.attemptIndex);
      else if (control.wasWokenUp) waiting.set(endpointId, 0);
      fill();
    };
    // A round does not reject. If it did, that must neither end the process nor block its endpoint.
    const done = runRound(options, endpointId, control, dependencies).then(onEnd, () => onEnd('ended'));
    running.set(endpointId, { control, done });
  };
  const leaveToOtherWorker = (endpointId: string): void => {
    leasedElsewhere.set(endpointId, false);
    const end = () => {
      const wasWokenUp = leasedElsewhere.get(endpointId);
      leasedElsewhere.delete(endpointId);
      if (wasWokenUp) wakeUp(endpointId);
    };
    setTimeout(end, LEASED_ELSEWHERE_MS).unref();
  };
  const fill = (): void => {
    for (const [endpointId, attemptIndex] of waiting) {
      if (isStopping || running.size >= maxRounds) return;
      waiting.delete(endpointId);
      start(endpointId, attemptIndex);
    }
  };
  const wakeUp = (endpointId: string): void => {
    const round = running.get(endpointId);
    if (round !== undefined) round.control.wasWokenUp = true;
    else if (leasedElsewhere.has(endpointId)) leasedElsewhere.set(endpointId, true);
    else if (!waiting.has(endpointId)) waiting.set(endpointId, 0);
    fill();
  };
  const waitForRounds = () => Promise.all([...running.values()].map(({ done }) => done));
  return {
    wakeUp,
    async idle() {
      while (running.size > 0) await waitForRounds();
    },
    async stop() {
      isStopping = true;
      await waitForRounds();
    },
  };
}
