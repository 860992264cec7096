import type { Scope } from '../base/scope.ts';
import { decryptSecret } from '../base/secrets.ts';
import {
  type AttemptEnding,
  recordFailure,
  recordSuccess,
  type StartedAttempt,
  skipWaiting,
  startAttempt,
  withdrawAttempt,
} from './attempts.ts';
import { claimLease, dropLease, type Lease, releaseLease } from './lease.ts';
import { settleOrphans } from './orphans.ts';
import { nextAttemptDelayMs } from './schedule.ts';
import type { Sender } from './send.ts';
import { placeOfSecret } from './service.ts';
import { signatureHeader } from './signature.ts';

/*
 * The cast of a delivery. A doorbell job names an endpoint. The deliverer runs at most one round per endpoint and
 * process; the lease makes it at most one in all processes. A round claims the lease, settles what a dead worker left,
 * and then takes one due delivery after the other: start the attempt (on record before it is sent), send outside any
 * transaction, record the outcome. It ends when nothing is due, the lease is lost, or the worker stops.
 *
 * Rounds wait for receivers, not for each other: a slow or dead endpoint holds its own round and nothing else.
 */

export interface DeliverOptions {
  /** A scope of its own for every round. */
  newScope: () => Scope;
  sender: Sender;
  /** The deadline of one attempt, which the lease must outlast. */
  timeoutMs: number;
  retrySeconds: readonly number[];
  random?: () => number;
}

export interface Deliverer {
  /** Starts a round for the endpoint, or has the running one look again. Never throws; failures are logged. */
  ring(endpointId: string): void;
  /** Resolves when no round is running. */
  idle(): Promise<void>;
  /** Takes no new rounds, lets attempts under way finish, gives all leases up. */
  stop(): Promise<void>;
}

/** What the lease outlasts the attempt's deadline by: time to record the outcome on a busy database. */
const LEASE_MARGIN_MS = 10_000;

/** The order in which the kinds of deliveries are looked at: first attempts, retries, replays (see startAttempt). */
const USUAL_RANKS = [0, 1, 2];

/** Every fourth turn goes to retries first, every sixteenth to replays, so that neither starves behind the others. */
function ranksOf(turn: number): number[] {
  if (turn % 16 === 15) return [2, 1, 0];
  return turn % 4 === 3 ? [1, 2, 0] : USUAL_RANKS;
}

/** A running round; `again` is set by a doorbell that rang meanwhile. */
interface Round {
  again: boolean;
  done: Promise<void>;
}

/** The deliverer of one worker process. */
export function createDeliverer(options: DeliverOptions): Deliverer {
  const rounds = new Map<string, Round>();
  const worker = { stopping: false };
  const start = (endpointId: string): void => {
    const round: Round = { again: false, done: Promise.resolve() };
    rounds.set(endpointId, round);
    round.done = runRound(options, endpointId, round, worker).then(() => {
      rounds.delete(endpointId);
      if (round.again && !worker.stopping) start(endpointId);
    });
  };
  const settled = () => Promise.all([...rounds.values()].map((round) => round.done));
  return {
    ring(endpointId) {
      const running = rounds.get(endpointId);
      if (running !== undefined) running.again = true;
      else if (!worker.stopping) start(endpointId);
    },
    async idle() {
      while (rounds.size > 0) await settled();
    },
    async stop() {
      worker.stopping = true;
      await settled();
    },
  };
}

async function runRound(
  options: DeliverOptions,
  endpointId: string,
  round: Round,
  worker: { readonly stopping: boolean },
): Promise<void> {
  const scope = options.newScope();
  try {
    const lease = await claimLease(scope, endpointId, options.timeoutMs + LEASE_MARGIN_MS);
    if (lease === null) return;
    if (lease.orphans > 0) await settleOrphans(scope, lease.endpointId, lease.epoch, options);
    const released = (await isDeliverable(scope, lease)) && (await deliverDue(scope, options, lease, round, worker));
    if (!released) await dropLease(scope, lease);
  } catch (error) {
    // The lease runs out and the sweep rings again; what was under way ends as interrupted.
    scope.log.error({ endpointId, err: error }, 'webhook round failed');
  }
}

