import { figure } from '../figure.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { percentile } from '../statistics.ts';
import { ENDPOINTS, type PacedResult, PER_SECOND, pacedStage, publishPaced } from './paced.ts';

async function run({ stage, effort, say }: Bench) {
  const paced = await pacedStage(stage);
  await publishPaced(paced, paced.scene.url, effort.warmUpMs);
  const results: PacedResult[] = [];
  for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
    results.push(await publishPaced(paced, paced.scene.url, effort.windowMs * 1.5));
    say(`repetition ${repetition} of ${effort.repetitions}`);
  }
  const atMost = (limit: number) => ({ of: 'value', is: 'at most', limit }) as const;
  const percentiles = (percent: number) => results.map(({ latencies }) => percentile(latencies, percent));
  const common = { unit: 'ms', better: 'lower' } as const;
  const stream = `${PER_SECOND} events/s, ${ENDPOINTS} endpoints`;
  return [
    figure('latency', { ...common, name: `p50, ${stream}`, repetitions: percentiles(50), target: atMost(25) }),
    figure('latency', { ...common, name: `p99, ${stream}`, repetitions: percentiles(99), target: atMost(250) }),
    figure('latency', {
      name: 'p50 of the last third by that of the first',
      unit: '×',
      better: 'lower',
      repetitions: results.map(({ latencies }) => growth(latencies)),
      target: atMost(1.5),
      note: 'a growing backlog would show as growing latency',
    }),
    figure('latency', {
      name: 'events that could not be published in time',
      unit: 'events',
      better: 'lower',
      repetitions: results.map(({ unpublished }) => unpublished),
      note: 'the offered rate was more than the machine could take',
    }),
    figure('latency', {
      name: 'events lost or received twice',
      unit: 'events',
      better: 'lower',
      repetitions: results.map(({ missing, duplicates }) => missing + duplicates),
      target: atMost(0),
    }),
  ];
}

function growth(latencies: number[]): number {
  const third = Math.max(1, Math.floor(latencies.length / 3));
  return percentile(latencies.slice(-third), 50) / percentile(latencies.slice(0, third), 50);
}

/** From commit to receipt. */
export const latency: Scenario = { name: 'latency', run };
