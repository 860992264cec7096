import { type Figure, figure } from '../../figure.ts';
import { type Bench, type Scenario, scaled } from '../../scenario.ts';
import { percentile } from '../../statistics.ts';
import { cancelPaced, cancelStage, ENDPOINTS, type PacedResult, PER_SECOND, publishPaced } from './paced.ts';

/** All are due at once, so that every connection always has one: the rate is what the service can do. */
const FULL_SPEED = { cancels: 2_000, perSecond: 100_000 };

const atMost = (limit: number) => ({ of: 'value', is: 'at most', limit }) as const;

async function run({ stage, effort, say }: Bench) {
  const paced = await cancelStage(stage);
  const forMs = effort.windowMs * 1.5;
  await publishPaced(paced, paced.scene.url, effort.warmUpMs);
  await cancelPaced(paced, effort.warmUpMs);
  const [cancelled, published]: [PacedResult[], PacedResult[]] = [[], []];
  const rates: number[] = [];
  for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
    cancelled.push(await cancelPaced(paced, forMs));
    published.push(await publishPaced(paced, paced.scene.url, forMs));
    const count = scaled(effort, FULL_SPEED.cancels);
    const { perSecond } = FULL_SPEED;
    const all = await cancelPaced(paced, (count * 1000) / perSecond, perSecond);
    rates.push(all.latencies.length / all.seconds);
    say(`repetition ${repetition} of ${effort.repetitions}`);
  }
  const answers = (percent: number) => cancelled.map((result) => percentile(result.answers, percent));
  const common = { unit: 'ms', better: 'lower' } as const;
  return [
    ...figuresOf(`${PER_SECOND} cancels/s`, cancelled, { p50: 15, p99: 150 }),
    figure('latency', { ...common, name: `${PER_SECOND} cancels/s: answer, p50`, repetitions: answers(50) }),
    figure('latency', { ...common, name: `${PER_SECOND} cancels/s: answer, p99`, repetitions: answers(99) }),
    figure('latency', {
      name: `cancels at full speed, ${ENDPOINTS} endpoints: from the first request to the last receipt`,
      unit: 'events/s',
      better: 'higher',
      repetitions: rates,
    }),
    // From commit to receipt, without the API: what the worker's part of it is.
    ...figuresOf(`${PER_SECOND} published/s`, published, { p50: 25, p99: 250 }),
  ];
}

function figuresOf(stream: string, results: readonly PacedResult[], limits: { p50: number; p99: number }): Figure[] {
  const percentiles = (percent: number) => results.map(({ latencies }) => percentile(latencies, percent));
  const common = { unit: 'ms', better: 'lower' } as const;
  return [
    figure('latency', {
      ...{ ...common, name: `${stream}, ${ENDPOINTS} endpoints: receipt, p50`, repetitions: percentiles(50) },
      target: atMost(limits.p50),
    }),
    figure('latency', {
      ...{ ...common, name: `${stream}, ${ENDPOINTS} endpoints: receipt, p99`, repetitions: percentiles(99) },
      target: atMost(limits.p99),
    }),
    figure('latency', {
      name: `${stream}: p50 of the last third by that of the first`,
      unit: '×',
      better: 'lower',
      repetitions: results.map(({ latencies }) => growth(latencies)),
      target: atMost(1.5),
      note: 'a growing backlog would show as growing latency',
    }),
    figure('latency', {
      name: `${stream}: events lost or received twice`,
      unit: 'events',
      better: 'lower',
      repetitions: results.map(({ missing, duplicates }) => missing + duplicates),
      target: atMost(0),
    }),
    ...(results.some(({ unpublished }) => unpublished > 0)
      ? [
          figure('latency', {
            name: `${stream}: events that could not be made in time`,
            unit: 'events',
            better: 'lower',
            repetitions: results.map(({ unpublished }) => unpublished),
            note: 'the offered rate was more than the machine could take',
          }),
        ]
      : []),
  ];
}

function growth(latencies: number[]): number {
  const third = Math.max(1, Math.floor(latencies.length / 3));
  return percentile(latencies.slice(-third), 50) / percentile(latencies.slice(0, third), 50);
}

/** From the request, or from the commit, to the receipt. */
export const latency: Scenario = { name: 'latency', run };
