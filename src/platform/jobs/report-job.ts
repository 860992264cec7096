import { observe, report } from '../base/diagnostics.ts';

/** Reports the outcome. In a trace, the run is a span with its statements below. */
export function reportJob<T>(task: string, run: () => Promise<T>): Promise<T> {
  return observe(
    () => ({ kind: 'job', task }),
    () => reportOutcome(task, run),
  );
}

export async function reportOutcome<T>(task: string, run: () => Promise<T>): Promise<T> {
  try {
    const result = await run();
    report('job', () => ({ task, outcome: 'done' }));
    return result;
  } catch (error) {
    report('job', () => ({ task, outcome: 'failed' }));
    throw error;
  }
}
