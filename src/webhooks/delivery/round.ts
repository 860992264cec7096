import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { logRepeated } from '../../base/log/log-repeated.ts';
import type { Scope } from '../../base/scope.ts';
import { decryptSecret } from '../../base/secrets.ts';
import { isDatabaseUnavailable, isLockTimeout } from '../../database/query/errors.ts';
import type { ConcurrencyLimiter } from '../../jobs/concurrency-limiter.ts';
import { skipWaiting } from '../endpoints/disable.ts';
import { placeOfSecret } from '../endpoints/service.ts';
import { nextAttemptDelayMs } from '../model/retry-schedule.ts';
import { signatureHeader } from '../model/signature.ts';
import type { Sender } from '../send/send.ts';
import { endAbandonedAttempts } from './abandoned-attempts.ts';
import {
  type AttemptEnding,
  findStarted,
  recordFailure,
  removeUnsentAttempt,
  type StartedAttempt,
  startAttempt,
} from './attempts.ts';
import { claimLease, dropLease, type Lease, releaseLease } from './lease.ts';
import type { AfterSuccess, Success } from './record-success.ts';

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

/** What the rounds of one process share. */
export interface RoundDependencies {
  limiter: ConcurrencyLimiter;
  recordSuccess: (success: Success) => Promise<AfterSuccess>;
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

/** How long a lease holds. */
export function leaseMsOf({ timeoutMs }: Pick<RoundOptions, 'timeoutMs'>): number {
  return timeoutMs + LEASE_MARGIN_MS;
}

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
 *
 * @returns `held` when another worker is delivering to the endpoint, or it is gone
 */
export async function runRound(
  options: RoundOptions,
  endpointId: string,
  control: RoundControl,
  means: RoundDependencies,
): Promise<'held' | 'ended'> {
  try {
    const scope = options.newScope();
    const lease = await means.limiter.run(() => claimLease(scope, endpointId, leaseMsOf(options)));
    if (lease === null) return 'held';
    const round = new Round(options, scope, lease, control, means);
    if (!(await round.run())) await means.limiter.run(() => dropLease(scope, lease));
  } catch (error) {
    // The lease runs out and the sweep rings again; what was under way ends as interrupted.
    if (isLockTimeout(error)) options.log.info({ endpointId }, 'the endpoint is locked; the sweep comes back to it');
    else logRepeated(options.log, 'error', { endpointId, err: error }, 'webhook round failed');
  }
  return 'ended';
}

/** What a round does next: make this attempt; look for one; let go, for nothing is due; end, for it may not go on. */
type Next = StartedAttempt | 'unknown' | 'none' | null;

/** What became of an outcome: what the log says, and what is next. */
interface Recorded {
  result: 'delivered' | 'recorded' | 'disabled' | 'stale' | 'recorded before';
  next: Next;
}

class Round {
  readonly #options: RoundOptions;
  readonly #scope: Scope;
  readonly #lease: Lease;
  readonly #control: RoundControl;
  readonly #means: RoundDependencies;
  readonly #limiter: ConcurrencyLimiter;
  readonly #secrets = new Map<string, string | null>();

  constructor(options: RoundOptions, scope: Scope, lease: Lease, control: RoundControl, means: RoundDependencies) {
    this.#options = options;
    this.#scope = scope;
    this.#lease = lease;
    this.#control = control;
    this.#means = means;
    this.#limiter = means.limiter;
  }

