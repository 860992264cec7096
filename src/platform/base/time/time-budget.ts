import { AsyncLocalStorage } from 'node:async_hooks';

/** Moments by `performance.now()`. */
interface TimeBudget {
  /** No statement starts afterwards, and a running one is abandoned. */
  endsAtMs: number;
  /** Earlier, so that answers of other parties can still be recorded. */
  callsEndAtMs: number;
}

export interface Allowance {
  totalMs: number;
  /** In milliseconds from now; default for calls to other parties: `totalMs`. */
  callsMs?: number;
}

const UNLIMITED: TimeBudget = { endsAtMs: Number.POSITIVE_INFINITY, callsEndAtMs: Number.POSITIVE_INFINITY };

const storage = new AsyncLocalStorage<TimeBudget>();

/** The outcome of the last step of the operation is unknown. */
export class OutOfTime extends Error {
  constructor() {
    super('the time for this operation is over');
    this.name = 'OutOfTime';
  }
}

/** The rest of the surrounding budget applies if it is shorter. */
export function withinBudget<T>(allowance: Allowance, work: () => T): T {
  return storage.run(makeBudget(allowance), work);
}

/**
 * Rejects at the end of the budget. Work in progress ends soon, because it can start no statement and no call.
 *
 * @throws OutOfTime
 */
export function answerWithin<T>(allowance: Allowance, work: () => Promise<T>): Promise<T> {
  const budget = makeBudget(allowance);
  if (budget.endsAtMs <= performance.now()) return Promise.reject(new OutOfTime());
  return new Promise((resolve, reject) => {
    const check = () => {
      const leftMs = budget.endsAtMs - performance.now();
      if (leftMs <= 0) reject(new OutOfTime());
      else timer = setTimeout(check, Math.min(leftMs + 1, LONGEST_WAIT_MS));
    };
    let timer: NodeJS.Timeout | undefined;
    check();
    storage
      .run(budget, async () => work())
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

/** Interval in which a budget without an end is checked again; see `runUncounted`. */
const LONGEST_WAIT_MS = 1_000;

/** Does not count the time of the work, such as reading from a slow client. */
export async function runUncounted<T>(work: () => Promise<T>): Promise<T> {
  const budget = presentBudget();
  const { endsAtMs, callsEndAtMs } = budget;
  const startedMs = performance.now();
  budget.endsAtMs = budget.callsEndAtMs = Number.POSITIVE_INFINITY;
  try {
    return await work();
  } finally {
    const takenMs = performance.now() - startedMs;
    budget.endsAtMs = endsAtMs + takenMs;
    budget.callsEndAtMs = callsEndAtMs + takenMs;
  }
}

/** Returns infinity without a budget, at most 0 after its end. */
export function remainingMs(): number {
  return presentBudget().endsAtMs - performance.now();
}

export function remainingForCallsMs(): number {
  return presentBudget().callsEndAtMs - performance.now();
}

export function presentBudget(): TimeBudget {
  return storage.getStore() ?? UNLIMITED;
}

/** Takes the latest end of the budgets. */
export function withinLatest<T>(budgets: readonly TimeBudget[], work: () => T): T {
  const endsAtMs = Math.max(...budgets.map((budget) => budget.endsAtMs));
  const callsEndAtMs = Math.max(...budgets.map((budget) => budget.callsEndAtMs));
  return storage.run({ endsAtMs, callsEndAtMs }, work);
}

function makeBudget({ totalMs, callsMs = totalMs }: Allowance): TimeBudget {
  const nowMs = performance.now();
  const { endsAtMs, callsEndAtMs } = presentBudget();
  return { endsAtMs: Math.min(nowMs + totalMs, endsAtMs), callsEndAtMs: Math.min(nowMs + callsMs, callsEndAtMs) };
}
