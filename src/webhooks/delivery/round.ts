import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { observe } from '../../base/diagnostics.ts';
import { logRepeated } from '../../base/log/log-repeated.ts';
import type { Scope } from '../../base/scope.ts';
import { decryptSecret } from '../../base/secrets.ts';
import { isDatabaseUnavailable, isLockTimeout } from '../../database/query/errors.ts';
import type { ConcurrencyLimiter } from '../../jobs/concurrency-limiter.ts';
import { skipWaiting } from '../endpoints/disable.ts';
import { placeOfSecret } from '../endpoints/service.ts';
import { nextAttemptDelayMs } from '../model/retry-schedule.ts';
import { requestHeaders, signatureHeader } from '../model/signature.ts';
import type { Sender } from '../send/send.ts';
import { endAbandonedAttempts } from './abandoned-attempts.ts';
import { dropLease, type Lease, leaseMsOf, ranksOf } from './lease.ts';
import {
  type AfterRecording,
  type AfterSuccess,
  type AttemptResult,
  recordFailure,
  removeUnsentAttempt,
  reportAttempt,
  type Success,
} from './record.ts';
import {
  type Claim,
  type ClaimRequest,
  type ClaimResult,
  findStarted,
  type Started,
  type StartedAttempt,
  startAttempt,
} from './start.ts';

export interface RoundOptions {
  newScope: () => Scope;
  log: Logger;
  sender: Sender;
  /** The deadline of one attempt, which the lease must outlast. */
  timeoutMs: number;
  retrySeconds: readonly number[];
  random?: () => number;
}

export interface RoundDependencies {
  limiter: ConcurrencyLimiter;
  claim: (request: ClaimRequest) => Promise<ClaimResult>;
  recordSuccess: (success: Success) => Promise<AfterSuccess>;
}

export interface RoundControl {
  /** Index of the next attempt, from 0, for `ranksOf`. A round that ended for other endpoints hands it to the next round. */
  attemptIndex: number;
  /** True when a wake-up arrived after the round last looked for due deliveries. */
  wasWokenUp: boolean;
  /** Called for each retry that is scheduled, with the time until it is due. */
  retryIn(delayMs: number): void;
  /** Returns true when the round must end: the worker stops, or other endpoints wait for a place. */
  mustEnd(): boolean;
}

/** Pause before another try to record an outcome. */
const RECORD_PAUSE_MS = 250;

/**
 * Runs one delivery round at an endpoint. The round takes the lease, ends abandoned attempts, and then makes the due
 * attempts one by one. It records each attempt, sends it outside any transaction, and records its outcome. The round ends
 * when nothing is due, when it loses the lease, or when `control.mustEnd` returns true. Never throws; failures are logged.
 *
 * @returns `not_claimed` when another worker has the lease, or the endpoint is deleted
 */
export async function runRound(
  options: RoundOptions,
  endpointId: string,
  control: RoundControl,
  dependencies: RoundDependencies,
): Promise<'not_claimed' | 'ended'> {
  try {
    const scope = options.newScope();
    const claim = await dependencies.claim({ endpointId, ranks: ranksOf(control.attemptIndex) });
    if (claim === 'not_claimed') return 'not_claimed';
    if (claim === 'nothing_due') return 'ended';
    const { lease, next } = claim;
    const round = new Round(options, scope, lease, control, dependencies);
    if (!(await round.run(next))) await dependencies.limiter.run(() => dropLease(scope, lease));
  } catch (error) {
    // The lease expires, and `enqueue_due_deliveries` wakes the endpoint up. An attempt under way ends as interrupted.
    if (isLockTimeout(error)) options.log.info({ endpointId }, 'the endpoint is locked; a later round tries again');
    else logRepeated(options.log, 'error', { endpointId, err: error }, 'webhook round failed');
  }
  return 'ended';
}

/** Next step of a round: make this attempt, look for one (`unknown`), or end; `released` if the lease is released already. */
type Next = Started | null;

/** Result of recording an outcome, for the log, and the next step. */
interface Recorded {
  result: AfterRecording | 'recorded before';
  next: Next;
  retryAt?: Date;
}

class Round {
  readonly #options: RoundOptions;
  readonly #scope: Scope;
  readonly #lease: Lease;
  readonly #control: RoundControl;
  readonly #dependencies: RoundDependencies;
  readonly #limiter: ConcurrencyLimiter;
  readonly #secrets = new Map<string, string | null>();