/** Whether anything can be sent to the endpoint at all; what waits at a disabled one is skipped. */
async function isDeliverable(scope: Scope, lease: Lease): Promise<boolean> {
  if (!lease.enabled) {
    await skipWaiting(scope, lease.endpointId);
    return false;
  }
  // Without a usable key nothing could be signed: what waits goes on waiting, and no attempt is burnt.
  if (decryptSecret(scope.keyring, placeOfSecret(lease.endpointId), lease.secretCiphertext) !== null) return true;
  scope.log.error(
    { endpointId: lease.endpointId },
    'the webhook secret cannot be read: deliveries wait for a usable SECRETS_KEY',
  );
  return false;
}

/** One due delivery after the other. Returns whether the lease was given up properly, nothing being due any more. */
async function deliverDue(
  scope: Scope,
  options: DeliverOptions,
  lease: Lease,
  round: Round,
  worker: { readonly stopping: boolean },
): Promise<boolean> {
  for (let turn = 0; !worker.stopping; turn++) {
    round.again = false;
    const attempt = await startAttempt(scope, lease, options.timeoutMs + LEASE_MARGIN_MS, ranksOf(turn));
    if (attempt === null) return false;
    if (attempt === 'none') {
      if (!round.again && (await releaseLease(scope, lease))) return true;
    } else if (!(await makeAttempt(scope, options, lease, attempt))) {
      return false;
    }
  }
  return false;
}

/** Sends one attempt and records what came of it. False: this round is over. */
async function makeAttempt(
  scope: Scope,
  options: DeliverOptions,
  lease: Lease,
  attempt: StartedAttempt,
): Promise<boolean> {
  const secrets = signingSecrets(scope, lease.endpointId, attempt);
  if (secrets === null) {
    await withdrawAttempt(scope, attempt);
    return false;
  }
  const sendUntilMs = performance.now() + options.timeoutMs;
  const timestampSeconds = Math.floor(scope.clock.now().getTime() / 1000);
  const outcome = await options.sender.send({
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
    beforeWrite: () => performance.now() < Math.min(sendUntilMs, lease.holdsUntilMs),
  });
  if (outcome.error === 'not_sent') {
    await withdrawAttempt(scope, attempt);
    return false;
  }
  const { durationMs, responseStatus, error } = outcome;
  const recorded = await recordOutcome(scope, options, attempt, { durationMs, responseStatus, error }, outcome);
  scope.log.info(
    {
      eventId: attempt.deliveryId,
      endpointId: lease.endpointId,
      type: attempt.type,
      attempt: attempt.number,
      durationMs,
      responseStatus,
      error,
      result: recorded,
    },
    'webhook attempt',
  );
  return recorded !== 'stale' && recorded !== 'disabled';
}

async function recordOutcome(
  scope: Scope,
  options: DeliverOptions,
  attempt: StartedAttempt,
  ending: AttemptEnding,
  { retryAfterSeconds }: { retryAfterSeconds: number | null },
): Promise<'delivered' | 'recorded' | 'disabled' | 'stale'> {
  if (ending.error === null) return (await recordSuccess(scope, attempt, ending)) ? 'delivered' : 'stale';
  const delayMs = nextAttemptDelayMs({
    failedAttempts: attempt.ladderAttempts,
    retrySeconds: options.retrySeconds,
    random: options.random ?? Math.random,
    retryAfterSeconds,
  });
  const after = delayMs === null ? 'exhausted' : { retryAt: new Date(scope.clock.now().getTime() + delayMs) };
  return recordFailure(scope, attempt, ending, after);
}

/** Newest first; null when the present secret can't be read. */
function signingSecrets(scope: Scope, endpointId: string, attempt: StartedAttempt): string[] | null {
  const place = placeOfSecret(endpointId);
  const newest = decryptSecret(scope.keyring, place, attempt.secretCiphertext);
  if (newest === null) return null;
  if (attempt.previousSecretCiphertext === null) return [newest];
  const previous = decryptSecret(scope.keyring, place, attempt.previousSecretCiphertext);
  return previous === null ? null : [newest, previous];
}
