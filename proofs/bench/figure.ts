import { type Summary, summarise } from './statistics.ts';

/** A bound on the figure itself, its ratio to the floor, or its difference from it. It is the least of a rate, and the most of all else. */
export interface Target {
  of: 'value' | 'ratio' | 'difference';
  limit: number;
}

/** A figure as a scenario measured it. */
export interface Measured {
  name: string;
  /** Ends with `/s` for a rate. A higher rate is better, and a lower value of all else. */
  unit: string;
  repetitions: readonly number[];
  floor?: { what: string; repetitions: readonly number[] };
  target?: Target | undefined;
  note?: string | undefined;
}

/** One line of the result. */
export interface Figure extends Summary {
  scenario: string;
  name: string;
  unit: string;
  floor: (Summary & { what: string }) | null;
  /** Figure divided by floor, per repetition, so that other load on the machine affects both. */
  ratio: Summary | null;
  target: Target | null;
  /** True if the median meets the target; null without a target. */
  meetsTarget: boolean | null;
  note: string | null;
}

/** Returns the figure with its ratio, and says whether it meets its target. */
export function figure(scenario: string, measured: Measured): Figure {
  const { name, unit, repetitions, floor, target = null, note = null } = measured;
  return {
    ...{ scenario, name, unit, ...summarise(repetitions) },
    floor: floor === undefined ? null : { what: floor.what, ...summarise(floor.repetitions) },
    ratio: floor === undefined ? null : compared('ratio', measured),
    target,
    meetsTarget: target === null ? null : meets(target, measured),
    note,
  };
}

function meets({ of, limit }: Target, measured: Measured): boolean {
  const { median } = compared(of, measured);
  return isRate(measured) ? median >= limit : median <= limit;
}

/** Compares each repetition with its floor. */
function compared(of: Target['of'], { repetitions, floor }: Measured): Summary {
  const compare = (value: number, least: number) =>
    of === 'value' ? value : of === 'ratio' ? value / least : value - least;
  return summarise(repetitions.map((value, at) => compare(value, floor?.repetitions[at] ?? Number.NaN)));
}

export function isRate({ unit }: Pick<Figure, 'unit'>): boolean {
  return unit.endsWith('/s');
}

/**
 * Returns true if the figure is worse than in a kept run by more than both spreads. Then its best value is worse than
 * the worst value of the kept run. Compares ratios if there are any, because they survive a change of machine.
 */
export function fell(now: Figure, before: Figure): boolean {
  const [present, past] = now.ratio !== null && before.ratio !== null ? [now.ratio, before.ratio] : [now, before];
  return isRate(now) ? present.max < past.min : present.min > past.max;
}
