import { processorMs } from './machine.ts';
import type { Load, LoadResult } from './processes/http-load.ts';
import type { Helpers } from './stage.ts';

/** The result of a load, and its cost for the process that answered. */
export interface MeasuredLoad extends LoadResult {
  /** Milliseconds of the answering process's processor time per answer; null where the system does not report it. */
  processorMsEach: number | null;
}

/** Puts the load on the process and measures both. */
export async function measureLoad(helper: Helpers['load'], load: Load, pid: number): Promise<MeasuredLoad> {
  const before = processorMs(pid);
  const result = await helper.call('putLoad', load);
  const after = processorMs(pid);
  const known = before !== null && after !== null;
  return { ...result, processorMsEach: known ? (after - before) / result.answered : null };
}

/** The processor times of repetitions; none where the system does not report them. */
export function processorTimes(of: readonly { processorMsEach: number | null }[]): number[] {
  return of.flatMap(({ processorMsEach }) => processorMsEach ?? []);
}
