import { figure } from '../figure.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { machineMs } from '../statistics.ts';

async function run({ stage, effort, say }: Bench) {
  const scene = await stage.newScene();
  const startOnce = async (command: 'serve' | 'worker') => {
    const startedMs = machineMs();
    const running = await stage.start(command, scene);
    const tookMs = machineMs() - startedMs;
    await running.stop();
    return tookMs;
  };
  // The files are in the system's cache afterwards, as they are on a machine that ran the service before.
  await startOnce('serve');
  const [serve, worker]: [number[], number[]] = [[], []];
  for (let repetition = 1; repetition <= effort.repetitions; repetition++) {
    serve.push(await startOnce('serve'));
    worker.push(await startOnce('worker'));
    say(`repetition ${repetition} of ${effort.repetitions}`);
  }
  const common = { unit: 'ms', better: 'lower' } as const;
  return [
    figure('start', {
      ...{ ...common, name: 'serve: from its start to the first answer', repetitions: serve },
      target: { of: 'value', is: 'at most', limit: 1_500 },
    }),
    figure('start', { ...common, name: 'worker: from its start to work', repetitions: worker }),
  ];
}

/** How long a process takes to be there, the database being there. */
export const start: Scenario = { name: 'start', run };
