export interface Summary {
  median: number;
  min: number;
  max: number;
  repetitions: number[];
}

/** Median and spread of the repetitions. @throws RangeError without any */
export function summarise(repetitions: readonly number[]): Summary {
  if (repetitions.length === 0) throw new RangeError('nothing was measured');
  const kept = repetitions.map((value) => Number(value.toPrecision(4)));
  return { median: percentile(kept, 50), min: Math.min(...kept), max: Math.max(...kept), repetitions: kept };
}

/** The value below or at which `percent` of the sample lies (nearest rank; the median of two is the lower one). */
export function percentile(sample: readonly number[], percent: number): number {
  const sorted = [...sample].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** Milliseconds on the machine's monotonic clock, which all its processes share. */
export function machineMs(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
