import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isDatabaseUnavailable } from '../base/database-errors.ts';
import type { Scope } from '../base/scope.ts';
import { decryptSecret } from '../base/secrets.ts';
import {
  type AttemptEnding,
  recordFailure,
  recordSuccess,
  type StartedAttempt,
  startAttempt,
  withdrawAttempt,
} from './attempts.ts';
import { skipWaiting } from './disabling.ts';
import { claimLease, dropLease, type Lease, releaseLease } from './lease.ts';
import { settleOrphans } from './orphans.ts';
import { nextAttemptDelayMs } from './schedule.ts';
import type { Sender } from './send.ts';
import { placeOfSecret } from './service.ts';
import { signatureHeader } from './signature.ts';
import type { Turnstile } from './turnstile.ts';

/** What rounds work with. */
export interface RoundOptions {
  /** A scope of its own for every round. */
  newScope: () => Scope;
  /** Hears of rounds that failed. */
  log: Logger;
  sender: Sender;
  /** The deadline of one attempt, which the lease must outlast. */
  timeoutMs: number;
  retrySeconds: readonly number[];
  random?: () => number;
}

/** What a round is told by the deliverer while it runs. */
export interface RoundControl {
  /** Turns of earlier rounds at the endpoint that had to make room; see `ranksOf`. */
  turn: number;
  /** Set by a doorbell that rang since the round last looked. */
  again: boolean;
  /** Whether to end after the present attempt: the worker stops, or other endpoints wait for this one's place. */
  mustEnd(): boolean;
}

/**
 * What the lease outlasts the attempt's deadline by: time to record the outcome on a busy database. An outcome that takes
 * longer is lost, and the delivery made once more; an endpoint whose worker died waits this much longer for the next.
 */
const LEASE_MARGIN_MS = 5_000;

/** Between two tries to record an outcome while the database is away. */
const RECORD_PAUSE_MS = 250;

/** The order in which the kinds of deliveries are looked at: first attempts, retries, replays (see startAttempt). */
const USUAL_RANKS = [0, 1, 2];

/** Every fourth turn goes to retries first, every sixteenth to replays, so that neither starves behind the others. */
function ranksOf(turn: number): number[] {
  if (turn % 16 === 15) return [2, 0, 1];
  return turn % 4 === 3 ? [1, 0, 2] : USUAL_RANKS;
}

/**
 * One round at an endpoint: claim the lease, settle what a dead worker left, then one due delivery after the other:
 * start the attempt (on record before it is sent), send outside any transaction, record the outcome. Ends when nothing
 * is due, the lease is lost, or it must. Never throws; failures are logged.
 */
export async function runRound(
  options: RoundOptions,
  endpointId: string,
  control: RoundControl,
  turnstile: Turnstile,
): Promise<void> {
  const leaseMs = options.timeoutMs + LEASE_MARGIN_MS;
  try {
    const scope = options.newScope();
    const lease = await turnstile.pass(() => claimLease(scope, endpointId, leaseMs));
    if (lease === null) return;
    const round = new Round(options, scope, lease, leaseMs, control, turnstile);
    if (!(await round.run())) await turnstile.pass(() => dropLease(scope, lease));
  } catch (error) {
    // The lease runs out and the sweep rings again; what was under way ends as interrupted.
    options.log.error({ endpointId, err: error }, 'webhook round failed');
  }
}

class Round {
  readonly #options: RoundOptions;
  readonly #scope: Scope;
  readonly #lease: Lease;
  readonly #leaseMs: number;
  readonly #control: RoundControl;
  readonly #turnstile: Turnstile;

  constructor(
    options: RoundOptions,
    scope: Scope,
    lease: Lease,
    leaseMs: number,
    control: RoundControl,
    turnstile: Turnstile,
  ) {
    this.#options = options;
    this.#scope = scope;
    this.#lease = lease;
    this.#leaseMs = leaseMs;
    this.#control = control;
    this.#turnstile = turnstile;
  }

