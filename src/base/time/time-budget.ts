import { AsyncLocalStorage } from 'node:async_hooks';

/** The time that an operation has. Whatever is done on its behalf finds it by `remainingMs` and `remainingForCallsMs`. */
interface TimeBudget {
  /** By `performance.now()`; no statement is begun afterwards, and one under way is given up. */
  endsAtMs: number;
  /** The same for calls to other parties: what they answered has yet to be put on record. */
  callsEndAtMs: number;
}

/** How much time there is, in milliseconds from now. */
export interface Allowance {
  totalMs: number;
  /** For calls to other parties; as long as the whole unless told. */
  callsMs?: number;
}

const present = new AsyncLocalStorage<TimeBudget | undefined>();

/** The time of an operation is over. What it was doing may or may not have happened. */
export class OutOfTime extends Error {
  constructor() {
    super('the time for this operation is over');
    this.name = 'OutOfTime';
  }
}

/** Does the work within this time, or within what an operation around it has left. The work itself sees to it. */
export function withinBudget<T>(allowance: Allowance, work: () => T): T {
  return present.run(budgetOf(allowance), work);
}

/**
 * Does the work within this time, and rejects when it is over. What is under way then goes on unheard, and ends soon: it
 * gets no statement and no call any more.
 *
 * @throws OutOfTime
 */
export function answerWithin<T>(allowance: Allowance, work: () => Promise<T>): Promise<T> {
  const budget = budgetOf(allowance);
  if (budget.endsAtMs <= performance.now()) return Promise.reject(new OutOfTime());
  return new Promise((resolve, reject) => {
    const look = () => {
      const leftMs = budget.endsAtMs - performance.now();
      if (leftMs <= 0) reject(new OutOfTime());
      else timer = setTimeout(look, Math.min(leftMs + 1, LONGEST_WAIT_MS));
    };
    let timer: NodeJS.Timeout | undefined;
    look();
    present
      .run(budget, async () => work())
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

/** How often a budget without an end is looked at again; see `uncounted`. */
const LONGEST_WAIT_MS = 1_000;

/** Waits for the other side without counting the time: a client may take its own to send a request. */
export async function uncounted<T>(work: () => Promise<T>): Promise<T> {
  const budget = present.getStore();
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

/** Milliseconds left to the present operation; infinite without a budget, and at most 0 when it is over. */
export function remainingMs(): number {
  return leftUntil(present.getStore()?.endsAtMs);
}

/** The same for calls to other parties. */
export function remainingForCallsMs(): number {
  return leftUntil(present.getStore()?.callsEndAtMs);
}

/** Keeps the present budget for work that several operations share. */
export function presentBudget(): TimeBudget | undefined {
  return present.getStore();
}

/** Does what several operations wait for, for as long as one of them waits. */
export function withinLatest<T>(budgets: readonly (TimeBudget | undefined)[], work: () => T): T {
  const latest = (moment: keyof TimeBudget) =>
    Math.max(...budgets.map((budget) => budget?.[moment] ?? Number.POSITIVE_INFINITY));
  return present.run({ endsAtMs: latest('endsAtMs'), callsEndAtMs: latest('callsEndAtMs') }, work);
}

function budgetOf({ totalMs, callsMs = totalMs }: Allowance): TimeBudget {
  const nowMs = performance.now();
  const around = present.getStore();
  return {
    endsAtMs: Math.min(nowMs + totalMs, around?.endsAtMs ?? Number.POSITIVE_INFINITY),
    callsEndAtMs: Math.min(nowMs + callsMs, around?.callsEndAtMs ?? Number.POSITIVE_INFINITY),
  };
}

function leftUntil(momentMs: number | undefined): number {
  return momentMs === undefined ? Number.POSITIVE_INFINITY : momentMs - performance.now();
}