  constructor(
    options: RoundOptions,
    scope: Scope,
    lease: Lease,
    control: RoundControl,
    dependencies: RoundDependencies,
  ) {
    this.#options = options;
    this.#scope = scope;
    this.#lease = lease;
    this.#control = control;
    this.#dependencies = dependencies;
    this.#limiter = dependencies.limiter;
  }

  /** Makes the due attempts, beginning with the claim's. Returns true if the lease is released already, because nothing is due. */
  async run(next: Claim['next']): Promise<boolean> {
    const { endpointId, epoch, abandoned } = this.#lease;
    if (abandoned > 0)
      await this.#limiter.run(() => endAbandonedAttempts(this.#scope, endpointId, epoch, this.#options));
    if (await this.#isDeliverable()) return this.#deliverDue(next);
    if (typeof next !== 'string') await this.#limiter.run(() => removeUnsentAttempt(this.#scope, next), 'urgent');
    return false;
  }

  /** Returns true if the endpoint is enabled and its secret readable. Skips the waiting deliveries of a disabled endpoint. */
  async #isDeliverable(): Promise<boolean> {
    const { endpointId, enabled, secretCiphertext } = this.#lease;
    if (!enabled) {
      // If more than one batch waits, the statement wakes up the endpoint for the rest.
      await this.#limiter.run(() => skipWaiting(this.#scope, endpointId));
      return false;
    }
    // Without a usable key nothing can be signed. The deliveries wait without using up attempts.
    if (this.#decrypt(secretCiphertext) !== null) return true;
    const message = 'the webhook secret cannot be decrypted; deliveries wait for a usable SECRETS_KEY';
    this.#scope.log.error({ endpointId }, message);
    return false;
  }

  /** Makes the due attempts one by one. Returns true if the lease is released already, because nothing is due. */
  async #deliverDue(first: Claim['next']): Promise<boolean> {
    const control = this.#control;
    const scope = this.#scope;
    let next: Next = first;
    while (next !== null) {
      // A wake-up that this process receives after the release starts another round.
      if (next === 'released') return true;
      if (next === 'unknown') {
        if (control.mustEnd()) return false;
        control.wasWokenUp = false;
        const ranks = ranksOf(control.attemptIndex);
        next = await this.#limiter.run(() => startAttempt(scope, this.#lease, leaseMsOf(this.#options), ranks));
      } else if (control.mustEnd()) {
        // The attempt is recorded but not sent, and the round has to end.
        const unsent = next;
        await this.#limiter.run(() => removeUnsentAttempt(scope, unsent), 'urgent');
        return false;
      } else {
        const attempt: StartedAttempt = next;
        const { deliveryId: eventId, type } = attempt;
        const make = () => this.#makeAttempt(attempt);
        next = await observe(() => ({ kind: 'webhook_attempt', eventId, type }), make);
      }
    }
    return false;
  }

