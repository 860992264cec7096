import { setTimeout as pause } from 'node:timers/promises';
import { observe } from '../../platform/base/diagnostics.ts';
import { logRepeated } from '../../platform/base/log/log-repeated.ts';
import type { Limiter, Scope } from '../../platform/base/scope.ts';
import { decryptSecret, type Keyring } from '../../platform/base/secrets.ts';
import { isDatabaseUnavailable, isLockTimeout } from '../../platform/database/query/errors.ts';
import { skipWaiting } from '../endpoints/disable.ts';
import { bindingOfSecret } from '../endpoints/service.ts';
import { nextAttemptDelayMs, type RetrySchedule } from '../model/retry-schedule.ts';
import { requestHeaders, signatureHeader } from '../model/signature.ts';
import type { Sender } from '../send/send.ts';
import {
  type AfterRecording,
  type AttemptResult,
  endAbandonedAttempts,
  recordFailure,
  removeUnsentAttempt,
  reportAttempt,
} from './record.ts';
import type { AfterSuccess, Success } from './record-success.ts';
import { type Claim, type Lease, orderRanks, releaseLease, type Started, type StartedAttempt } from './start.ts';

export interface RoundOptions extends RetrySchedule {
  /** Nothing keeps entities or a transaction in it. */
  scope: Scope;
  sender: Sender;
  /** The deadline of one attempt, which the lease must outlast. */
  timeoutMs: number;
}

interface SharedByRounds extends RoundOptions {
  limiter: Limiter;
  recordSuccess: (success: Success) => Promise<AfterSuccess>;
}

export interface RoundControl {
  /** From 0, for `orderRanks`. An unfinished round hands it to the next one. */
  attemptIndex: number;
  wasWokenUp: boolean;
  /** True when the round has ended although something may be due. */
  isUnfinished: boolean;
  /** True when the worker stops, or other endpoints wait for a place. */
  mustEnd(): boolean;
}

interface Round extends SharedByRounds {
  lease: Lease;
  control: RoundControl;
  /** Decrypts a secret of the endpoint; null without its key. */
  readSecret: (ciphertext: string) => string | null;
}

const RECORD_PAUSE_MS = 250;

/**
 * Runs one delivery round at an endpoint whose lease is being claimed. It ends abandoned attempts, and then makes due
 * ones until nothing is due, one fails, the lease is lost, or `mustEnd` says so. Never throws.
 */
export async function runRound(
  shared: SharedByRounds,
  endpointId: string,
  control: RoundControl,
  claiming: Promise<Claim | null>,
): Promise<void> {
  const { scope } = shared;
  try {
    const claim = await claiming;
    if (claim === null) return;
    const { lease, next } = claim;
    const readSecret = createSecretReader(scope.keyring, bindingOfSecret(endpointId));
    const isReleased = await deliver({ ...shared, lease, control, readSecret }, next);
    if (!isReleased) await shared.limiter.run('start', () => releaseLease(scope, lease));
  } catch (error) {
    // The lease expires, and `enqueue_due_deliveries` finds the endpoint. An attempt under way ends as interrupted.
    if (isLockTimeout(error)) scope.log.info({ endpointId }, 'the endpoint is locked; a later round tries again');
    else logRepeated(scope.log, 'error', { endpointId, err: error }, 'webhook round failed');
  }
}

/** Decrypts each secret once. A round that has the reader ends with its lease, so it keeps no secret for longer. */
function createSecretReader(keyring: Keyring, binding: string): Round['readSecret'] {
  const secrets = new Map<string, string | null>();
  return (ciphertext) => {
    if (!secrets.has(ciphertext)) secrets.set(ciphertext, decryptSecret(keyring, binding, ciphertext));
    return secrets.get(ciphertext) ?? null;
  };
}

/** Delivers what is due, unless nothing may be sent. Returns true if the lease is released already. */
async function deliver(round: Round, first: Claim['next']): Promise<boolean> {
  const { scope, lease, limiter, readSecret } = round;
  const { endpointId, isEnabled, secretCiphertext } = lease;
  if (lease.abandonedCount > 0) await limiter.run('start', () => endAbandonedAttempts(scope, lease, round));
  // If more than one batch waits, the statement wakes up the endpoint for the rest.
  if (!isEnabled) await limiter.run('start', () => skipWaiting(scope, endpointId));
  else if (readSecret(secretCiphertext) !== null) return makeAttempts(round, first);
  // The deliveries wait without using up attempts.
  else
    scope.log.error({ endpointId }, 'the webhook secret cannot be decrypted; deliveries wait for a usable SECRETS_KEY');
  if (first !== null) await forget(round);
  return false;
}

/** Makes the due attempts. Returns true if the lease is released already. */
async function makeAttempts(round: Round, first: Claim['next']): Promise<boolean> {
  const { control } = round;
  let next: Started = first;
  while (next !== null && next !== 'released') {
    const attempt: StartedAttempt = next;
    const { deliveryId: eventId, type } = attempt;
    if (control.mustEnd()) {
      await forget(round);
      next = null;
    } else
      next = await observe(
        () => ({ kind: 'webhook_attempt', eventId, type }),
        () => makeAttempt(round, attempt),
      );
  }
  // After a release, a wake-up that this process receives starts another round.
  if (next === null) control.isUnfinished = true;
  return next === 'released';
}

