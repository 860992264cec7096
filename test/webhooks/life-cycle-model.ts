import { DEFAULT_RETRY_SECONDS } from '../../src/webhooks/model/retry-schedule.ts';

/*
 * A simple model of the life cycle of deliveries: one endpoint, without database, leases or timeouts. The property test
 * compares the service with it after each step.
 */

const DAY_MS = 86_400_000;

export interface ModelDelivery {
  id: string;
  isPing: boolean;
  status: 'pending' | 'retrying' | 'delivered' | 'exhausted' | 'skipped';
  deliveryRun: 'automatic' | 'redelivery' | 'replay';
  runAttempts: number;
  attemptCount: number;
  /** 0 new, 1 retries and redeliveries, 2 replays. */
  rank: number;
  createdMs: number;
  lastAttemptMs: number | null;
  dueMs: number | null;
  deliveredMs: number | null;
}

export class Model {
  enabled = true;
  receiverIsUp = true;
  exhaustedInARow = 0;
  replayedMs: number | null = null;
  /** In the order in which they happened. */
  deliveries: ModelDelivery[] = [];
  /** Ids in the order in which they must have arrived. */
  readonly arrived: string[] = [];
  /** Newest first, with the time until which each signs. */
  secrets: { secret: string; untilMs: number }[];

  constructor(secret: string) {
    this.secrets = [{ secret, untilMs: Number.POSITIVE_INFINITY }];
  }

  happen(id: string, isPing: boolean, nowMs: number): void {
    const fresh = { id, isPing, deliveryRun: 'automatic', runAttempts: 0, attemptCount: 0, rank: 0 } as const;
    const status = this.enabled ? 'pending' : 'skipped';
    const dueMs = this.enabled ? nowMs : null;
    this.deliveries.push({ ...fresh, status, createdMs: nowMs, lastAttemptMs: null, dueMs, deliveredMs: null });
  }

  /** One round: everything that is due, by rank and time. */
  deliver(nowMs: number): void {
    for (let attempt = 0; this.enabled; attempt++) {
      const next = this.#next(attempt, nowMs);
      if (next === undefined) return;
      this.#attempt(next, nowMs);
    }
  }

  setEnabled(enabled: boolean): void {
    this.enabled = enabled;
    if (enabled) this.exhaustedInARow = 0;
    else this.#skipWaiting();
  }

  /** Queues the delivery again, unless it is waiting already. */
  redeliver(delivery: ModelDelivery, nowMs: number): void {
    if (isWaiting(delivery)) return;
    this.#queueAgain(delivery, 'redelivery', 1, nowMs);
  }

  /** Queues missed deliveries again, and returns their number. */
  replay(sinceMs: number, nowMs: number): number {
    this.replayedMs = nowMs;
    const missed = this.deliveries.filter(
      (one) => !isWaiting(one) && !one.isPing && one.deliveredMs === null && one.createdMs >= sinceMs,
    );
    for (const one of missed) this.#queueAgain(one, 'replay', 2, one.createdMs);
    return missed.length;
  }

  rotate(secret: string, nowMs: number): void {
    const [newest] = this.secrets;
    this.secrets = [
      { secret, untilMs: Number.POSITIVE_INFINITY },
      { secret: newest?.secret ?? '', untilMs: nowMs + DAY_MS },
    ];
  }

  retain(nowMs: number): void {
    this.deliveries = this.deliveries.filter((one) => {
      if (one.status === 'delivered') return (one.deliveredMs ?? 0) >= nowMs - 30 * DAY_MS;
      if (one.createdMs >= nowMs - 90 * DAY_MS) return true;
      // A run that a client asked for ends first, and is kept for 30 days after its last attempt.
      if (one.deliveryRun === 'automatic') return false;
      return isWaiting(one) || (one.lastAttemptMs ?? one.createdMs) >= nowMs - 30 * DAY_MS;
    });
  }

  #next(attempt: number, nowMs: number): ModelDelivery | undefined {
    const ranks = attempt % 16 === 15 ? [2, 0, 1] : attempt % 4 === 3 ? [1, 0, 2] : [0, 1, 2];
    // A stable sort: those due at one time stay in the order in which they happened.
    const due = this.deliveries
      .filter(({ dueMs }) => dueMs !== null && dueMs <= nowMs)
      .toSorted((a, b) => (a.dueMs ?? 0) - (b.dueMs ?? 0));
    return ranks.map((rank) => due.find((one) => one.rank === rank)).find((one) => one !== undefined);
  }

  #attempt(delivery: ModelDelivery, nowMs: number): void {
    delivery.attemptCount++;
    delivery.runAttempts++;
    delivery.lastAttemptMs = nowMs;
    this.arrived.push(delivery.id);
    if (this.receiverIsUp) {
      Object.assign(delivery, { status: 'delivered', dueMs: null, deliveredMs: nowMs });
      this.exhaustedInARow = 0;
      return;
    }
    const waitSeconds = DEFAULT_RETRY_SECONDS[delivery.runAttempts - 1];
    delivery.rank = delivery.deliveryRun === 'replay' ? 2 : 1;
    if (waitSeconds !== undefined) {
      Object.assign(delivery, { status: 'retrying', dueMs: nowMs + waitSeconds * 1000 });
      return;
    }
    Object.assign(delivery, { status: 'exhausted', dueMs: null });
    if (delivery.deliveryRun === 'automatic' && !delivery.isPing) this.#countExhausted();
  }

  #countExhausted(): void {
    if (++this.exhaustedInARow < 20) return;
    this.enabled = false;
    this.#skipWaiting();
  }

  #skipWaiting(): void {
    for (const one of this.deliveries.filter(isWaiting)) Object.assign(one, { status: 'skipped', dueMs: null });
  }

  #queueAgain(delivery: ModelDelivery, deliveryRun: 'redelivery' | 'replay', rank: number, dueMs: number): void {
    Object.assign(delivery, { status: 'pending', deliveryRun, runAttempts: 0, rank, dueMs });
  }
}

/** Returns true while an attempt is to come. */
export function isWaiting({ status }: ModelDelivery): boolean {
  return status === 'pending' || status === 'retrying';
}
