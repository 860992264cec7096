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
  targets: readonly Target[];
  /** True if the median meets all targets; null without a target, and where the machine cannot decide. */
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
  target?: Target | readonly Target[];
  /** False if this machine cannot decide about the target. Then the table shows the target, and no answer. */
  isJudged?: boolean;
  note?: string;
}

/** Returns the figure with its ratio, and says whether it meets its targets. */
export function figure(scenario: string, measured: Measured): Figure {
  const { name, unit, better, repetitions, floor, target = [], isJudged = true, note = null } = measured;
  const targets = [target].flat();
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
    targets,
    meetsTarget: targets.length === 0 || !isJudged ? null : targets.every((target) => meets(target, summary, ratio)),
    note,
  };
}

function meets(target: Target, value: Summary, ratio: Summary | null): boolean {
  const judged = target.of === 'value' ? value : ratio;
  if (judged === null) throw new Error('a target for a ratio needs a floor');
  return target.is === 'at least' ? judged.median >= target.limit : judged.median <= target.limit;
}

/** Returns the bounds as the table shows them. */
export function targetText(targets: readonly Target[]): string {
  return targets
    .map(({ of, is, limit }) => `${is === 'at least' ? '≥' : '≤'} ${limit}${of === 'ratio' ? ' ×' : ''}`)
    .join(', ');
}

/**
 * Returns true if the figure is worse than in a kept run by more than both spreads. Then its best value is worse than
 * the worst value of the kept run. Compares ratios if there are any, because they survive a change of machine.
 */
export function fell(now: Figure, before: Figure): boolean {
  const [present, past] = now.ratio !== null && before.ratio !== null ? [now.ratio, before.ratio] : [now, before];
  return now.better === 'higher' ? present.max < past.min : present.min > past.max;
}
