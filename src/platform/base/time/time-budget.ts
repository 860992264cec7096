import { AsyncLocalStorage } from 'node:async_hooks';

/** Time budget of an operation. All its steps read it by `remainingMs` and `remainingForCallsMs`. */
interface TimeBudget {
  /** End of the budget, by `performance.now()`. No statement starts afterwards, and a running one is abandoned. */
  endsAtMs: number;
  /** End of the budget for calls to other parties. It is earlier, so that their answers can still be recorded. */
  callsEndAtMs: number;
}

/** Length of a time budget, in milliseconds from now. */
export interface Allowance {
  totalMs: number;
  /** Time for calls to other parties; default: `totalMs`. */
  callsMs?: number;
}

const storage = new AsyncLocalStorage<TimeBudget | undefined>();

/** Thrown if an operation has no time left. The outcome of its last step is unknown. */
export class OutOfTime extends Error {
  constructor() {
    super('the time for this operation is over');
    this.name = 'OutOfTime';
  }
}

/** Runs the work with a time budget, or with the rest of the surrounding budget if that is shorter. */
export function withinBudget<T>(allowance: Allowance, work: () => T): T {
  return storage.run(makeBudget(allowance), work);
}

/**
 * Runs the work with a time budget, and rejects at its end. Work in progress continues without an observer and ends soon,
 * because it can start no statement and no call.
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

/** Runs the work without counting its time, such as reading a request from a slow client. */
export async function runUncounted<T>(work: () => Promise<T>): Promise<T> {
  const budget = storage.getStore();
  if (budget === undefined) return work();
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

/** Returns the milliseconds left to the current operation: infinite without a budget, at most 0 after its end. */
export function remainingMs(): number {
  return leftUntil(storage.getStore()?.endsAtMs);
}

/** Returns the milliseconds left to the current operation for calls to other parties. */
export function remainingForCallsMs(): number {
  return leftUntil(storage.getStore()?.callsEndAtMs);
}

/** Returns the current budget, for work that several operations share. */
export function presentBudget(): TimeBudget | undefined {
  return storage.getStore();
}

/** Runs work for which several operations wait, with the latest end of their budgets. */
export function withinLatest<T>(budgets: readonly (TimeBudget | undefined)[], work: () => T): T {
  const latest = (moment: keyof TimeBudget) =>
    Math.max(...budgets.map((budget) => budget?.[moment] ?? Number.POSITIVE_INFINITY));
  return storage.run({ endsAtMs: latest('endsAtMs'), callsEndAtMs: latest('callsEndAtMs') }, work);
}

function makeBudget({ totalMs, callsMs = totalMs }: Allowance): TimeBudget {
  const nowMs = performance.now();
  const around = storage.getStore();
  return {
    endsAtMs: Math.min(nowMs + totalMs, around?.endsAtMs ?? Number.POSITIVE_INFINITY),
    callsEndAtMs: Math.min(nowMs + callsMs, around?.callsEndAtMs ?? Number.POSITIVE_INFINITY),
  };
}

function leftUntil(momentMs: number | undefined): number {
  return momentMs === undefined ? Number.POSITIVE_INFINITY : momentMs - performance.now();
}
