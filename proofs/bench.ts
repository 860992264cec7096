import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { localFolder } from '../scripts/service.ts';
import { waitForStop } from '../src/main/processes/signals.ts';
import { type Figure, figure } from './bench/figure.ts';
import { busyPercent, describeMachine, machineLine } from './bench/machine.ts';
import { notesOf, type Report, readReport, tableOf } from './bench/report.ts';
import type { Effort, Scenario } from './bench/scenario.ts';
import { change } from './bench/scenarios/links/change.ts';
import { contention } from './bench/scenarios/links/contention.ts';
import { create } from './bench/scenarios/links/create.ts';
import { get } from './bench/scenarios/links/get.ts';
import { list } from './bench/scenarios/links/list.ts';
import { oneKey } from './bench/scenarios/links/one-key.ts';
import { pay } from './bench/scenarios/links/pay.ts';
import { refund } from './bench/scenarios/links/refund.ts';
import { cost } from './bench/scenarios/machine/cost.ts';
import { memory } from './bench/scenarios/machine/memory.ts';
import { drain } from './bench/scenarios/webhooks/drain.ts';
import { fairness } from './bench/scenarios/webhooks/fairness.ts';
import { latency } from './bench/scenarios/webhooks/latency.ts';
import { stuck } from './bench/scenarios/webhooks/stuck.ts';
import { workers } from './bench/scenarios/webhooks/workers.ts';
import { Stage } from './bench/stage.ts';
import { chosen } from './trial/options.ts';

/*
 * `make bench`. The environment changes it:
 *
 * - `ONLY=create,get` runs these scenarios alone.
 * - `COMPARE=file` shows the changes since a kept report, and marks figures that fell by more than the spread.
 * - `OUT=file` writes the report there instead of to .local/bench.json.
 * - `QUICK=1` runs everything once and briefly. It shows that everything runs; the figures do not count.
 * - `PROFILE=1` writes CPU profiles of the service's processes to .local/bench.
 *
 * The report marks a figure that misses its target. The run does not fail, because machines differ.
 */

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...{ create, 'one-key': oneKey, get, list, change, contention, pay, refund },
  ...{ drain, latency, fairness, stuck, workers, cost, memory },
};

const THOROUGH: Effort = { repetitions: 3, windowMs: 2_000, warmUpMs: 1_000, share: 1 };
const QUICK: Effort = { repetitions: 1, windowMs: 300, warmUpMs: 200, share: 0.01 };

async function main(): Promise<void> {
  const { COMPARE, OUT = join(localFolder, 'bench.json') } = process.env;
  const before = COMPARE ? readReport(COMPARE) : null;
  const quick = Boolean(process.env.QUICK);
  const scenarios = chosen(Object.entries(SCENARIOS).map(([name, run]) => ({ name, run })));
  // First of all, so that Ctrl-C ends all processes in order.
  let isStopped = false;
  const stopped = waitForStop().finally(() => {
    isStopped = true;
  });
  const startedAt = new Date();
  const elapsed = () => (Date.now() - startedAt.getTime()) / 1000;
  const say = (text: string) => process.stderr.write(`${elapsed().toFixed(0).padStart(4)} s  ${text}\n`);
  const stage = await Stage.open();
  const figures: Figure[] = [];
  const othersBusy: Record<string, number> = {};
  const measure = async () => {
    for (const { name, run } of scenarios) {
      const busy = await busyPercent(500);
      othersBusy[name] = busy;
      say(`${name}${busy > 10 ? ` (noisy: others take ${busy} % of the cores)` : ''}`);
      const bench = { stage, effort: quick ? QUICK : THOROUGH, say: (text: string) => say(`${name}: ${text}`) };
      try {
        figures.push(...(await run(bench)).map((measured) => figure(name, measured)));
      } catch (error) {
        if (isStopped) return;
        // The others still count.
        process.exitCode = 1;
        say(`${name} FAILED: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
      }
      await stage.clear();
    }
  };
  try {
    const machine = describeMachine(await stage.postgresVersion());
    await Promise.race([measure(), stopped.then((why) => Promise.reject(new Error(`stopped (${why})`)))]);
    if (figures.length === 0) throw new Error('nothing was measured');
    const seconds = Math.round(elapsed());
    const report: Report = {
      ...{ version: 1, startedAt: startedAt.toISOString(), seconds, quick },
      ...{ machine, othersBusy, figures },
    };
    keep(report, OUT);
    const remarks = `${machineLine(machine)}\n${busyLine(othersBusy)}\n${notesOf(figures)}\n`;
    process.stdout.write(`\n${tableOf(figures, before)}\n\n${remarks}${seconds} s in all; kept in ${OUT}\n`);
  } finally {
    await stage.close();
  }
}

function busyLine(othersBusy: Record<string, number>): string {
  const shares = Object.entries(othersBusy).map(([name, percent]) => `${name} ${percent} %`);
  return `other programs' share of the cores before each scenario: ${shares.join(', ')}`;
}

/** Whole or not at all. */
function keep(report: Report, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(report, null, 2)}\n`);
  renameSync(`${path}.new`, path);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`);
  process.exitCode = 1;
}