  /** Whether the lease was given up properly, nothing being due any more. */
  async run(): Promise<boolean> {
    const { endpointId, epoch, orphans } = this.#lease;
    if (orphans > 0) await this.#turnstile.pass(() => settleOrphans(this.#scope, endpointId, epoch, this.#options));
    return (await this.#isDeliverable()) && (await this.#deliverDue());
  }

  /** Whether anything can be sent to the endpoint at all; what waits at a disabled one is skipped. */
  async #isDeliverable(): Promise<boolean> {
    const { endpointId, enabled, secretCiphertext } = this.#lease;
    if (!enabled) {
      // What doesn't fit in has rung for the next round.
      await this.#turnstile.pass(() => skipWaiting(this.#scope, endpointId));
      return false;
    }
    // Without a usable key nothing could be signed: what waits goes on waiting, and no attempt is burnt.
    if (decryptSecret(this.#scope.keyring, placeOfSecret(endpointId), secretCiphertext) !== null) return true;
    const message = 'the webhook secret cannot be read: deliveries wait for a usable SECRETS_KEY';
    this.#scope.log.error({ endpointId }, message);
    return false;
  }

  /** One due delivery after the other. */
  async #deliverDue(): Promise<boolean> {
    const control = this.#control;
    const scope = this.#scope;
    for (; !control.mustEnd(); control.turn++) {
      control.again = false;
      const attempt = await this.#turnstile.pass(() =>
        startAttempt(scope, this.#lease, this.#leaseMs, ranksOf(control.turn)),
      );
      if (attempt === null) return false;
      if (attempt === 'none') {
        if (!control.again && (await this.#turnstile.pass(() => releaseLease(scope, this.#lease)))) return true;
      } else if (!(await this.#makeAttempt(attempt))) {
        return false;
      }
    }
    return false;
  }

  /** Sends one attempt and records what came of it. False: this round is over. */
  async #makeAttempt(attempt: StartedAttempt): Promise<boolean> {
    const secrets = this.#signingSecrets(attempt);
    const outcome = secrets === null ? null : await this.#send(attempt, secrets);
    if (outcome === null || outcome.error === 'not_sent') {
      await this.#turnstile.pass(() => withdrawAttempt(this.#scope, attempt), 'urgent');
      return false;
    }
    const { durationMs, responseStatus, error, retryAfterSeconds } = outcome;
    const result = await this.#recordPatiently(attempt, { durationMs, responseStatus, error }, retryAfterSeconds);
    const { deliveryId: eventId, endpointId, type, number } = attempt;
    const line = { eventId, endpointId, type, attempt: number, durationMs, responseStatus, error, result };
    this.#scope.log.info(line, 'webhook attempt');
    return result !== 'stale' && result !== 'disabled';
  }

  #send(attempt: StartedAttempt, secrets: string[]) {
    const sendUntilMs = performance.now() + this.#options.timeoutMs;
    const timestampSeconds = Math.floor(this.#scope.clock.now().getTime() / 1000);
    return this.#options.sender.send({
      endpointId: this.#lease.endpointId,
      url: attempt.url,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Service-Webhooks/1.0',
        'service-event-id': attempt.deliveryId,
        'service-event-type': attempt.type,
        'service-signature': signatureHeader({ secrets, timestampSeconds, payload: attempt.payload }),
      },
      body: attempt.payload,
      // A process that was stopped and goes on later must not send what may be another worker's by now.
      beforeWrite: () => performance.now() < Math.min(sendUntilMs, this.#lease.holdsUntilMs),
    });
  }

  /**
   * Records the outcome, again and again while the database is away and the lease holds: what was sent and is not on
   * record when the lease runs out is sent again. Hence urgent, too.
   */
  async #recordPatiently(attempt: StartedAttempt, ending: AttemptEnding, retryAfterSeconds: number | null) {
    for (let tries = 1; ; tries++) {
      try {
        const record = () => this.#record(attempt, ending, retryAfterSeconds);
        const result = await this.#turnstile.pass(record, 'urgent');
        // While the lease holds nobody else records outcomes: it was an earlier try whose answer was lost.
        return result === 'stale' && tries > 1 && this.#leaseHolds() ? 'recorded before' : result;
      } catch (err) {
        if (!isDatabaseUnavailable(err) || !this.#leaseHolds(RECORD_PAUSE_MS)) throw err;
        const { deliveryId: eventId, endpointId, number } = attempt;
        this.#scope.log.warn({ eventId, endpointId, attempt: number, err }, 'outcome not recorded; trying again');
        await pause(RECORD_PAUSE_MS);
      }
    }
  }

  #leaseHolds(stillAfterMs = 0): boolean {
    return performance.now() + stillAfterMs < this.#lease.holdsUntilMs;
  }

  async #record(attempt: StartedAttempt, ending: AttemptEnding, retryAfterSeconds: number | null) {
    const scope = this.#scope;
    if (ending.error === null) return (await recordSuccess(scope, attempt, ending)) ? 'delivered' : 'stale';
    const delayMs = nextAttemptDelayMs({
      failedAttempts: attempt.ladderAttempts,
      retrySeconds: this.#options.retrySeconds,
      random: this.#options.random ?? Math.random,
      retryAfterSeconds,
    });
    const after = delayMs === null ? 'exhausted' : { retryAt: new Date(scope.clock.now().getTime() + delayMs) };
    return recordFailure(scope, attempt, ending, after);
  }

  /** Newest first; null when that can't be read. A former one that can't is left out: its key was removed. */
  #signingSecrets(attempt: StartedAttempt): string[] | null {
    const { endpointId, secretCiphertext, previousSecretCiphertext } = attempt;
    const place = placeOfSecret(endpointId);
    const newest = decryptSecret(this.#scope.keyring, place, secretCiphertext);
    if (newest === null) return null;
    if (previousSecretCiphertext === null) return [newest];
    const previous = decryptSecret(this.#scope.keyring, place, previousSecretCiphertext);
    if (previous !== null) return [newest, previous];
    this.#scope.log.warn({ endpointId }, 'the former webhook secret cannot be read: signing with the newest alone');
    return [newest];
  }
}
