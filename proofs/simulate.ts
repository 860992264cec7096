import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type Failure, runSeed, textOf } from '../test/simulator/history.ts';

/*
 * `make simulate`: runs histories in memory until a number of steps is reached, and prints progress. The first failure ends it.
 *
 *   STEPS=100000000  steps in all. A step is one action of one actor.
 *   SEED=7           this history only
 *   FROM=1           first seed
 *   WORKERS=2        threads
 */

const { STEPS = '20000000', SEED, FROM, WORKERS } = process.env;

/** Histories between two reports of a thread. */
const REPORTED = 100;

type Report = { steps: number; histories: number; failure: Failure | null };

async function main(): Promise<void> {
  if (SEED !== undefined) return finish((await runSeed(Number(SEED))).failure);
  const goal = Number(STEPS);
  const from = Number(FROM ?? Date.now() % 1_000_000_000);
  const threads = Number(WORKERS ?? Math.min(2, availableParallelism()));
  const startedMs = performance.now();
  let [steps, histories, printedMs] = [0, 0, startedMs];
  const print = () => {
    const minutes = (performance.now() - startedMs) / 60_000;
    const rate = (steps / minutes / 1e6).toFixed(2);
    console.log(`${steps} steps, ${histories} histories, ${minutes.toFixed(1)} min, ${rate} million steps a minute`);
  };
  console.log(`FROM=${from} STEPS=${goal} WORKERS=${threads}`);
  const workers: Worker[] = [];
  const failure = await new Promise<Failure | null>((resolve, reject) => {
    for (let index = 0; index < threads; index++) {
      const worker = new Worker(new URL(import.meta.url), { workerData: { from: from + index, by: threads } });
      workers.push(worker);
      worker.on('error', reject);
      worker.on('message', (report: Report) => {
        steps += report.steps;
        histories += report.histories;
        if (performance.now() - printedMs > 10_000) {
          printedMs = performance.now();
          print();
        }
        if (report.failure !== null || steps >= goal) resolve(report.failure);
      });
    }
  });
  print();
  await Promise.all(workers.map((worker) => worker.terminate()));
  finish(failure);
}

function finish(failure: Failure | null): void {
  console.log(failure === null ? 'No invariant was broken.' : textOf(failure));
  process.exitCode = failure === null ? 0 : 1;
}

/** Runs the seeds `from`, `from + by` and so on, until the main thread ends the worker. */
async function work({ from, by }: { from: number; by: number }): Promise<void> {
  for (let seed = from; ; ) {
    const report: Report = { steps: 0, histories: 0, failure: null };
    for (; report.histories < REPORTED && report.failure === null; seed += by) {
      const { steps, failure } = await runSeed(seed);
      report.steps += steps;
      report.histories += 1;
      report.failure = failure;
    }
    parentPort?.postMessage(report);
    if (report.failure !== null) return;
  }
}

await (isMainThread ? main() : work(workerData));