  /** Whether the lease was given up properly, nothing being due any more. */
  async run(): Promise<boolean> {
    const { endpointId, epoch, abandoned } = this.#lease;
    if (abandoned > 0)
      await this.#limiter.run(() => endAbandonedAttempts(this.#scope, endpointId, epoch, this.#options));
    return (await this.#isDeliverable()) && (await this.#deliverDue());
  }

  /** Whether anything can be sent to the endpoint at all; what waits at a disabled one is skipped. */
  async #isDeliverable(): Promise<boolean> {
    const { endpointId, enabled, secretCiphertext } = this.#lease;
    if (!enabled) {
      // What doesn't fit in has rung for the next round.
      await this.#limiter.run(() => skipWaiting(this.#scope, endpointId));
      return false;
    }
    // Without a usable key nothing could be signed: what waits goes on waiting, and no attempt is burnt.
    if (this.#decrypt(secretCiphertext) !== null) return true;
    const message = 'the webhook secret cannot be read: deliveries wait for a usable SECRETS_KEY';
    this.#scope.log.error({ endpointId }, message);
    return false;
  }

  /** One due delivery after the other. */
  async #deliverDue(): Promise<boolean> {
    const control = this.#control;
    const scope = this.#scope;
    let next: Next = 'unknown';
    while (next !== null) {
      if (next === 'unknown') {
        if (control.mustEnd()) return false;
        control.again = false;
        const ranks = ranksOf(control.turn);
        next = await this.#limiter.run(() => startAttempt(scope, this.#lease, leaseMsOf(this.#options), ranks));
      } else if (next === 'none') {
        if (!control.again && (await this.#limiter.run(() => releaseLease(scope, this.#lease)))) return true;
        next = 'unknown';
      } else if (control.mustEnd()) {
        // Put on record while it was decided that the round ends.
        const unsent = next;
        await this.#limiter.run(() => removeUnsentAttempt(scope, unsent), 'urgent');
        return false;
      } else {
        next = await this.#makeAttempt(next);
      }
    }
    return false;
  }

  /** Sends one attempt, records what came of it, and says what is next. */
  async #makeAttempt(attempt: StartedAttempt): Promise<Next> {
    const secrets = this.#signingSecrets(attempt);
    const outcome = secrets === null ? null : await this.#send(attempt, secrets);
    if (outcome === null || outcome.error === 'not_sent') {
      await this.#limiter.run(() => removeUnsentAttempt(this.#scope, attempt), 'urgent');
      return null;
    }
    const { durationMs, responseStatus, error, retryAfterSeconds } = outcome;
    const ending = { durationMs, responseStatus, error };
    this.#control.turn++;
    const { result, next } = await this.#recordPatiently(attempt, ending, retryAfterSeconds);
    const { deliveryId: eventId, endpointId, type, number } = attempt;
    const line = { eventId, endpointId, type, attempt: number, durationMs, responseStatus, error, result };
    this.#scope.log.info(line, 'webhook attempt');
    return next;
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
  async #recordPatiently(
    attempt: StartedAttempt,
    ending: AttemptEnding,
    retryAfterSeconds: number | null,
  ): Promise<Recorded> {
    for (let tries = 1; ; tries++) {
      try {
        const recorded =
          ending.error === null
            ? await this.#recordSuccess(attempt, ending)
            : await this.#limiter.run(() => this.#recordFailure(attempt, ending, retryAfterSeconds), 'urgent');
        // While the lease holds nobody else records outcomes: it was an earlier try whose answer was lost.
        const wasBefore = recorded.result === 'stale' && tries > 1 && this.#leaseHolds();
        if (!wasBefore) return recorded;
        const next = await this.#limiter.run(() => findStarted(this.#scope, this.#lease), 'urgent');
        return { result: 'recorded before', next };
      } catch (err) {
        if (!isDatabaseUnavailable(err) || !this.#leaseHolds(RECORD_PAUSE_MS)) throw err;
        const { deliveryId: eventId, endpointId, number } = attempt;
        const fields = { eventId, endpointId, attempt: number, err };
        logRepeated(this.#scope.log, 'warn', fields, 'outcome not recorded; trying again');
        await pause(RECORD_PAUSE_MS);
      }
    }
  }

  #leaseHolds(stillAfterMs = 0): boolean {
    return performance.now() + stillAfterMs < this.#lease.holdsUntilMs;
  }

  async #recordFailure(
    attempt: StartedAttempt,
    ending: AttemptEnding,
    retryAfterSeconds: number | null,
  ): Promise<Recorded> {
    const scope = this.#scope;
    const delayMs = nextAttemptDelayMs({
      failedAttempts: attempt.runAttempts,
      retrySeconds: this.#options.retrySeconds,
      random: this.#options.random ?? Math.random,
      retryAfterSeconds,
    });
    const after = delayMs === null ? 'exhausted' : { retryAt: new Date(scope.clock.now().getTime() + delayMs) };
    const result = await recordFailure(scope, attempt, ending, after);
    return { result, next: result === 'recorded' ? 'unknown' : null };
  }

  /** Starts the next attempt along with it, unless the round must end. */
  async #recordSuccess(attempt: StartedAttempt, ending: AttemptEnding): Promise<Recorded> {
    const control = this.#control;
    const ends = control.mustEnd();
    if (!ends) control.again = false;
    const ranks = ends ? [] : ranksOf(control.turn);
    const { recorded, next } = await this.#means.recordSuccess({ lease: this.#lease, attempt, ending, ranks });
    return recorded ? { result: 'delivered', next } : { result: 'stale', next: null };
  }

  /** Newest first; null when that can't be read. A former one that can't is left out: its key was removed. */
  #signingSecrets(attempt: StartedAttempt): string[] | null {
    const newest = this.#decrypt(attempt.secretCiphertext);
    if (newest === null) return null;
    if (attempt.previousSecretCiphertext === null) return [newest];
    const previous = this.#decrypt(attempt.previousSecretCiphertext);
    if (previous !== null) return [newest, previous];
    const { endpointId } = attempt;
    this.#scope.log.warn({ endpointId }, 'the former webhook secret cannot be read: signing with the newest alone');
    return [newest];
  }

  /** Each ciphertext once per round: decrypting costs more than signing. */
  #decrypt(ciphertext: string): string | null {
    const known = this.#secrets.get(ciphertext);
    if (known !== undefined) return known;
    const secret = decryptSecret(this.#scope.keyring, placeOfSecret(this.#lease.endpointId), ciphertext);
    this.#secrets.set(ciphertext, secret);
    return secret;
  }
}
