import { setTimeout as pause } from 'node:timers/promises';
import { createConcurrencyLimiter } from '../../jobs/concurrency-limiter.ts';
import { createSuccessRecorder } from './record-success.ts';
import { leaseMsOf, type RoundControl, type RoundOptions, runRound } from './round.ts';

/*
 * The cast of a delivery. A wake-up job names an endpoint. The deliverer runs at most one round per endpoint and
 * process; the lease makes it at most one in all processes. A round delivers what is due at its endpoint and ends.
 *
 * Rounds wait for receivers, not for each other: a slow or dead endpoint holds its own round and nothing else. Only
 * when all places are taken, rounds that had their turn make room for endpoints that wait, and queue up behind them.
 */

export interface DeliverOptions extends RoundOptions {
  /** Rounds at once; the default suits a worker of its own. */
  maxRounds?: number;
  /** How long a round may last while other endpoints wait for its place; the default is one deadline. */
  turnMs?: number;
}

export interface Deliverer {
  /** Starts a round for the endpoint, or has the running one look again. Never throws; failures are logged. */
  wakeUp(endpointId: string): void;
  /** Resolves when no round is running or about to. */
  idle(): Promise<void>;
  /** Takes no new rounds, lets attempts under way finish, gives all leases up. */
  stop(): Promise<void>;
}

/** As many sockets and small objects, about 100 MB; dead receivers in such numbers are outwaited ten seconds at a time. */
const MAX_ROUNDS = 5_000;

/** Of the worker's 20 connections; recording successes and the sweeps have the rest. */
const DATABASE_STEPS = 12;

/**
 * How long an endpoint that another worker was delivering to is left to it: each doorbell in vain is a write to the
 * endpoint's row, and many workers hear doorbells of the same endpoints. One more look follows, for those that rang
 * meanwhile.
 */
const LEFT_TO_OTHERS_MS = 100;

/** A running round. */
interface Running {
  control: RoundControl;
  done: Promise<void>;
}

/** The deliverer of one worker process. */
export function createDeliverer(options: DeliverOptions): Deliverer {
  const { maxRounds = MAX_ROUNDS, turnMs = options.timeoutMs } = options;
  const limiter = createConcurrencyLimiter(DATABASE_STEPS);
  const recordSuccess = createSuccessRecorder(options.newScope, leaseMsOf(options), limiter);
  const means = { limiter, recordSuccess };
  const running = new Map<string, Running>();
  // In the order in which they rang, with the turns they have had already.
  const waiting = new Map<string, number>();
  // Endpoints left to other workers, and whether they rang meanwhile.
  const left = new Map<string, { wasWokenUp: boolean; over: Promise<void> }>();
  let isStopping = false;

  const start = (endpointId: string, turn: number): void => {
    const endsMs = performance.now() + turnMs;
    let madeRoom = false;
    const control: RoundControl = {
      turn,
      again: false,
      mustEnd() {
        const hadItsTurn = control.turn > turn && performance.now() >= endsMs;
        madeRoom = hadItsTurn && waiting.size > 0;
        return isStopping || madeRoom;
      },
    };
    const ended = (outcome: 'held' | 'ended'): void => {
      running.delete(endpointId);
      if (outcome === 'held') leave(endpointId, control.again);
      else if (madeRoom) waiting.set(endpointId, control.turn);
      else if (control.again) waiting.set(endpointId, 0);
      fill();
    };
    // A round doesn't reject. If one ever did, it must neither end the process nor keep its endpoint for ever.
    const done = runRound(options, endpointId, control, means).then(ended, () => ended('ended'));
    running.set(endpointId, { control, done });
  };
  const leave = (endpointId: string, wasWokenUp: boolean): void => {
    const over = pause(LEFT_TO_OTHERS_MS, undefined, { ref: false }).then(() => {
      const rang = left.get(endpointId)?.wasWokenUp === true;
      left.delete(endpointId);
      if (rang) wakeUp(endpointId);
    });
    left.set(endpointId, { wasWokenUp, over });
  };
  const fill = (): void => {
    for (const [endpointId, turn] of waiting) {
      if (isStopping || running.size >= maxRounds) return;
      waiting.delete(endpointId);
      start(endpointId, turn);
    }
  };
  const wakeUp = (endpointId: string): void => {
    const round = running.get(endpointId);
    const leftAlone = left.get(endpointId);
    if (round !== undefined) round.control.again = true;
    else if (leftAlone !== undefined) leftAlone.wasWokenUp = true;
    else if (!waiting.has(endpointId)) waiting.set(endpointId, 0);
    fill();
  };
  const settled = () => Promise.all([...running.values()].map(({ done }) => done));
  const nextLook = () => Promise.all([...left.values()].flatMap(({ wasWokenUp, over }) => (wasWokenUp ? [over] : [])));
  return {
    wakeUp,
    async idle() {
      while (running.size > 0 || [...left.values()].some(({ wasWokenUp }) => wasWokenUp)) {
        await settled();
        await nextLook();
      }
    },
    async stop() {
      isStopping = true;
      await settled();
    },
  };
}
