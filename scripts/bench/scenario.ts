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
