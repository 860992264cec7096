import { readFileSync } from 'node:fs';
import { type Figure, fell, isRate } from './figure.ts';
import type { Machine } from './machine.ts';

/** Contents of `.local/bench.json`. */
export interface Report {
  version: 1;
  startedAt: string;
  seconds: number;
  /** Shortened windows and a single repetition: shows that everything runs, and no figure counts. */
  quick: boolean;
  machine: Machine;
  /** Per cent of the cores that others took right before each scenario; where it is much, only ratios count. */
  othersBusy: Record<string, number>;
  figures: Figure[];
}

/** Reads a kept report. @throws when it is none */
export function readReport(path: string): Report {
  const report = JSON.parse(readFileSync(path, 'utf8')) as Report;
  if (report.version !== 1 || !Array.isArray(report.figures)) throw new Error(`${path} is no report of make bench`);
  return report;
}

/** The table for people, with a mark where a kept report was better by more than the spread. */
export function tableOf(figures: readonly Figure[], before: Report | null = null): string {
  const head = ['scenario', 'figure', 'median (min–max)', 'unit', 'floor or other', 'ratio', 'target', 'met'];
  const rows = figures.map((figure) => [...fieldsOf(figure), ...(before === null ? [] : [changeOf(figure, before)])]);
  const lines = [before === null ? head : [...head, 'since'], ...rows];
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const padded = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return padded.map((line) => line.trimEnd()).join('\n');
}

/** The floors and remarks, once each. */
export function notesOf(figures: readonly Figure[]): string {
  const floors = figures.flatMap(({ scenario, floor }) =>
    floor === null ? [] : [`${scenario}: beside it ${floor.what}`],
  );
  const notes = figures.flatMap(({ scenario, name, note }) => (note === null ? [] : [`${scenario}, ${name}: ${note}`]));
  return [...new Set([...floors, ...notes])].join('\n');
}

function fieldsOf(figure: Figure): string[] {
  const { scenario, name, unit, floor, ratio } = figure;
  return [
    ...[scenario, name, range(figure), unit],
    ...[floor === null ? '' : range(floor), ratio === null ? '' : short(ratio.median)],
    ...verdict(figure),
  ];
}

/** Returns the bound, and if the figure keeps it. */
function verdict(figure: Figure): [bound: string, isMet: string] {
  const { target, meetsTarget } = figure;
  if (target === null) return ['', ''];
  const [before, after] = { value: ['', ''], ratio: ['', ' ×'], difference: ['+', ''] }[target.of];
  return [`${isRate(figure) ? '≥' : '≤'} ${before}${target.limit}${after}`, meetsTarget ? 'yes' : 'NO'];
}

function changeOf(figure: Figure, before: Report): string {
  const past = before.figures.find(({ scenario, name }) => scenario === figure.scenario && name === figure.name);
  if (past === undefined) return 'new';
  const [is, was] =
    figure.ratio && past.ratio ? [figure.ratio.median, past.ratio.median] : [figure.median, past.median];
  const percent = was === 0 ? 0 : Math.round((is / was - 1) * 100);
  return `${percent > 0 ? '+' : ''}${percent} %${fell(figure, past) ? '  FELL' : ''}`;
}

function range({ median, min, max }: { median: number; min: number; max: number }): string {
  return min === max ? short(median) : `${short(median)} (${short(min)}–${short(max)})`;
}

function short(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
