import { type Summary, summarise } from './statistics.ts';

/** A bound on the figure itself or on its ratio to the floor. */
export interface Target {
  of: 'value' | 'ratio';
  is: 'at least' | 'at most';
  limit: number;
}

/** One line of the result. */
export interface Figure extends Summary {
  scenario: string;
  name: string;
  unit: string;
  better: 'higher' | 'lower';
  floor: (Summary & { what: string }) | null;
  /** Figure divided by floor, per repetition, so that other load on the machine affects both. */
  ratio: Summary | null;
  target: Target | null;
  /** True if the median meets the target; null without a target. */
  meetsTarget: boolean | null;
  note: string | null;
}

/** A figure as a scenario measured it. */
export interface Measured {
  name: string;
  unit: string;
  better: 'higher' | 'lower';
  repetitions: readonly number[];
  floor?: { what: string; repetitions: readonly number[] };
  target?: Target;
  note?: string;
}

/** Returns the figure with its ratio, and says whether it meets its target. */
export function figure(scenario: string, measured: Measured): Figure {
  const { name, unit, better, repetitions, floor, target = null, note = null } = measured;
  const summary = summarise(repetitions);
  const ratio =
    floor === undefined
      ? null
      : summarise(repetitions.map((value, index) => value / (floor.repetitions[index] ?? Number.NaN)));
  return {
    scenario,
    name,
    unit,
    better,
    ...summary,
    floor: floor === undefined ? null : { what: floor.what, ...summarise(floor.repetitions) },
    ratio,
    target,
    meetsTarget: target === null ? null : meets(target, summary, ratio),
    note,
  };
}

function meets(target: Target, value: Summary, ratio: Summary | null): boolean {
  const judged = target.of === 'value' ? value : ratio;
  if (judged === null) throw new Error('a target for a ratio needs a floor');
  return target.is === 'at least' ? judged.median >= target.limit : judged.median <= target.limit;
}

/** Returns the bound as the table shows it. */
export function targetText(target: Target | null): string {
  if (target === null) return '';
  return `${target.is === 'at least' ? '≥' : '≤'} ${target.limit}${target.of === 'ratio' ? ' ×' : ''}`;
}

/**
 * Returns true if the figure is worse than in a kept run by more than both spreads. Then its best value is worse than
 * the worst value of the kept run. Compares ratios if there are any, because they survive a change of machine.
 */
export function fell(now: Figure, before: Figure): boolean {
  const [present, past] = now.ratio !== null && before.ratio !== null ? [now.ratio, before.ratio] : [now, before];
  return now.better === 'higher' ? present.max < past.min : present.min > past.max;
}
