import type { Limiter } from '../../platform/base/scope.ts';
import { createLimiter } from '../../platform/database/query/limiter.ts';
import { createSuccessRecorder } from './record-success.ts';
import { type RoundControl, type RoundOptions, runRound } from './round.ts';
import { createClaimer, LEASE_MARGIN_MS, orderRanks } from './start.ts';

/*
 * Delivers what is due at endpoints, by at most one round per endpoint in this process. The lease allows one round per endpoint in
 * all processes. A round makes the due attempts at its endpoint, and ends.
 *
 * An endpoint without work here has no entry. Otherwise it is in one of three states:
 *
 *   WAITING      no place is free: at most `rounds` endpoints claim or deliver at once
 *   CLAIMING     the statement that takes the lease, and starts the first attempt, is under way
 *   DELIVERING   this process has the lease, and makes one attempt after the other
 *
 *   (none) ──▶ WAITING ──▶ CLAIMING ──▶ DELIVERING ──▶ (none)     nothing is due, or the lease is lost
 *                             │              ├───────▶ WAITING    an attempt failed; `roundMs` is over and others wait; or it was woken up
 *                             └──▶ (none)                         another worker has the lease, or nothing is due
 *
 * A slow endpoint delays only its own round.
 */

export interface DeliverOptions extends RoundOptions {
  limits: {
    /** Endpoints that claim or deliver at once. 5,000 take about 100 MB. */
    rounds: number;
    /** Time after which a round ends if other endpoints wait for a place. */
    roundMs: number;
  };
}

/**
 * Limits the steps to a part of the worker's 20 connections. Recording never waits for starts: if its lease expires
 * first, the delivery is sent again.
 */
export function createStepLimiter(): Limiter {
  const record = createLimiter({ placesInAll: 8 });
  const start = createLimiter({ placesInAll: 4 });
  return { run: (name, step) => (name === 'record' ? record : start).run(name, step) };
}

/** An endpoint that is CLAIMING or DELIVERING. */
interface ActiveRound {
  control: RoundControl;
  claimed: Promise<void>;
  ended: Promise<void>;
}

export type Deliverer = ReturnType<typeof createDeliverer>;

export function createDeliverer(options: DeliverOptions) {
  const { scope, timeoutMs, limits } = options;
  const limiter = createStepLimiter();
  const leaseMs = timeoutMs + LEASE_MARGIN_MS;
  const claim = createClaimer(scope, leaseMs, limiter);
  const shared = { ...options, limiter, recordSuccess: createSuccessRecorder(scope, leaseMs, limiter) };
  /** Index of the next attempt of endpoints that are WAITING, in the order of their arrival. */
  const waitingEndpoints = new Map<string, number>();
  const activeRounds = new Map<string, ActiveRound>();
  let isStopping = false;

  /** (none) → WAITING, unless the endpoint is in a state already. */
  const wait = (endpointId: string, attemptIndex = 0): void => {
    if (!activeRounds.has(endpointId) && !waitingEndpoints.has(endpointId))
      waitingEndpoints.set(endpointId, attemptIndex);
  };
  /** WAITING → CLAIMING, for as many endpoints as there are places. */
  const fillPlaces = (): void => {
    for (const [endpointId, attemptIndex] of waitingEndpoints) {
      if (isStopping || activeRounds.size >= limits.rounds) return;
      waitingEndpoints.delete(endpointId);
      startRound(endpointId, attemptIndex);
    }
  };
  const startRound = (endpointId: string, attemptIndex: number): void => {
    const endsMs = performance.now() + limits.roundMs;
    const control: RoundControl = {
      attemptIndex,
      wasWokenUp: false,
      isUnfinished: false,
      mustEnd() {
        const exceedsRound = control.attemptIndex > attemptIndex && performance.now() >= endsMs;
        return isStopping || (exceedsRound && waitingEndpoints.size > 0);
      },
    };
    const claiming = claim({ endpointId, ranks: orderRanks(attemptIndex) });
    /** DELIVERING → (none) or WAITING. */
    const end = () => {
      activeRounds.delete(endpointId);
      if (control.isUnfinished) wait(endpointId, control.attemptIndex);
      else if (control.wasWokenUp) wait(endpointId);
      fillPlaces();
    };
    const ignore = () => undefined;
    activeRounds.set(endpointId, {
      control,
      claimed: claiming.then(ignore, ignore),
      // A round does not reject. If it did, that must neither end the process nor block its endpoint.
      ended: runRound(shared, endpointId, control, claiming).then(end, end),
    });
  };
  const waitForRounds = () => Promise.all([...activeRounds.values()].map(({ ended }) => ended));
  return {
    /** Resolves when each endpoint is claimed, is delivered to here, or waits for a place. Never rejects. */
    async deliver(endpointIds: readonly string[]): Promise<void> {
      for (const endpointId of endpointIds) this.notify(endpointId, () => true);
      await Promise.all(endpointIds.map((endpointId) => activeRounds.get(endpointId)?.claimed));
    },
    /** Lets a round at the endpoint look again. Otherwise only the owner of the notification claims it. */
    notify(endpointId: string, isOwner: () => boolean): void {
      const round = activeRounds.get(endpointId);
      if (round !== undefined) round.control.wasWokenUp = true;
      else if (isOwner()) {
        wait(endpointId);
        fillPlaces();
      }
    },
    async idle(): Promise<void> {
      while (activeRounds.size > 0) await waitForRounds();
    },
    /** Starts no new rounds, and waits for attempts under way. */
    async stop(): Promise<void> {
      isStopping = true;
      await waitForRounds();
    },
  };
}
