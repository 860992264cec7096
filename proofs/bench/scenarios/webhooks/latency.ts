import type { Measured } from '../../figure.ts';
import { type Bench, repeat, scaled } from '../../scenario.ts';
import { percentile } from '../../statistics.ts';
import { cancelPaced, ENDPOINTS, linksFor, type PacedResult, PER_SECOND, pacedStage } from './paced.ts';

/** All are due at once, so that every connection always has one: the rate is what the service can do. */
const FULL_SPEED = { cancels: 2_000, perSecond: 100_000 };

const RECEIPT = `, ${ENDPOINTS} endpoints: receipt`;

/** From the request to the receipt. */
export async function latency(bench: Bench): Promise<Measured[]> {
  const { stage, effort } = bench;
  const paced = await pacedStage(stage);
  await cancelPaced(paced, await linksFor(paced, effort.warmUpMs));
  const rates: number[] = [];
  const steady = await repeat(bench, 'cancels', async () => {
    const result = await cancelPaced(paced, await linksFor(paced, effort.windowMs * 1.5));
    const { cancels, perSecond } = FULL_SPEED;
    const links = await linksFor(paced, (scaled(effort, cancels) * 1000) / perSecond, perSecond);
    const all = await cancelPaced(paced, links, perSecond);
    rates.push(all.latencies.length / all.seconds);
    return result;
  });
  const of = (what: string, unit: string, value: (result: PacedResult) => number, limit?: number): Measured => ({
    ...{ name: `${PER_SECOND} cancels/s${what}`, unit, repetitions: steady.map(value) },
    target: limit === undefined ? undefined : { of: 'value', limit },
  });
  const isRefused = steady.some(({ refused }) => refused > 0);
  const refused = of(': requests that were refused', 'requests', ({ refused }) => refused);
  return [
    of(`${RECEIPT}, p50`, 'ms', ({ latencies }) => percentile(latencies, 50), 15),
    of(`${RECEIPT}, p99`, 'ms', ({ latencies }) => percentile(latencies, 99), 150),
    {
      ...of(': p50 of the last third by that of the first', '×', ({ latencies }) => growth(latencies), 1.5),
      note: 'a growing backlog would show as growing latency',
    },
    of(': events lost or received twice', 'events', ({ missing, duplicates }) => missing + duplicates, 0),
    ...(isRefused ? [{ ...refused, note: 'the offered rate was more than the machine could take' }] : []),
    of(': answer, p50', 'ms', ({ answers }) => percentile(answers, 50), 4),
    of(': answer, p99', 'ms', ({ answers }) => percentile(answers, 99), 15),
    {
      name: `cancels at full speed, ${ENDPOINTS} endpoints: from the first request to the last receipt`,
      ...{ unit: 'events/s', repetitions: rates },
    },
  ];
}

function growth(latencies: number[]): number {
  const third = Math.max(1, Math.floor(latencies.length / 3));
  return percentile(latencies.slice(-third), 50) / percentile(latencies.slice(0, third), 50);
}
