import type { Figure } from './figure.ts';
import type { Stage } from './stage.ts';

/** How thoroughly to measure. */
export interface Effort {
  repetitions: number;
  /** How long load is put on, and before that, per repetition. */
  windowMs: number;
  warmUpMs: number;
  /** Of the numbers of deliveries and links. */
  share: number;
  /** 20,000 deliveries, also where fewer would give the same figure. */
  full: boolean;
}

/** What scenarios get. */
export interface Bench {
  stage: Stage;
  effort: Effort;
  /** Progress, for a person who waits. */
  say(text: string): void;
}

/** One of the benchmark's scenarios. */
export interface Scenario {
  name: string;
  run(bench: Bench): Promise<Figure[]>;
}

/** A number of things by the effort; at least a few. */
export function scaled(effort: Effort, count: number): number {
  return Math.max(10, Math.round(count * effort.share));
}
