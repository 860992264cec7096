import { Gauge, type Registry } from 'prom-client';
import { REASONS, type Readiness } from '../database/readiness.ts';

/** Adds the metrics of the process's readiness to the registry. Each reading asks as `/readyz` does. */
export function addReadinessMetrics(registry: Registry, readiness: Readiness): void {
  const registers = [registry];
  new Gauge({
    ...{ name: 'paylinks_not_ready', help: '1 for each reason why the process is not ready', registers },
    labelNames: ['reason'],
    async collect() {
      const { reasons } = await readiness.report();
      for (const reason of REASONS) this.set({ reason }, reason in reasons ? 1 : 0);
    },
  });
  new Gauge({
    name: 'paylinks_clock_offset_seconds',
    help: 'Time by which the clock of the process is ahead of that of the database. Missing without an answer of the database',
    registers,
    async collect() {
      const { clockOffsetSeconds } = await readiness.report();
      if (clockOffsetSeconds === null) this.remove();
      else this.set(clockOffsetSeconds);
    },
  });
  new Gauge({
    name: 'paylinks_secrets_keys_unusable',
    help: 'Keys of stored secrets that SECRETS_KEY lacks, or has with another value',
    registers,
    async collect() {
      this.set((await readiness.report()).unusableKeys.length);
    },
  });
}