/** Removes an attempt that is recorded and will not be sent. */
function forget({ scope, lease, limiter }: Round): Promise<void> {
  return limiter.run('record', () => removeUnsentAttempt(scope, lease));
}

async function makeAttempt(round: Round, attempt: StartedAttempt): Promise<Started> {
  const { scope, lease, control, retrySeconds } = round;
  const secrets = readSigningSecrets(round, attempt);
  const sent = secrets === null ? null : await send(round, attempt, secrets);
  if (sent === null || sent.error === 'not_sent') {
    await forget(round);
    return null;
  }
  control.attemptIndex++;
  const outcome: AttemptResult = { ...sent, error: sent.error };
  const { result, next, retryAt = null } = await recordOutcome(round, attempt, outcome);
  const { deliveryId: eventId, endpointId, type, number, runAttempts } = attempt;
  const { durationMs, responseStatus, error } = outcome;
  const runCounts = { runAttempt: runAttempts, ofAttempts: retrySeconds.length + 1 };
  const subject = { practiceId: lease.practiceId, eventId, endpointId, type, attempt: number, ...runCounts };
  const line = { ...subject, durationMs, responseStatus, error, result, nextAttemptAt: retryAt };
  scope.log.info(line, 'webhook attempt');
  reportAttempt(attempt, outcome, result, scope.clock.now());
  return next;
}

function send({ scope, lease, sender, timeoutMs }: Round, attempt: StartedAttempt, secrets: string[]) {
  const { deliveryId: id, endpointId, type, url, payload: body } = attempt;
  const sendUntilMs = performance.now() + timeoutMs;
  const timestampSeconds = Math.floor(scope.clock.now().getTime() / 1000);
  const signature = signatureHeader({ secrets, timestampSeconds, payload: body });
  return sender.send({
    endpointId,
    url,
    headers: requestHeaders({ id, type }, signature),
    body,
    // A process that was paused must not send after its lease expired: another worker may have the delivery now.
    mayWrite: () => performance.now() < Math.min(sendUntilMs, lease.validUntilMs),
  });
}

interface Recorded {
  result: AfterRecording | 'recorded before';
  next: Started;
  retryAt?: Date | null;
}

/** Retries while the database is unavailable and the lease is valid. If it expires first, the delivery is sent again. */
async function recordOutcome(round: Round, attempt: StartedAttempt, outcome: AttemptResult): Promise<Recorded> {
  const { scope, lease, limiter } = round;
  const isLeaseValid = (inMs = 0) => performance.now() + inMs < lease.validUntilMs;
  for (let tries = 1; ; tries++) {
    try {
      const record =
        outcome.error === null
          ? await succeed(round, attempt, outcome)
          : await limiter.run('record', () => fail(round, attempt, outcome));
      // No other worker records outcomes while the lease is valid. So an earlier try succeeded, and its answer was lost.
      const wasRecordedBefore = record.result === 'stale' && tries > 1 && isLeaseValid();
      if (!wasRecordedBefore) return record;
      // It may have started the next attempt.
      await forget(round);
      return { result: 'recorded before', next: null };
    } catch (err) {
      if (!isDatabaseUnavailable(err) || !isLeaseValid(RECORD_PAUSE_MS)) throw err;
      const fields = { eventId: attempt.deliveryId, endpointId: attempt.endpointId, attempt: attempt.number, err };
      logRepeated(scope.log, 'warn', fields, 'outcome not recorded; trying again');
      await pause(RECORD_PAUSE_MS);
    }
  }
}

/** Records a failure. Its statement releases the lease, and the next claim of the endpoint starts what is due. */
async function fail(round: Round, attempt: StartedAttempt, outcome: AttemptResult): Promise<Recorded> {
  const { scope, control, retrySeconds, random } = round;
  const { retryAfterSeconds } = outcome;
  const delayMs = nextAttemptDelayMs({ failedAttempts: attempt.runAttempts, retrySeconds, random, retryAfterSeconds });
  const { result, retryAt } = await recordFailure(scope, attempt, outcome, delayMs);
  control.isUnfinished = true;
  return { result, next: 'released', retryAt };
}

/** The same statement starts the next attempt or releases the lease, unless the round must end. */
function succeed(round: Round, attempt: StartedAttempt, result: AttemptResult): Promise<Recorded> {
  const { lease, control, recordSuccess } = round;
  const mustEnd = control.mustEnd();
  if (!mustEnd) control.wasWokenUp = false;
  const ranks = mustEnd ? [] : orderRanks(control.attemptIndex);
  // By now, the index belongs to the next attempt.
  return recordSuccess({ lease, attempt, result, ranks, isFirst: control.attemptIndex === 1 });
}

/** Returns the secrets to sign with, newest first; null if the newest cannot be decrypted. */
function readSigningSecrets({ scope, readSecret }: Round, attempt: StartedAttempt): string[] | null {
  const { endpointId, secretCiphertext, previousSecretCiphertext } = attempt;
  const newest = readSecret(secretCiphertext);
  if (newest === null) return null;
  if (previousSecretCiphertext === null) return [newest];
  const previous = readSecret(previousSecretCiphertext);
  if (previous !== null) return [newest, previous];
  scope.log.warn({ endpointId }, 'the former webhook secret cannot be decrypted; signing with the newest only');
  return [newest];
}
