import type { Figure } from './figure.ts';
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
  /** 20,000 deliveries, also where fewer would give the same figure. */
  full: boolean;
}

/** Dependencies of a scenario. */
export interface Bench {
  stage: Stage;
  effort: Effort;
  /** Reports progress to the person who waits. */
  say(text: string): void;
}

/** One of the benchmark's scenarios. */
export interface Scenario {
  name: string;
  run(bench: Bench): Promise<Figure[]>;
}

/** Returns the count, reduced by the share of the effort; at least 10. */
export function scaled(effort: Effort, count: number): number {
  return Math.max(10, Math.round(count * effort.share));
}

/** Measurements of the service and of its floor, one of each per repetition. */
export interface Repetitions<Measurement> {
  service: Measurement[];
  floor: Measurement[];
}

/** Measures the service and its floor in turns, so that other load on the machine affects both. The first turn warms up. */
export async function measureBoth<Measurement>(
  { effort, say }: Bench,
  what: string,
  service: () => Promise<Measurement>,
  floor: () => Promise<Measurement>,
): Promise<Repetitions<Measurement>> {
  const measured: Repetitions<Measurement> = { service: [], floor: [] };
  await service();
  await floor();
  for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
    measured.service.push(await service());
    measured.floor.push(await floor());
    say(`${what}, repetition ${repetition} of ${effort.repetitions}`);
  }
  return measured;
}
