import type { Measured } from './figure.ts';
import type { Stage } from './stage.ts';

/** Length of the measurements. */
export interface Effort {
  repetitions: number;
  /** Time of the load in each repetition. */
  windowMs: number;
  /** Time of the load before it, which is not measured. */
  warmUpMs: number;
  /** Factor for the numbers of deliveries and links: 1 for all of them. */
  share: number;
}

/** Dependencies of a scenario. */
export interface Bench {
  stage: Stage;
  effort: Effort;
  /** Reports progress to the person who waits. */
  say(text: string): void;
}

/** Measures one of the benchmark's scenarios. */
export type Scenario = (bench: Bench) => Promise<Measured[]>;

/** Returns the count, reduced by the share of the effort; at least 10. */
export function scaled(effort: Effort, count: number): number {
  return Math.max(10, Math.round(count * effort.share));
}

/** Measures as often as the effort says. */
export async function repeat<Measurement>(
  { effort, say }: Bench,
  what: string,
  measure: () => Promise<Measurement>,
): Promise<Measurement[]> {
  const measured: Measurement[] = [];
  for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
    measured.push(await measure());
    say(`${what}, repetition ${repetition} of ${effort.repetitions}`);
  }
  return measured;
}

/** Measurements of the service and of its floor, one of each per repetition. */
export interface Repetitions<Measurement> {
  service: Measurement[];
  floor: Measurement[];
}

/** Measures the service and its floor in turns, so that other load on the machine affects both. The first turn warms up. */
export async function measureBoth<Measurement>(
  bench: Bench,
  what: string,
  service: () => Promise<Measurement>,
  floor: () => Promise<Measurement>,
): Promise<Repetitions<Measurement>> {
  const both = async () => ({ service: await service(), floor: await floor() });
  await both();
  const measured = await repeat(bench, what, both);
  return { service: measured.map(({ service }) => service), floor: measured.map(({ floor }) => floor) };
}
