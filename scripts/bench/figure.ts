import { type Summary, summarise } from './statistics.ts';

/** A bound on the figure itself, on its ratio to the floor, or on its difference from the floor. */
export interface Target {
  of: 'value' | 'ratio' | 'difference';
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
  const ratio = floor === undefined ? null : summarise(repetitions.map(besideFloor('ratio', floor)));
  return {
    scenario,
    name,
    unit,
    better,
    ...summary,
    floor: floor === undefined ? null : { what: floor.what, ...summarise(floor.repetitions) },
    ratio,
    targets,
    meetsTarget: targets.length === 0 || !isJudged ? null : targets.every((target) => meets(target, summary, measured)),
    note,
  };
}

function meets({ of, is, limit }: Target, value: Summary, { repetitions, floor }: Measured): boolean {
  const { median } = of === 'value' ? value : summarise(repetitions.map(besideFloor(of, floor)));
  return is === 'at least' ? median >= limit : median <= limit;
}

/** Returns the ratio or difference of a repetition and its floor. */
function besideFloor(of: 'ratio' | 'difference', floor: Measured['floor']) {
  if (floor === undefined) throw new Error(`a target for a ${of} needs a floor`);
  return (value: number, index: number) => {
    const least = floor.repetitions[index] ?? Number.NaN;
    return of === 'ratio' ? value / least : value - least;
  };
}

const SIGN = { value: '', ratio: '', difference: '+' };

/** Returns the bounds as the table shows them. */
export function targetText(targets: readonly Target[]): string {
  return targets
    .map(({ of, is, limit }) => `${is === 'at least' ? '≥' : '≤'} ${SIGN[of]}${limit}${of === 'ratio' ? ' ×' : ''}`)
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