  async #makeAttempt(attempt: StartedAttempt): Promise<Next> {
    const secrets = this.#signingSecrets(attempt);
    const outcome = secrets === null ? null : await this.#send(attempt, secrets);
    if (outcome === null || outcome.error === 'not_sent') {
      await this.#limiter.run(() => removeUnsentAttempt(this.#scope, attempt), 'urgent');
      return null;
    }
    const { retryAfterSeconds, durationMs, responseStatus, error } = outcome;
    const sent = { durationMs, responseStatus, error };
    this.#control.attemptIndex++;
    const { result, next, retryAt } = await this.#recordOutcome(attempt, sent, retryAfterSeconds);
    const { deliveryId: eventId, endpointId, type, number, runAttempts } = attempt;
    const ofRun = { runAttempt: runAttempts, ofAttempts: this.#options.retrySeconds.length + 1 };
    const subject = { practiceId: this.#lease.practiceId, eventId, endpointId, type, attempt: number, ...ofRun };
    this.#scope.log.info({ ...subject, ...sent, result, nextAttemptAt: retryAt ?? null }, 'webhook attempt');
    reportAttempt(attempt, sent, result, this.#scope.clock.now());
    return next;
  }

  #send(attempt: StartedAttempt, secrets: string[]) {
    const sendUntilMs = performance.now() + this.#options.timeoutMs;
    const timestampSeconds = Math.floor(this.#scope.clock.now().getTime() / 1000);
    const signature = signatureHeader({ secrets, timestampSeconds, payload: attempt.payload });
    return this.#options.sender.send({
      endpointId: this.#lease.endpointId,
      url: attempt.url,
      headers: requestHeaders({ id: attempt.deliveryId, type: attempt.type }, signature),
      body: attempt.payload,
      // A process that was paused must not send after its lease expired: another worker may have the delivery now.
      beforeWrite: () => performance.now() < Math.min(sendUntilMs, this.#lease.validUntilMs),
    });
  }

  /**
   * Records the outcome. Retries while the database is unavailable and the lease is valid. If the lease expires before that, the
   * delivery is sent again, so these steps are urgent for the limiter.
   */
  async #recordOutcome(
    attempt: StartedAttempt,
    sent: AttemptResult,
    retryAfterSeconds: number | null,
  ): Promise<Recorded> {
    for (let tries = 1; ; tries++) {
      try {
        const recorded =
          sent.error === null
            ? await this.#recordSuccess(attempt, sent)
            : await this.#limiter.run(() => this.#recordFailure(attempt, sent, retryAfterSeconds), 'urgent');
        // No other worker records outcomes while the lease is valid. So an earlier try succeeded, and its answer was lost.
        const wasBefore = recorded.result === 'stale' && tries > 1 && this.#isLeaseValid();
        if (!wasBefore) return recorded;
        const next = await this.#limiter.run(() => findStarted(this.#scope, this.#lease), 'urgent');
        return { result: 'recorded before', next };
      } catch (err) {
        if (!isDatabaseUnavailable(err) || !this.#isLeaseValid(RECORD_PAUSE_MS)) throw err;
        const fields = { eventId: attempt.deliveryId, endpointId: attempt.endpointId, attempt: attempt.number, err };
        logRepeated(this.#scope.log, 'warn', fields, 'outcome not recorded; trying again');
        await pause(RECORD_PAUSE_MS);
      }
    }
  }

  #isLeaseValid(inMs = 0): boolean {
    return performance.now() + inMs < this.#lease.validUntilMs;
  }

  async #recordFailure(
    attempt: StartedAttempt,
    sent: AttemptResult,
    retryAfterSeconds: number | null,
  ): Promise<Recorded> {
    const { retrySeconds, random = Math.random } = this.#options;
    const { runAttempts: failedAttempts } = attempt;
    const delayMs = nextAttemptDelayMs({ failedAttempts, retrySeconds, random, retryAfterSeconds });
    const after = delayMs === null ? 'exhausted' : { retryAt: new Date(this.#scope.clock.now().getTime() + delayMs) };
    const result = await recordFailure(this.#scope, attempt, { ...sent, retryAfterSeconds }, after);
    const next = result === 'disabled' || result === 'stale' ? null : 'unknown';
    if (result !== 'retrying' || delayMs === null || after === 'exhausted') return { result, next };
    this.#control.retryIn(delayMs);
    return { result, next, ...after };
  }

  /** Records a success. The same statement starts the next attempt or releases the lease, unless the round must end. */
  async #recordSuccess(attempt: StartedAttempt, sent: AttemptResult): Promise<Recorded> {
    const control = this.#control;
    const ends = control.mustEnd();
    if (!ends) control.wasWokenUp = false;
    const ranks = ends ? [] : ranksOf(control.attemptIndex);
    const lease = this.#lease;
    const { recorded, next } = await this.#dependencies.recordSuccess({ lease, attempt, result: sent, ranks });
    return recorded ? { result: 'delivered', next } : { result: 'stale', next: null };
  }

  /**
   * Returns the secrets to sign with, newest first; null if the newest cannot be decrypted. Leaves out a former secret that
   * cannot be decrypted, because its key was removed.
   */
  #signingSecrets(attempt: StartedAttempt): string[] | null {
    const newest = this.#decrypt(attempt.secretCiphertext);
    if (newest === null) return null;
    if (attempt.previousSecretCiphertext === null) return [newest];
    const previous = this.#decrypt(attempt.previousSecretCiphertext);
    if (previous !== null) return [newest, previous];
    const { endpointId } = attempt;
    this.#scope.log.warn({ endpointId }, 'the former webhook secret cannot be decrypted; signing with the newest only');
    return [newest];
  }

  /** Decrypts each ciphertext once per round, because decrypting costs more than signing. */
  #decrypt(ciphertext: string): string | null {
    const known = this.#secrets.get(ciphertext);
    if (known !== undefined) return known;
    const secret = decryptSecret(this.#scope.keyring, placeOfSecret(this.#lease.endpointId), ciphertext);
    this.#secrets.set(ciphertext, secret);
    return secret;
  }
}
